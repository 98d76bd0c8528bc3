// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A connected area of a frame that differs from the background. Lengths are in pixels of the full frame.
package struct Blob: Sendable, Hashable {
    package var box: Box
    /// Corners of the outline, in order.
    package var outline: [Point]
    /// Area inside the outline, including holes, in square pixels.
    package var area: Double
    /// Mean colour of the blob's pixels. The colour is opaque, and each channel is rounded to a whole level (0…255).
    package var color: Color

    package init(box: Box, outline: [Point], area: Double, color: Color) {
        (self.box, self.outline, self.area, self.color) = (box, outline, area, color)
    }
}
