// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging

extension FrameImage {
    /// Width in pixels of a clearly visible line that hides little: a 240th of the frame's shorter side, at least 1.
    var usualLineWidth: Int { max(1, (min(width, height) + 120) / 240) }

    /// Draws a box around an object: outside of its own rectangle and a line's width away from it, so that it hides
    /// nothing of the object. Where the frame leaves no room, it goes along the frame's edge.
    /// - Parameters:
    ///   - lineWidth: nil for the usual one.
    ///   - dash: the length of each dash and gap in pixels; nil for an unbroken line.
    /// - Returns: the rectangle that the box takes.
    @discardableResult
    func drawBox(around object: Rectangle, lineWidth: Int? = nil, dash: Int? = nil, color: Color) -> Rectangle {
        let lineWidth = lineWidth ?? usualLineWidth
        let box = surrounding(object, by: 2 * lineWidth)
        outline(box, lineWidth: lineWidth, dash: dash, color: color)
        return box
    }

    /// Returns a rectangle that is larger by a margin on every side, as far as the frame reaches.
    private func surrounding(_ object: Rectangle, by margin: Int) -> Rectangle {
        func grown(_ start: Int, _ length: Int, in room: Int) -> (start: Int, length: Int) {
            // What lies outside of the frame is drawn as it is.
            guard start >= 0, length > 0, length <= room, start <= room - length else { return (start, length) }
            let first = max(0, start - margin)
            return (first, min(room, start + length + margin) - first)
        }
        let (x, width) = grown(object.x, object.width, in: self.width)
        let (y, height) = grown(object.y, object.height, in: self.height)
        return Rectangle(x: x, y: y, width: width, height: height)
    }
}
