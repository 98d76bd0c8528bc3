// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging
import Text

/// Writes texts on frames, in one font.
struct LabelWriter {
    private let font: String?
    private let usualSize: Int
    private let pixelAspect: PixelAspect
    private let painter: TextPainter

    /// - Parameters:
    ///   - font: Pango's description; nil for Sans.
    ///   - frame: the shape of the frames, which determines the size of the letters if the description has none.
    /// - Throws: if there is no font at all.
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

    /// Returns the writing for a font and frames of this shape; if `last` is not, a new one replaces it.
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

    /// Returns a legible size of letters in rows: a 40th of the frame's shorter side as it is shown, at least 11.
    private static func usualSize(_ frame: FrameShape) -> Int {
        let shown = frame.size(in: .square)
        return max(11, min(shown.width, shown.height) / 40)
    }

    /// Writes on a filled box beside a rectangle, in one line. Texts much longer than the rectangle are cut off.
    /// - Parameters:
    ///   - color: the box's.
    ///   - taken: the places of other labels; this one is added.
    ///   - objects: what had better be seen.
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

    /// Writes white on a black through which the picture is seen faintly, in the upper left corner.
    func label(inCornerOf frame: FrameImage, _ text: String, avoiding taken: inout [Rectangle]) {
        label(text, at: PixelSize.zero.bounds, on: frame, color: 0xB000_0000, avoiding: &taken)
    }
}
