// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging
import Text

/// Draws texts onto frames, in one font.
struct LabelWriter {
    private let font: String?
    private let usualSize: Int
    private let pixelAspect: PixelAspect
    private let painter: TextPainter

    /// - Parameters:
    ///   - font: a Pango font description; nil for Sans.
    ///   - frame: the shape of the frames. The shape determines the font size if the font description contains no size.
    /// - Throws: `ElementError` if no font is installed.
    init(font: String?, frame: FrameShape) throws(ElementError) {
        self.font = font
        usualSize = Self.usualSize(frame)
        pixelAspect = frame.pixel
        guard
            let painter = TextPainter(font: font ?? "Sans", usualSize: Double(usualSize), pixelAspect: pixelAspect)
        else {
            throw ElementError(
                .notFound,
                "no font is installed. Install a font, such as the package fonts-dejavu-core, or draw no text "
                    + "(svoverlay labels=false fps=false, svblobclassify draw=false, svfilter reel=0).")
        }
        self.painter = painter
    }

    /// Returns a writer for the font and for frames of this shape. If `last` matches, returns `last`; otherwise stores
    /// a new writer in `last`.
    static func matching(_ last: inout LabelWriter?, font: String?, frame: FrameShape) throws(ElementError)
        -> LabelWriter
    {
        if let last, font == last.font, usualSize(frame) == last.usualSize, frame.pixel == last.pixelAspect {
            return last
        }
        let writing = try LabelWriter(font: font, frame: frame)
        last = writing
        return writing
    }

    /// Returns a legible font size, in pixel rows: 1/40 of the shorter side of the displayed frame, at least 11.
    private static func usualSize(_ frame: FrameShape) -> Int {
        let shown = frame.size(in: .square)
        return max(11, min(shown.width, shown.height) / 40)
    }

    /// Draws one line of text on a filled box next to a rectangle. Shortens a text that is wider than both the
    /// rectangle and half of the frame.
    /// - Parameters:
    ///   - color: the colour of the filled box. The text is black or white, depending on the luma of this colour.
    ///   - taken: the rectangles of previous labels. The function adds the rectangle of the new label.
    ///   - objects: rectangles of objects that the label should not hide if possible.
    func label(
        _ text: String, at rectangle: Rectangle, on frame: FrameImage, color: Color, avoiding taken: inout [Rectangle],
        objects: [Rectangle] = []
    ) {
        let margin = max(1, usualSize / 6)
        let room = max(rectangle.width, frame.width / 2) - 2 * margin
        let ink: Color = color.luma > 127.5 ? .black : .white
        guard let stamp = painter.stamp(text, color: ink, maximumWidth: room) else { return }
        taken.append(
            frame.label(stamp, at: rectangle, margin: margin, color: color, avoiding: taken, objects: objects))
    }

    /// Draws white text on a dark translucent box in the upper left corner of the frame.
    func label(inCornerOf frame: FrameImage, _ text: String, avoiding taken: inout [Rectangle]) {
        label(text, at: PixelSize.zero.bounds, on: frame, color: 0xB000_0000, avoiding: &taken)
    }
}
