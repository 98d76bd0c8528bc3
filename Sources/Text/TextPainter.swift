// SPDX-License-Identifier: LGPL-2.1-or-later
internal import CPango
package import Drawing
package import Imaging

/// Creates stamps (small images) of texts in one font. Pango computes the layout, and Cairo draws the letters. So texts
/// may use all scripts that the fonts of the computer support, and may run from left to right or from right to left.
/// The painter caches its stamps.
///
/// Only one thread at a time may use a painter and its stamps. Different threads can use different painters.
package final class TextPainter {
    /// Maximum width and height of a stamp, in pixels.
    package static let largestSide = 4096
    /// Maximum length of a text in Unicode scalars. A longer text is truncated.
    package static let longestText = 1000
    /// Font sizes are clamped to this range, in pixels.
    private static let fontSizes = 1.0...500.0

    private let fontMap: UnsafeMutablePointer<PangoFontMap>
    private let context: OpaquePointer
    private let fontSize: Int
    /// The width of a pixel divided by its height.
    private let pixel: Double
    private var stamps: RecentCache<Key, Stamp>

    private struct Key: Hashable {
        let text: String
        let color: Color
        let outline: Int
        let maximumWidth: Int
    }

    /// - Parameters:
    ///   - font: family, style and size in Pango's format (`pango_font_description_from_string`). Examples are "Sans
    ///     Bold 12" (points at 96 dpi) and "Sans Bold 16px" (pixels). Sizes are clamped to 1…500 pixels. If the
    ///     computer does not have the family or a character, Pango uses other fonts.
    ///   - usualSize: the size in pixels, if `font` contains no size.
    ///   - pixelAspect: the aspect ratio of the frames' pixels. Font sizes are heights in pixel rows.
    ///   - cachedStamps: maximum number of cached stamps.
    ///   - cachedBytes: approximate maximum memory of the cached stamps.
    /// - Returns: nil if the computer has no font. The package fonts-dejavu-core contains fonts.
    package init?(
        font: String, usualSize: Double = 16, pixelAspect: PixelAspect = .square, cachedStamps: Int = 256,
        cachedBytes: Int = 16 << 20
    ) {
        let description = pango_font_description_from_string(font)
        defer { pango_font_description_free(description) }
        let size = Self.pixels(description, usual: usualSize)
        pango_font_description_set_absolute_size(description, size * Double(PANGO_SCALE))

        // The default font map belongs to one thread, but a painter may be used in several threads. So create a
        // separate font map.
        guard let fontMap = pango_cairo_font_map_new() else { return nil }
        guard let context = pango_font_map_create_context(fontMap) else {
            g_object_unref(fontMap)
            return nil
        }
        self.fontMap = fontMap
        self.context = context
        fontSize = Int(size)
        pixel = pixelAspect.ratio
        stamps = RecentCache(maximumCount: cachedStamps, maximumCost: cachedBytes)
        pango_context_set_font_description(context, description)

        // Set all options, so that the settings of the desktop do not change the pixels. Grey antialiasing prevents
        // coloured edges of letters.
        let options = cairo_font_options_create()
        defer { cairo_font_options_destroy(options) }
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_ON)
        pango_cairo_context_set_font_options(context, options)

        // Check that the computer has a font, because without fonts Pango returns invalid sizes.
        guard let anyFont = pango_context_load_font(context, description) else { return nil }
        g_object_unref(anyFont)
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(context))
        g_object_unref(fontMap)
    }

    /// Returns the stamp (a small image) of a text. If the stamp is already in the cache, returns the cached object.
    /// The height of a line does not depend on its letters. Line breaks start new lines, and other control characters
    /// become spaces. If a line is too wide, or the text is too long, an ellipsis replaces its end.
    /// - Parameters:
    ///   - color: the colour of the letters. Emoji keep their colours.
    ///   - outline: the width of the outline around the letters, in pixel rows, 0…100. The outline is black, or white
    ///     around dark letters, so that the text is readable on any background.
    ///   - maximumWidth: the maximum width of the stamp with its outline, in pixels.
    /// - Returns: nil if the text has no visible characters, or if `maximumWidth` or the memory is not sufficient.
    package func stamp(
        _ text: String, color: Color, outline: Int = 0, maximumWidth: Int = TextPainter.largestSide
    ) -> Stamp? {
        let key = Key(
            text: Self.shortened(text), color: color.rounded, outline: min(100, max(0, outline)),
            maximumWidth: min(Self.largestSide, maximumWidth))
        if let stamp = stamps.value(for: key) { return stamp }
        guard let stamp = draw(key) else { return nil }
        // A stamp needs 5 bytes per pixel, and additional memory for each frame format in which it is drawn. For
        // example, I420 can need 4 versions with 1.5 bytes per pixel. So 11 bytes per pixel are counted.
        stamps.store(stamp, for: key, cost: stamp.bounds.width * stamp.bounds.height * 11)
        return stamp
    }

    // MARK: - Drawing

    private func draw(_ key: Key) -> Stamp? {
        // Convert the maximum width from the frame's pixels, which may not be square, to the square pixels of the
        // layout.
        let room = Int(Double(max(0, key.maximumWidth)) * pixel) - 2 * key.outline
        guard room > 0, let layout = pango_layout_new(context) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
        pango_layout_set_text(layout, Self.printable(key.text), -1)
        var box = extent(of: layout)
        if box.width > room {
            // Set the width of the layout only if a line is too wide. Otherwise, Pango would align right-to-left lines
            // to the right end of this width.
            pango_layout_set_width(layout, Int32(room) * PANGO_SCALE)
            pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
            box = extent(of: layout)
        }
        guard !box.isEmpty else { return nil }

        let width = columns(of: min(box.width, room) + 2 * key.outline)
        let height = min(box.height + 2 * key.outline, Self.largestSide)
        let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height))
        defer { cairo_surface_destroy(surface) }
        let cairo = cairo_create(surface)
        defer { cairo_destroy(cairo) }
        cairo_scale(cairo, 1 / pixel, 1)
        cairo_move_to(cairo, Double(key.outline - box.x), Double(key.outline - box.y))
        paint(layout, key, cairo)
        cairo_surface_flush(surface)
        // If drawing has failed, the surface has no data.
        guard cairo_status(cairo) == CAIRO_STATUS_SUCCESS, let data = cairo_image_surface_get_data(surface) else {
            return nil
        }
        return Stamp(
            premultiplied: Image(
                base: data, width: width, height: height, stride: Int(cairo_image_surface_get_stride(surface)),
                format: Self.argb32))
    }

    /// Converts a width in pixel rows to a number of pixels.
    private func columns(of width: Int) -> Int { max(1, Int((Double(width) / pixel).rounded(.up))) }

    private func paint(_ layout: OpaquePointer, _ key: Key, _ cairo: OpaquePointer?) {
        func setSource(_ color: Color) {
            cairo_set_source_rgb(cairo, color.red / 255, color.green / 255, color.blue / 255)
        }
        if key.outline > 0 {
            setSource(key.color.luma < 127.5 ? .white : .black)
            cairo_set_line_width(cairo, Double(2 * key.outline))
            cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
            var (x, y) = (0.0, 0.0)
            cairo_get_current_point(cairo, &x, &y)
            pango_cairo_layout_path(cairo, layout)
            cairo_stroke(cairo)
            cairo_move_to(cairo, x, y)
        }
        setSource(key.color)
        pango_cairo_show_layout(cairo, layout)
        // Apply the opacity last, so that letters, outline and emoji get the same opacity.
        cairo_set_operator(cairo, CAIRO_OPERATOR_DEST_IN)
        cairo_paint_with_alpha(cairo, key.color.opacity)
    }

    /// Returns the bounding box of the lines in pixels. The box also includes parts of letters that extend beyond the
    /// lines, but only up to a distance of one font size.
    private func extent(of layout: OpaquePointer) -> Rectangle {
        var (ink, lines) = (PangoRectangle(), PangoRectangle())
        pango_layout_get_pixel_extents(layout, &ink, &lines)
        let (x, width) = union(lines.x, lines.width, ink.x, ink.width)
        let (y, height) = union(lines.y, lines.height, ink.y, ink.height)
        return Rectangle(x: x, y: y, width: width, height: height)
    }

    private func union(_ start: Int32, _ length: Int32, _ ink: Int32, _ inkLength: Int32) -> (start: Int, length: Int) {
        let (start, end) = (Int(start), Int(start) + Int(length))
        guard length > 0, inkLength > 0 else { return (start, end - start) }
        let first = max(start - fontSize, min(start, Int(ink)))
        let last = min(end + fontSize, max(end, Int(ink) + Int(inkLength)))
        return (first, last - first)
    }

    // MARK: - Input of any kind

    /// The pixel format of Cairo's 32-bit surfaces, whose pixels are integers in native byte order. The names of pixel
    /// formats list the bytes in memory order.
    private static let argb32: PixelFormat = 1.littleEndian == 1 ? .bgra : .argb

    /// Returns the size of a font in pixels, clamped to `fontSizes`.
    private static func pixels(_ font: OpaquePointer?, usual: Double) -> Double {
        var size = usual
        if pango_font_description_get_set_fields(font).rawValue & PANGO_FONT_MASK_SIZE.rawValue != 0 {
            size = Double(pango_font_description_get_size(font)) / Double(PANGO_SCALE)
            if pango_font_description_get_size_is_absolute(font) == 0 { size *= 96 / 72 }
        }
        // With this order of `min` and `max`, NaN becomes the smallest size.
        return min(fontSizes.upperBound, max(fontSizes.lowerBound, size))
    }

    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        let scalars = text.unicodeScalars
        let start = scalars.prefix(longestText)
        return start.endIndex < scalars.endIndex ? String(start) + "…" : text
    }

    /// Replaces control characters by spaces. At a control character, Pango would end the text or draw a box.
    private static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            "\n\r\t".unicodeScalars.contains(scalar) || scalar.properties.generalCategory != .control ? scalar : " "
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// Returns the colour with this CSS or X11 name. Returns nil for any other text.
package func color(named name: String) -> Color? {
    var color = PangoColor()
    // Pango also accepts colours such as "#ff0000", which are not names.
    guard name.first?.isLetter == true, pango_color_parse(&color, name) != 0 else { return nil }
    return Color(Double(color.red >> 8), Double(color.green >> 8), Double(color.blue >> 8))
}
