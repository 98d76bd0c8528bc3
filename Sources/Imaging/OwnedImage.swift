// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// An image that owns its memory, without padding. When its size changes, the image allocates new memory only if its
/// memory is too small.
package final class OwnedImage {
    private var memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
    private var capacity = 64
    /// The image. The image is valid until its size changes, and only while this object exists.
    package private(set) var image: Image

    package init(_ format: PixelFormat, width: Int = 0, height: Int = 0) {
        image = Image(base: memory, width: 0, height: 0, stride: 0, format: format)
        resize(width: width, height: height)
    }

    deinit { memory.deallocate() }

    /// Resizes the image. If the size or the format changes, the contents become undefined. If the size is invalid, the
    /// image becomes empty.
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
    /// Replaces the image by `other` at half the width and height. Each byte of a pixel is the mean of the
    /// corresponding bytes of four pixels in `other`. If a side of `other` is odd, the last row or column is omitted.
    /// If the pixels of `other` do not have four bytes, does nothing.
    package func halve(_ other: Image, kernels: any KernelSet = Processor.kernels) {
        guard other.format.bytesPerPixel == 4 else { return }
        resize(width: other.width / 2, height: other.height / 2, format: other.format)
        for y in 0..<image.height {
            kernels.averageQuads(
                other.row(2 * y), other.row(2 * y + 1), into: image.row(y), count: image.width)
        }
    }
}
