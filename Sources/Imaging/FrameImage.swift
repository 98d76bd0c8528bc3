// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// A view of a video frame of any format. The caller owns the memory. The view is valid only while the memory is valid
/// (mapped). A copy of the view refers to the same pixels. Positions are in pixels from the top left corner of the
/// visible part. The first visible pixel may share its chroma sample with a pixel outside of the visible part.
package struct FrameImage {
    /// A plane of the frame: its address, and the number of bytes from the start of a row to the start of the next row.
    package struct Plane {
        package let base: UnsafeMutableRawPointer
        package let stride: Int

        package init(base: UnsafeMutableRawPointer, stride: Int) {
            self.base = base
            self.stride = stride
        }
    }

    package let format: FrameFormat
    package let colorimetry: Colorimetry
    /// The planes of the whole frame, in GStreamer's order.
    package let planes: [Plane]
    /// The visible part of the frame, in pixels of the whole frame.
    package let window: Rectangle
    package let pixelAspect: PixelAspect
    /// True if the chroma rows of 4:2:0 belong to fields. In this case, the luma rows 0 and 2 share the first chroma
    /// row, and the luma rows 1 and 3 share the second chroma row.
    package let isInterlaced: Bool
    /// Kernels for functions that draw on the frame.
    package var kernels: any KernelSet = Processor.kernels

    /// Creates a view of a frame of `width` x `height` pixels. The frame is empty if the sizes are invalid: a size is
    /// negative, a stride is shorter than a row, a plane is missing, or a product overflows `Int`.
    package init(
        _ format: FrameFormat, width: Int, height: Int, planes: [Plane], colorimetry: Colorimetry? = nil,
        isInterlaced: Bool = false, pixelAspect: PixelAspect = .square
    ) {
        let fits =
            planes.count >= format.planes.count
            && zip(format.planes, planes).allSatisfy { layout, plane in
                let row = layout.units(width: width).multipliedReportingOverflow(by: layout.unitBytes)
                let all = layout.unitRows(height: height).multipliedReportingOverflow(by: max(0, plane.stride))
                return !row.overflow && !all.overflow && row.partialValue <= plane.stride
            }
        self.format = format
        self.planes = planes
        self.isInterlaced = isInterlaced
        self.pixelAspect = pixelAspect
        self.colorimetry = colorimetry ?? format.usualColorimetry
        let isSound = fits && width > 0 && height > 0
        window = Rectangle(width: isSound ? width : 0, height: isSound ? height : 0)
    }

    /// Creates a view of a packed image.
    package init(_ image: Image, colorimetry: Colorimetry? = nil) {
        self.init(
            FrameFormat(image.format), width: image.width, height: image.height,
            planes: [Plane(base: image.base, stride: image.stride)], colorimetry: colorimetry)
    }

    private init(_ frame: FrameImage, window: Rectangle) {
        format = frame.format
        colorimetry = frame.colorimetry
        planes = frame.planes
        isInterlaced = frame.isInterlaced
        pixelAspect = frame.pixelAspect
        kernels = frame.kernels
        self.window = window
    }

    @inlinable package var width: Int { window.width }
    @inlinable package var height: Int { window.height }
    @inlinable package var isEmpty: Bool { window.isEmpty }

    /// The rectangle of the visible part. Its position is (0, 0).
    @inlinable package var bounds: Rectangle { Rectangle(width: width, height: height) }

    /// Returns the part of the frame inside `rectangle`, without a copy. If the rectangle is outside of the frame, the
    /// part is empty.
    package func cropped(to rectangle: Rectangle) -> FrameImage {
        var part = bounds.intersection(rectangle)
        if part.isEmpty { part = Rectangle(width: 0, height: 0) }
        part.x += window.x
        part.y += window.y
        return FrameImage(self, window: part)
    }

    /// The frame as a packed image. Nil if the format is not packed.
    package var packed: Image? {
        guard let pixels = format.packed, let plane = planes.first else { return nil }
        return Image(
            base: plane.base, width: window.x + width, height: window.y + height, stride: plane.stride, format: pixels
        ).cropped(to: window)
    }
}

// MARK: - Channels

