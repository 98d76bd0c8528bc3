// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Something that differs from the background of a frame. Lengths are in pixels of the full frame.
package struct Blob: Sendable, Hashable {
    package var box: Box
    /// Corners in order.
    package var outline: [Point]
    /// Area of the blob's own pixels.
    package var area: Double
    /// Mean of the blob's own pixels, opaque and of whole levels.
    package var color: Color

    package init(box: Box, outline: [Point], area: Double, color: Color) {
        (self.box, self.outline, self.area, self.color) = (box, outline, area, color)
    }
}
