internal import CPango
package import Imaging

/// Returns the CSS and X11 colour of this name; nil for any other text.
package func color(named name: String) -> Color? {
    var color = PangoColor()
    // Pango also reads numbers, which are not names.
    guard name.first?.isLetter == true, pango_color_parse(&color, name) != 0 else { return nil }
    return Color(Double(color.red >> 8), Double(color.green >> 8), Double(color.blue >> 8))
}
