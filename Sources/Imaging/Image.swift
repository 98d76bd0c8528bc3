// SPDX-License-Identifier: LGPL-2.1-or-later
/// A view of an image, such as a mapped video frame. The caller owns the memory. The view is valid only while the
/// memory is valid (mapped). A copy of the view refers to the same pixels.
package struct Image {
    /// The first byte of the first row. If the image is empty, do not read it.
    package let base: UnsafeMutableRawPointer
    /// Number of pixels in a row, ≥ 0.
    package let width: Int
    /// Number of rows, ≥ 0.
    package let height: Int
    /// Number of bytes from the start of a row to the start of the next row. At least `rowBytes`.
    package let stride: Int
    package let format: PixelFormat

    /// Creates a view of `height` rows of `width` pixels. The image is empty if the sizes are invalid: a size is
    /// negative, the stride is shorter than a row, or a product overflows `Int`.
    package init(base: UnsafeMutableRawPointer, width: Int, height: Int, stride: Int, format: PixelFormat) {
        let row = max(0, width).multipliedReportingOverflow(by: format.bytesPerPixel)
        let all = max(0, height).multipliedReportingOverflow(by: max(0, stride))
        let isSound = width > 0 && height > 0 && !row.overflow && !all.overflow && row.partialValue <= stride
        self.base = base
        self.width = isSound ? width : 0
        self.height = isSound ? height : 0
        self.stride = isSound ? stride : 0
        self.format = format
    }

    @inlinable package var isEmpty: Bool { height == 0 }

    /// The rectangle of the whole image. Its position is (0, 0).
    @inlinable package var bounds: Rectangle { Rectangle(width: width, height: height) }

    /// Size of a row in bytes, without padding.
    @inlinable package var rowBytes: Int { width &* format.bytesPerPixel }

    /// Returns the address of row `y`, 0 ..< height.
    @inlinable package func row(_ y: Int) -> UnsafeMutablePointer<UInt8> {
        (base + y &* stride).assumingMemoryBound(to: UInt8.self)
    }

    /// Returns the part of the image inside `rectangle`, without a copy. If the rectangle is outside of the image, the
    /// part is empty.
    package func cropped(to rectangle: Rectangle) -> Image {
        let part = bounds.intersection(rectangle)
        guard !part.isEmpty else { return Image(base: base, width: 0, height: 0, stride: 0, format: format) }
        return Image(
            base: base + (part.y &* stride &+ part.x &* format.bytesPerPixel), width: part.width, height: part.height,
            stride: stride, format: format)
    }

    /// Returns a view of the same bytes in another format. If the formats differ in the number of bytes per pixel,
    /// returns the image unchanged.
    package func viewed(as format: PixelFormat) -> Image {
        guard format.bytesPerPixel == self.format.bytesPerPixel else { return self }
        return Image(base: base, width: width, height: height, stride: stride, format: format)
    }
}
