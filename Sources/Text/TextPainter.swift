// SPDX-License-Identifier: LGPL-2.1-or-later
internal import CPango
package import Drawing
package import Imaging

/// Makes stamps of texts in one font, to be drawn on frames: in any script and direction that the machine's fonts
/// support, since Pango lays the texts out and Cairo draws them. Repeated texts are cached.
///
/// A painter and its stamps belong to one thread at a time. Painters share nothing, so each thread may have its own.
package final class TextPainter {
    /// The largest width and height of a stamp in pixels.
    package static let largestSide = 4096
    /// The most Unicode scalars of a text that are drawn.
    package static let longestText = 1000
    /// The range of font sizes in pixels.
    private static let fontSizes = 1.0...500.0

    private let fontMap: UnsafeMutablePointer<PangoFontMap>
    private let context: OpaquePointer
    private let fontSize: Int
    /// The width of a pixel in rows.
    private let pixel: Double
    private var stamps: RecentCache<Key, Stamp>

    private struct Key: Hashable {
        let text: String
        let color: Color
        let outline: Int
        let maximumWidth: Int
    }

    /// - Parameters:
    ///   - font: family, style and size in Pango's notation (`pango_font_description_from_string`): "Sans Bold 12" in
    ///     points at 96 dpi, "Sans Bold 16px" in pixels. Sizes are clamped to 1…500 pixels. Other fonts replace an
    ///     unknown family, and supply the characters that a family lacks.
    ///   - usualSize: the size in pixels of a font without a size.
    ///   - pixelAspect: the shape of the pixels of the frames: sizes are in rows.
    ///   - cachedStamps: the most stamps that are kept.
    ///   - cachedBytes: the most memory that these take, approximately.
    /// - Returns: nil if the machine has no font at all; the package fonts-dejavu-core has one.
    package init?(
        font: String, usualSize: Double = 16, pixelAspect: PixelAspect = .square, cachedStamps: Int = 256,
        cachedBytes: Int = 16 << 20
    ) {
        let description = pango_font_description_from_string(font)
        defer { pango_font_description_free(description) }
        let size = Self.pixels(description, usual: usualSize)
        pango_font_description_set_absolute_size(description, size * Double(PANGO_SCALE))

        // The default font map belongs to a thread; a painter may move from one to another.
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

        // The same pixels whatever the desktop's settings, and no coloured fringes.
        let options = cairo_font_options_create()
        defer { cairo_font_options_destroy(options) }
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_ON)
        pango_cairo_context_set_font_options(context, options)

        // Without any font, Pango's sizes mean nothing.
        guard let anyFont = pango_context_load_font(context, description) else { return nil }
        g_object_unref(anyFont)
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(context))
        g_object_unref(fontMap)
    }

    /// Returns the picture of a text, the same object as long as it is cached. All lines have the same height, whatever
    /// letters of the font they have. Line breaks start new lines; other control characters are drawn as blanks. Lines
    /// that are too wide end with an ellipsis, and so does a text that is too long.
    /// - Parameters:
    ///   - color: the letters'; emoji have their own.
    ///   - outline: the width in rows of the outline around the letters, 0…100. It is black, or white around dark
    ///     letters, so that the text can be read on any background.
    ///   - maximumWidth: in pixels, including the outline.
    /// - Returns: nil if there is nothing to draw: no text, no room, no memory.
    package func stamp(
        _ text: String, color: Color, outline: Int = 0, maximumWidth: Int = TextPainter.largestSide
    ) -> Stamp? {
        let key = Key(
            text: Self.shortened(text), color: color.rounded, outline: min(100, max(0, outline)),
            maximumWidth: min(Self.largestSide, maximumWidth))
        if let stamp = stamps.value(for: key) { return stamp }
        guard let stamp = draw(key) else { return nil }
        // A stamp takes 5 bytes a pixel, and more for other formats: on I420 up to 4 versions of 1.5 bytes.
        stamps.store(stamp, for: key, cost: stamp.bounds.width * stamp.bounds.height * 11)
        return stamp
    }

    // MARK: - Drawing

    private func draw(_ key: Key) -> Stamp? {
        // The layout has square pixels.
        let room = Int(Double(max(0, key.maximumWidth)) * pixel) - 2 * key.outline
        guard room > 0, let layout = pango_layout_new(context) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
        pango_layout_set_text(layout, Self.printable(key.text), -1)
        var box = extent(of: layout)
        if box.width > room {
            // Only now, because lines from right to left are aligned to the right end of this width.
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
        // A surface with an error has no data.
        guard cairo_status(cairo) == CAIRO_STATUS_SUCCESS, let data = cairo_image_surface_get_data(surface) else {
            return nil
        }
        return Stamp(
            premultiplied: Image(
                base: data, width: width, height: height, stride: Int(cairo_image_surface_get_stride(surface)),
                format: Self.argb32))
    }

    /// Returns the number of pixels that a width in rows takes.
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
            cairo_scale(cairo, 1 / pixel, 1)
            cairo_move_to(cairo, x, y)
        }
        setSource(key.color)
        pango_cairo_show_layout(cairo, layout)
        // Last, so that letters, outline and emoji fade alike.
        cairo_set_operator(cairo, CAIRO_OPERATOR_DEST_IN)
        cairo_paint_with_alpha(cairo, key.color.opacity)
    }

    /// Returns the extent of the lines and of letters that reach beyond them, by one font size at most. In pixels.
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

    /// Cairo's 32-bit format, by the order of its bytes in memory.
    private static let argb32: PixelFormat = 1.littleEndian == 1 ? .bgra : .argb

    /// Returns a font's size in pixels, clamped to the possible range.
    private static func pixels(_ font: OpaquePointer?, usual: Double) -> Double {
        var size = usual
        if pango_font_description_get_set_fields(font).rawValue & PANGO_FONT_MASK_SIZE.rawValue != 0 {
            size = Double(pango_font_description_get_size(font)) / Double(PANGO_SCALE)
            if pango_font_description_get_size_is_absolute(font) == 0 { size *= 96 / 72 }
        }
        // In this order, NaN becomes the smallest size.
        return min(fontSizes.upperBound, max(fontSizes.lowerBound, size))
    }

    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        let scalars = text.unicodeScalars
        let start = scalars.prefix(longestText)
        return start.endIndex < scalars.endIndex ? String(start) + "…" : text
    }

    /// Returns the text with blanks for the control characters at which Pango would end or that it would draw as boxes.
    private static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            "\n\r\t".unicodeScalars.contains(scalar) || scalar.properties.generalCategory != .control ? scalar : " "
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// Returns the CSS and X11 colour of this name; nil for any other text.
package func color(named name: String) -> Color? {
    var color = PangoColor()
    // Pango also reads numbers, which are not names.
    guard name.first?.isLetter == true, pango_color_parse(&color, name) != 0 else { return nil }
    return Color(Double(color.red >> 8), Double(color.green >> 8), Double(color.blue >> 8))
}
