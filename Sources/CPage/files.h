// SPDX-License-Identifier: LGPL-2.1-or-later
// Written by scripts/page-files from the files of the folder page.
static const unsigned char actions_js[] = {
#embed "page/actions.js"
};
static const unsigned char app_js[] = {
#embed "page/app.js"
};
static const unsigned char capture_js[] = {
#embed "page/capture.js"
};
static const unsigned char controls_js[] = {
#embed "page/controls.js"
};
static const unsigned char denied_html[] = {
#embed "page/denied.html"
};
static const unsigned char dom_js[] = {
#embed "page/dom.js"
};
static const unsigned char faces_js[] = {
#embed "page/faces.js"
};
static const unsigned char faders_js[] = {
#embed "page/faders.js"
};
static const unsigned char filecontrol_js[] = {
#embed "page/filecontrol.js"
};
static const unsigned char format_js[] = {
#embed "page/format.js"
};
static const unsigned char icon_svg[] = {
#embed "page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "page/index.html"
};
static const unsigned char inputs_js[] = {
#embed "page/inputs.js"
};
static const unsigned char keys_js[] = {
#embed "page/keys.js"
};
static const unsigned char library_js[] = {
#embed "page/library.js"
};
static const unsigned char manifest_webmanifest[] = {
#embed "page/manifest.webmanifest"
};
static const unsigned char messages_js[] = {
#embed "page/messages.js"
};
static const unsigned char panel_js[] = {
#embed "page/panel.js"
};
static const unsigned char picture_js[] = {
#embed "page/picture.js"
};
static const unsigned char pointer_js[] = {
#embed "page/pointer.js"
};
static const unsigned char points_js[] = {
#embed "page/points.js"
};
static const unsigned char property_js[] = {
#embed "page/property.js"
};
static const unsigned char record_js[] = {
#embed "page/record.js"
};
static const unsigned char slider_js[] = {
#embed "page/slider.js"
};
static const unsigned char socket_js[] = {
#embed "page/socket.js"
};
static const unsigned char status_js[] = {
#embed "page/status.js"
};
static const unsigned char style_css[] = {
#embed "page/style.css"
};
static const unsigned char view_js[] = {
#embed "page/view.js"
};
static const unsigned char zoneboard_js[] = {
#embed "page/zoneboard.js"
};
static const unsigned char zones_js[] = {
#embed "page/zones.js"
};
static const unsigned char zonetext_js[] = {
#embed "page/zonetext.js"
};

static const SVPageFile files[] = {
    {"actions.js", actions_js, sizeof actions_js},
    {"app.js", app_js, sizeof app_js},
    {"capture.js", capture_js, sizeof capture_js},
    {"controls.js", controls_js, sizeof controls_js},
    {"denied.html", denied_html, sizeof denied_html},
    {"dom.js", dom_js, sizeof dom_js},
    {"faces.js", faces_js, sizeof faces_js},
    {"faders.js", faders_js, sizeof faders_js},
    {"filecontrol.js", filecontrol_js, sizeof filecontrol_js},
    {"format.js", format_js, sizeof format_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"inputs.js", inputs_js, sizeof inputs_js},
    {"keys.js", keys_js, sizeof keys_js},
    {"library.js", library_js, sizeof library_js},
    {"manifest.webmanifest", manifest_webmanifest, sizeof manifest_webmanifest},
    {"messages.js", messages_js, sizeof messages_js},
    {"panel.js", panel_js, sizeof panel_js},
    {"picture.js", picture_js, sizeof picture_js},
    {"pointer.js", pointer_js, sizeof pointer_js},
    {"points.js", points_js, sizeof points_js},
    {"property.js", property_js, sizeof property_js},
    {"record.js", record_js, sizeof record_js},
    {"slider.js", slider_js, sizeof slider_js},
    {"socket.js", socket_js, sizeof socket_js},
    {"status.js", status_js, sizeof status_js},
    {"style.css", style_css, sizeof style_css},
    {"view.js", view_js, sizeof view_js},
    {"zoneboard.js", zoneboard_js, sizeof zoneboard_js},
    {"zones.js", zones_js, sizeof zones_js},
    {"zonetext.js", zonetext_js, sizeof zonetext_js},
};
