// SPDX-License-Identifier: LGPL-2.1-or-later
#include "include/CPage.h"

// `#embed` is of C23; clang has it as an extension of older C, too. A file of the page needs a line in both tables.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "page/index.html"
};
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
static const unsigned char filecontrol_js[] = {
#embed "page/filecontrol.js"
};
static const unsigned char format_js[] = {
#embed "page/format.js"
};
static const unsigned char icon_svg[] = {
#embed "page/icon.svg"
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

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const SVPageFile files[] = {
    FILE("index.html", index_html),
    FILE("actions.js", actions_js),
    FILE("app.js", app_js),
    FILE("capture.js", capture_js),
    FILE("controls.js", controls_js),
    FILE("denied.html", denied_html),
    FILE("dom.js", dom_js),
    FILE("faces.js", faces_js),
    FILE("filecontrol.js", filecontrol_js),
    FILE("format.js", format_js),
    FILE("icon.svg", icon_svg),
    FILE("keys.js", keys_js),
    FILE("library.js", library_js),
    FILE("manifest.webmanifest", manifest_webmanifest),
    FILE("messages.js", messages_js),
    FILE("panel.js", panel_js),
    FILE("picture.js", picture_js),
    FILE("pointer.js", pointer_js),
    FILE("property.js", property_js),
    FILE("record.js", record_js),
    FILE("slider.js", slider_js),
    FILE("socket.js", socket_js),
    FILE("status.js", status_js),
    FILE("style.css", style_css),
    FILE("view.js", view_js),
};

size_t sv_page_file_count(void) { return sizeof files / sizeof *files; }

const SVPageFile *sv_page_file(size_t index) { return index < sv_page_file_count() ? &files[index] : NULL; }
