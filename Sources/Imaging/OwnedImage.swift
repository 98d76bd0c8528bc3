// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// An image that owns its memory, without padding. It reuses the memory after a change of size if the memory is large
/// enough.
package final class OwnedImage {
    private var memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
    private var capacity = 64
    /// The image; valid until the next change of size, and while the owner lives.
    package private(set) var image: Image

    package init(_ format: PixelFormat, width: Int = 0, height: Int = 0) {
        image = Image(base: memory, width: 0, height: 0, stride: 0, format: format)
        resize(width: width, height: height)
    }

    deinit { memory.deallocate() }

    /// Resizes the image. Afterwards its contents are undefined, unless size and format are unchanged. Invalid sizes
    /// make the image empty.
    package func resize(width: Int, height: Int, format: PixelFormat? = nil) {
        let format = format ?? image.format
        guard image.width != width || image.height != height || image.format != format else { return }
        let row = max(0, width).multipliedReportingOverflow(by: format.bytesPerPixel)
        let all = row.partialValue.multipliedReportingOverflow(by: max(0, height))
        let isSound = !row.overflow && !all.overflow && all.partialValue <= Int(Int32.max)
        if isSound, all.partialValue > capacity {
            memory.deallocate()
            memory = .allocate(byteCount: all.partialValue, alignment: 64)
            memory.initializeMemory(as: UInt8.self, repeating: 0, count: all.partialValue)
            capacity = all.partialValue
        }
        image = Image(
            base: memory, width: isSound ? width : 0, height: height, stride: row.partialValue, format: format)
    }
}

extension OwnedImage {
    /// Replaces the image by `other` at half size: each pixel is the mean of four pixels, byte by byte. The last row or
    /// column of odd sizes is dropped. Nothing changes unless pixels have four bytes.
    package func halve(_ other: Image, kernels: any KernelSet = Processor.kernels) {
        guard other.format.bytesPerPixel == 4 else { return }
        resize(width: other.width / 2, height: other.height / 2, format: other.format)
        for y in 0..<image.height {
            kernels.averageQuads(
                other.row(2 * y), other.row(2 * y + 1), into: image.row(y), count: image.width)
        }
    }
}
