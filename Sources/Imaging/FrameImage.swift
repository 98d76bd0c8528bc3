// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// A view of a video frame of any format in memory that someone else owns. It is valid only as long as that memory (the
/// mapping), and copying it copies no pixels. Positions are in pixels from the top left of what is visible, even where
/// that begins in the middle of a unit of chroma.
package struct FrameImage {
    /// Address of a plane, and the bytes from one of its rows to the next.
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
    /// The whole frame's planes in GStreamer's order.
    package let planes: [Plane]
    /// Visible part of the frame: where it begins within the planes, in pixels, and its size.
    package let window: Rectangle
    /// The shape in which its pixels are shown.
    package let pixelAspect: PixelAspect
    /// True if rows of chroma in 4:2:0 belong to fields: the first to rows 0 and 2, the second to rows 1 and 3.
    package let isInterlaced: Bool
    /// Kernels that draw on it.
    package var kernels: any KernelSet = Processor.kernels

    /// Views a frame of `width` x `height` pixels. Sizes that make no sense (negative ones, a stride shorter than a row,
    /// a plane too few, products beyond `Int`) give an empty frame.
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

    /// A packed picture as a frame.
    package init(_ image: Image, colorimetry: Colorimetry? = nil) {
        self.init(
            FrameFormat(image.format), width: image.width, height: image.height,
            planes: [Plane(base: image.base, stride: image.stride)], colorimetry: colorimetry)
    }

    private init(_ whole: FrameImage, window: Rectangle) {
        format = whole.format
        colorimetry = whole.colorimetry
        planes = whole.planes
        isInterlaced = whole.isInterlaced
        pixelAspect = whole.pixelAspect
        kernels = whole.kernels
        self.window = window
    }

    @inlinable package var width: Int { window.width }
    @inlinable package var height: Int { window.height }
    @inlinable package var isEmpty: Bool { window.isEmpty }

    /// The whole visible frame as a rectangle.
    @inlinable package var bounds: Rectangle { Rectangle(width: width, height: height) }

    /// The part of the frame inside `rectangle`, without a copy; empty if they have nothing in common.
    package func cropped(to rectangle: Rectangle) -> FrameImage {
        var part = bounds.intersection(rectangle)
        if part.isEmpty { part = Rectangle(width: 0, height: 0) }
        part.x += window.x
        part.y += window.y
        return FrameImage(self, window: part)
    }

    /// The frame as a packed picture, if that is what it is.
    package var packed: Image? {
        guard let pixels = format.packed, let plane = planes.first else { return nil }
        return Image(
            base: plane.base, width: window.x + width, height: window.y + height, stride: plane.stride, format: pixels
        ).cropped(to: window)
    }
}

// MARK: - Channels

extension FrameImage {
    /// All samples of one kind; for chroma one for each unit, fewer than pixels.
    package struct Channel {
        /// The first sample. It must not be read if the channel is empty.
        package let base: UnsafeMutablePointer<UInt8>
        /// Bytes from one sample to the next in a row.
        package let step: Int
        /// Bytes from one row to the next.
        package let stride: Int
        /// Samples in a row, and rows.
        package let width: Int
        package let height: Int
        /// Pixels that a sample stands for, side by side and one above the other.
        package let columns: Int
        package let rows: Int

        @inlinable package var isEmpty: Bool { width <= 0 || height <= 0 }

        /// The first sample of row `y`, which must be in 0 ..< height.
        @inlinable package func row(_ y: Int) -> UnsafeMutablePointer<UInt8> { base + y &* stride }
    }

    /// The samples of one kind, if the format has them. Cropped frames have the samples of every unit that they touch.
    package func channel(_ sample: FrameFormat.Sample) -> Channel? {
        for (layout, plane) in zip(format.planes, planes) {
            guard let place = layout.samples.firstIndex(of: sample) else { continue }
            let isLuma = sample == .luma
            // In YUY2 and UYVY, the second pixel's luma is two bytes on.
            let columns = isLuma ? 1 : layout.columns
            let step = isLuma ? layout.unitBytes / layout.columns : layout.unitBytes
            let (x, y) = (window.x / columns, window.y / layout.rows)
            return Channel(
                base: (plane.base + (y &* plane.stride &+ x &* step &+ place &* layout.sampleBytes))
                    .assumingMemoryBound(to: UInt8.self),
                step: step, stride: plane.stride,
                width: isEmpty ? 0 : (window.x + width - 1) / columns - x + 1,
                height: isEmpty ? 0 : (window.y + height - 1) / layout.rows - y + 1, columns: columns, rows: layout.rows
            )
        }
        return nil
    }

    /// Luma as a grey picture, where the frame has luma with nothing between.
    package var luma: Image? {
        guard let channel = channel(.luma), channel.step == 1 else { return nil }
        return Image(
            base: channel.base, width: channel.width, height: channel.height, stride: channel.stride, format: .gray8)
    }

    /// Copies luma as it is stored, or computes it from RGB as OpenCV does: (9798 R + 19235 G + 3735 B) / 2¹⁵, rounded.
    /// - Parameter output: GRAY8, else nothing happens. If the sizes differ, the common part is copied.
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

/// Copies samples that are `step` bytes apart so that they are adjacent.
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

/// Copies adjacent samples to places `step` bytes apart.
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
