import Pixels

/// Something that differs from the background of a frame. Lengths are in pixels of the full frame.
package struct Blob: Sendable, Hashable {
    package var box: Box
    /// Its corners in order.
    package var outline: [Point]
    /// The area of its own pixels.
    package var area: Double
    /// The mean of its own pixels, 0xFFRRGGBB.
    package var color: UInt32

    package init(box: Box, outline: [Point], area: Double, color: UInt32) {
        self.box = box
        self.outline = outline
        self.area = area
        self.color = color
    }
}