extension FrameImage {
    /// All samples of one channel. If pixels share a chroma sample, a chroma channel has fewer samples than pixels.
    package struct Channel {
        /// Address of the first sample. If the channel is empty, do not read it.
        package let base: UnsafeMutablePointer<UInt8>
        /// Number of bytes from a sample to the next sample of the row.
        package let step: Int
        /// Number of bytes from the start of a row to the start of the next row.
        package let stride: Int
        /// `width`: number of samples in a row. `height`: number of rows of samples.
        package let width: Int
        package let height: Int
        /// Each sample belongs to `columns` × `rows` pixels.
        package let columns: Int
        package let rows: Int

        @inlinable package var isEmpty: Bool { width <= 0 || height <= 0 }

        /// Returns the address of row `y`, 0 ..< height.
        @inlinable package func row(_ y: Int) -> UnsafeMutablePointer<UInt8> { base + y &* stride }
    }

    /// Returns the samples of a channel. Returns nil if the format does not have the channel. If several pixels share a
    /// sample, and at least one of these pixels is in the frame, the channel includes the sample.
    package func channel(_ sample: FrameFormat.Sample) -> Channel? {
        for (layout, plane) in zip(format.planes, planes) {
            guard let index = layout.samples.firstIndex(of: sample) else { continue }
            let isLuma = sample == .luma
            // In YUY2 and UYVY, the luma samples of neighbouring pixels are two bytes apart.
            let columns = isLuma ? 1 : layout.columns
            let step = isLuma ? layout.unitBytes / layout.columns : layout.unitBytes
            let (x, y) = (window.x / columns, window.y / layout.rows)
            return Channel(
                base: (plane.base + (y &* plane.stride &+ x &* step &+ index &* layout.sampleBytes))
                    .assumingMemoryBound(to: UInt8.self),
                step: step, stride: plane.stride,
                width: isEmpty ? 0 : (window.x + width - 1) / columns - x + 1,
                height: isEmpty ? 0 : (window.y + height - 1) / layout.rows - y + 1, columns: columns, rows: layout.rows
            )
        }
        return nil
    }

    /// Luma as a grey image. Nil if the frame has no luma, or if its luma samples are not adjacent.
    package var luma: Image? {
        guard let channel = channel(.luma), channel.step == 1 else { return nil }
        return Image(
            base: channel.base, width: channel.width, height: channel.height, stride: channel.stride, format: .gray8)
    }

    /// Copies luma to `output`. For RGB frames, computes luma like OpenCV: (9798 R + 19235 G + 3735 B) / 2¹⁵, rounded.
    /// If the sizes differ, copies only the columns and rows that both images have.
    /// - Parameter output: a GRAY8 image. If `output` has another format, the function does nothing.
    package func copyLuma(into output: Image) {
        let common = bounds.intersection(output.bounds)
        guard output.format.isGray, !common.isEmpty else { return }
        if let from = channel(.luma) {
            for y in 0..<common.height { gather(from.row(y), step: from.step, to: output.row(y), count: common.width) }
        } else if let red = channel(.red), let green = channel(.green), let blue = channel(.blue) {
            let step = red.step
            for y in 0..<common.height {
                let (r, g, b, to) = (red.row(y), green.row(y), blue.row(y), output.row(y))
                var x = 0
                while x < common.width {
                    let sum =
                        9798 &* UInt32(r[x &* step]) &+ 19235 &* UInt32(g[x &* step])
                        &+ 3735 &* UInt32(b[x &* step])
                    to[x] = UInt8(truncatingIfNeeded: (sum &+ 16384) >> 15)
                    x &+= 1
                }
            }
        }
    }
}

/// Copies samples to adjacent bytes. `step` is the number of bytes from a source sample to the next source sample.
package func gather(_ from: UnsafePointer<UInt8>, step: Int, to: UnsafeMutablePointer<UInt8>, count: Int) {
    if step == 1 {
        to.update(from: from, count: count)
        return
    }
    var x = 0
    while x < count {
        to[x] = from[x &* step]
        x &+= 1
    }
}

/// Copies adjacent bytes to separate addresses. `step` is the number of bytes from each of these addresses to the next.
package func scatter(_ from: UnsafePointer<UInt8>, to: UnsafeMutablePointer<UInt8>, step: Int, count: Int) {
    if step == 1 {
        to.update(from: from, count: count)
        return
    }
    var x = 0
    while x < count {
        to[x &* step] = from[x]
        x &+= 1
    }
}
