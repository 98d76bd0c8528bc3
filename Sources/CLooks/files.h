// SPDX-License-Identifier: LGPL-2.1-or-later
// Written by scripts/page-files from the files of the folder looks.
static const unsigned char antique_filters[] = {
#embed "looks/antique.filters"
};
static const unsigned char bleach_bypass_filters[] = {
#embed "looks/bleach-bypass.filters"
};
static const unsigned char blueprint_filters[] = {
#embed "looks/blueprint.filters"
};
static const unsigned char chalkboard_filters[] = {
#embed "looks/chalkboard.filters"
};
static const unsigned char charcoal_filters[] = {
#embed "looks/charcoal.filters"
};
static const unsigned char cold_winter_filters[] = {
#embed "looks/cold-winter.filters"
};
static const unsigned char comic_book_filters[] = {
#embed "looks/comic-book.filters"
};
static const unsigned char cross_process_filters[] = {
#embed "looks/cross-process.filters"
};
static const unsigned char cyanotype_filters[] = {
#embed "looks/cyanotype.filters"
};
static const unsigned char day_for_night_filters[] = {
#embed "looks/day-for-night.filters"
};
static const unsigned char duotone_filters[] = {
#embed "looks/duotone.filters"
};
static const unsigned char film_noir_filters[] = {
#embed "looks/film-noir.filters"
};
static const unsigned char golden_hour_filters[] = {
#embed "looks/golden-hour.filters"
};
static const unsigned char high_key_filters[] = {
#embed "looks/high-key.filters"
};
static const unsigned char infrared_filters[] = {
#embed "looks/infrared.filters"
};
static const unsigned char instant_photo_filters[] = {
#embed "looks/instant-photo.filters"
};
static const unsigned char low_key_filters[] = {
#embed "looks/low-key.filters"
};
static const unsigned char moonlight_filters[] = {
#embed "looks/moonlight.filters"
};
static const unsigned char newsprint_filters[] = {
#embed "looks/newsprint.filters"
};
static const unsigned char night_scope_filters[] = {
#embed "looks/night-scope.filters"
};
static const unsigned char oil_painting_filters[] = {
#embed "looks/oil-painting.filters"
};
static const unsigned char orton_filters[] = {
#embed "looks/orton.filters"
};
static const unsigned char pastel_filters[] = {
#embed "looks/pastel.filters"
};
static const unsigned char pop_art_filters[] = {
#embed "looks/pop-art.filters"
};
static const unsigned char silver_screen_filters[] = {
#embed "looks/silver-screen.filters"
};
static const unsigned char soft_focus_filters[] = {
#embed "looks/soft-focus.filters"
};
static const unsigned char surveillance_filters[] = {
#embed "looks/surveillance.filters"
};
static const unsigned char teal_orange_filters[] = {
#embed "looks/teal-orange.filters"
};
static const unsigned char two_strip_filters[] = {
#embed "looks/two-strip.filters"
};
static const unsigned char vhs_tape_filters[] = {
#embed "looks/vhs-tape.filters"
};

static const SVLookFile files[] = {
    {"antique.filters", antique_filters, sizeof antique_filters},
    {"bleach-bypass.filters", bleach_bypass_filters, sizeof bleach_bypass_filters},
    {"blueprint.filters", blueprint_filters, sizeof blueprint_filters},
    {"chalkboard.filters", chalkboard_filters, sizeof chalkboard_filters},
    {"charcoal.filters", charcoal_filters, sizeof charcoal_filters},
    {"cold-winter.filters", cold_winter_filters, sizeof cold_winter_filters},
    {"comic-book.filters", comic_book_filters, sizeof comic_book_filters},
    {"cross-process.filters", cross_process_filters, sizeof cross_process_filters},
    {"cyanotype.filters", cyanotype_filters, sizeof cyanotype_filters},
    {"day-for-night.filters", day_for_night_filters, sizeof day_for_night_filters},
    {"duotone.filters", duotone_filters, sizeof duotone_filters},
    {"film-noir.filters", film_noir_filters, sizeof film_noir_filters},
    {"golden-hour.filters", golden_hour_filters, sizeof golden_hour_filters},
    {"high-key.filters", high_key_filters, sizeof high_key_filters},
    {"infrared.filters", infrared_filters, sizeof infrared_filters},
    {"instant-photo.filters", instant_photo_filters, sizeof instant_photo_filters},
    {"low-key.filters", low_key_filters, sizeof low_key_filters},
    {"moonlight.filters", moonlight_filters, sizeof moonlight_filters},
    {"newsprint.filters", newsprint_filters, sizeof newsprint_filters},
    {"night-scope.filters", night_scope_filters, sizeof night_scope_filters},
    {"oil-painting.filters", oil_painting_filters, sizeof oil_painting_filters},
    {"orton.filters", orton_filters, sizeof orton_filters},
    {"pastel.filters", pastel_filters, sizeof pastel_filters},
    {"pop-art.filters", pop_art_filters, sizeof pop_art_filters},
    {"silver-screen.filters", silver_screen_filters, sizeof silver_screen_filters},
    {"soft-focus.filters", soft_focus_filters, sizeof soft_focus_filters},
    {"surveillance.filters", surveillance_filters, sizeof surveillance_filters},
    {"teal-orange.filters", teal_orange_filters, sizeof teal_orange_filters},
    {"two-strip.filters", two_strip_filters, sizeof two_strip_filters},
    {"vhs-tape.filters", vhs_tape_filters, sizeof vhs_tape_filters},
};
