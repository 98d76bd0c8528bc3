// SPDX-License-Identifier: LGPL-2.1-or-later
/// A view of a picture in memory that someone else owns, such as a mapped video frame. It is valid only as long as that
/// memory (the mapping), and copying it copies no pixels.
package struct Image {
    /// The first byte of the first row. It must not be read if the image is empty.
    package let base: UnsafeMutableRawPointer
    /// Pixels in a row, ≥ 0.
    package let width: Int
    /// Rows, ≥ 0.
    package let height: Int
    /// Bytes from one row to the next, at least those of a row's pixels.
    package let stride: Int
    package let format: PixelFormat

    /// Views `height` rows of `width` pixels. Sizes that make no sense (negative ones, a stride shorter than a row,
    /// products beyond `Int`) give an empty image.
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

    /// The bytes of a row's pixels, without the stride's padding.
    @inlinable package var rowBytes: Int { width &* format.bytesPerPixel }

    /// The first byte of row `y`, which must be in 0 ..< height.
    @inlinable package func row(_ y: Int) -> UnsafeMutablePointer<UInt8> {
        (base + y &* stride).assumingMemoryBound(to: UInt8.self)
    }

    /// The part of the image inside `rectangle`, without a copy; empty if they have nothing in common.
    package func cropped(to rectangle: Rectangle) -> Image {
        let part = bounds.intersection(rectangle)
        guard !part.isEmpty else { return Image(base: base, width: 0, height: 0, stride: 0, format: format) }
        return Image(
            base: base + (part.y &* stride &+ part.x &* format.bytesPerPixel), width: part.width, height: part.height,
            stride: stride, format: format)
    }

    /// The same bytes as pixels of another format. Nothing changes unless it has as many bytes a pixel.
    package func viewed(as format: PixelFormat) -> Image {
        guard format.bytesPerPixel == self.format.bytesPerPixel else { return self }
        return Image(base: base, width: width, height: height, stride: stride, format: format)
    }
}
