// SPDX-License-Identifier: LGPL-2.1-or-later
/// A view of an image, such as a mapped video frame. The caller owns the memory; the view is valid only while that
/// memory (the mapping) is valid. Copying the view copies no pixels.
package struct Image {
    /// The first byte of the first row. Do not read it if the image is empty.
    package let base: UnsafeMutableRawPointer
    /// Number of pixels in a row, ≥ 0.
    package let width: Int
    /// Number of rows, ≥ 0.
    package let height: Int
    /// Distance between rows in bytes, at least `rowBytes`.
    package let stride: Int
    package let format: PixelFormat

    /// Creates a view of `height` rows of `width` pixels. Invalid sizes (negative sizes, a stride shorter than a row,
    /// products that overflow `Int`) give an empty image.
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

    /// The whole image as a rectangle.
    @inlinable package var bounds: Rectangle { Rectangle(width: width, height: height) }

    /// Size of the pixels of a row in bytes, without padding.
    @inlinable package var rowBytes: Int { width &* format.bytesPerPixel }

    /// Returns the first byte of row `y`, which must be in 0 ..< height.
    @inlinable package func row(_ y: Int) -> UnsafeMutablePointer<UInt8> {
        (base + y &* stride).assumingMemoryBound(to: UInt8.self)
    }

    /// Returns the part of the image inside `rectangle`, without a copy; empty if the rectangle is outside of the
    /// image.
    package func cropped(to rectangle: Rectangle) -> Image {
        let part = bounds.intersection(rectangle)
        guard !part.isEmpty else { return Image(base: base, width: 0, height: 0, stride: 0, format: format) }
        return Image(
            base: base + (part.y &* stride &+ part.x &* format.bytesPerPixel), width: part.width, height: part.height,
            stride: stride, format: format)
    }

    /// Returns a view of the same bytes in another format. Returns the image unchanged if the number of bytes per pixel
    /// differs.
    package func viewed(as format: PixelFormat) -> Image {
        guard format.bytesPerPixel == self.format.bytesPerPixel else { return self }
        return Image(base: base, width: width, height: height, stride: stride, format: format)
    }
}
