internal import CPango

/// Returns the CSS and X11 colour of this name, as 0xFFRRGGBB; nil for any other text.
package func color(named name: String) -> UInt32? {
    var color = PangoColor()
    // Pango also reads numbers, which are not names.
    guard name.first?.isLetter == true, pango_color_parse(&color, name) != 0 else { return nil }
    return 0xFF00_0000 | UInt32(color.red >> 8) << 16 | UInt32(color.green >> 8) << 8 | UInt32(color.blue >> 8)
}
