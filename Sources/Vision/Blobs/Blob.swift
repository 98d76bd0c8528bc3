// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A connected area that differs from the background of a frame. Lengths are in pixels of the full frame.
package struct Blob: Sendable, Hashable {
    package var box: Box
    /// The corners of the outline, in order.
    package var outline: [Point]
    /// Area of the blob's pixels, in square pixels. Holes that are filled count.
    package var area: Double
    /// Mean colour of the blob's pixels, opaque, rounded to whole levels.
    package var color: Color

    package init(box: Box, outline: [Point], area: Double, color: Color) {
        (self.box, self.outline, self.area, self.color) = (box, outline, area, color)
    }
}
