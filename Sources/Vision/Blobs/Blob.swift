import Imaging

/// Something that differs from the background of a frame. Lengths are in pixels of the full frame.
package struct Blob: Sendable, Hashable {
    package var box: Box
    /// Corners in order.
    package var outline: [Point]
    /// Area of the blob's own pixels.
    package var area: Double
    /// Mean of the blob's own pixels, 0xFFRRGGBB.
    package var color: UInt32

    package init(box: Box, outline: [Point], area: Double, color: UInt32) {
        (self.box, self.outline, self.area, self.color) = (box, outline, area, color)
    }
}
