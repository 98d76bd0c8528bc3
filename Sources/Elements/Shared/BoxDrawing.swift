// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging

extension FrameImage {
    /// The default line width in pixels: 1/240 of the frame's shorter side, at least 1. Lines of this width are clearly
    /// visible, but hide little of the image.
    var usualLineWidth: Int { max(1, (min(width, height) + 120) / 240) }

    /// Draws a box around an object. A gap of one line width separates the box from the object, so that the box does
    /// not hide the object. At the edge of the frame, the box has no gap.
    /// - Parameters:
    ///   - lineWidth: the line width in pixels; nil for `usualLineWidth`.
    ///   - dash: the length of each dash and of each gap, in pixels; nil for a solid line.
    /// - Returns: the outer rectangle of the box.
    @discardableResult
    func drawBox(around object: Rectangle, lineWidth: Int? = nil, dash: Int? = nil, color: Color) -> Rectangle {
        let lineWidth = lineWidth ?? usualLineWidth
        let box = surrounding(object, by: 2 * lineWidth)
        outline(box, lineWidth: lineWidth, dash: dash, color: color)
        return box
    }

    /// Returns the rectangle extended by a margin on every side, but not beyond the frame.
    private func surrounding(_ object: Rectangle, by margin: Int) -> Rectangle {
        func grown(_ start: Int, _ length: Int, in room: Int) -> (start: Int, length: Int) {
            // Do not extend rectangles that are not completely inside the frame.
            guard start >= 0, length > 0, length <= room, start <= room - length else { return (start, length) }
            let first = max(0, start - margin)
            return (first, min(room, start + length + margin) - first)
        }
        let (x, width) = grown(object.x, object.width, in: self.width)
        let (y, height) = grown(object.y, object.height, in: self.height)
        return Rectangle(x: x, y: y, width: width, height: height)
    }
}
