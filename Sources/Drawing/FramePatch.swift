// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

/// Reads a part of a frame of any format as BGRA pixels. A caller can change these pixels and mix them back into the
/// frame. The instance reuses its memory for the next frame.
package final class FramePatch {
    /// The part of the frame from the last call of `read`, in pixels of the frame.
    package private(set) var area = Rectangle(width: 0, height: 0)
    /// The pixels of `area`, as BGRA if the frame has alpha, otherwise as BGRx. Valid until the next call of `read`.
    package private(set) var image: Image

    private let kernels: any KernelSet
    /// The pixels of `area`, and extra pixels to the left and right of `area` that share chroma samples with `area`.
    private let pixels = OwnedImage(.bgra)
    private let rows = OwnedImage(.gray8)
    private var planes: [StoredPlane] = []
    private var planesFormat: FrameFormat?
    /// Number of columns and rows, 0 or 1, by which `area` begins after the start of a chroma sample.
    private var lead = (columns: 0, rows: 0)

    /// - Parameter kernels: the kernels to use, by default the fastest for this processor; tests pass other kernels.
    package init(kernels: any KernelSet = Processor.kernels) {
        self.kernels = kernels
        image = pixels.image
    }

    /// Reads the part of `frame` inside `rectangle`. Chroma is not interpolated: all pixels of a chroma sample get the
    /// same chroma.
    package func read(_ frame: FrameImage, _ rectangle: Rectangle) {
        area = frame.bounds.intersection(rectangle)
        let pairs = frame.pairs(of: area)
        lead = (area.x + frame.window.x - pairs.x, area.y + frame.window.y - pairs.y)
        // Allocate a few extra bytes per row, because chroma samples at both ends may extend beyond `area`.
        rows.resize(width: area.width + 4, height: 8)
        pixels.resize(
            width: pairs.width, height: area.height, format: frame.format.packed?.alpha == nil ? .bgrx : .bgra)
        image = pixels.image.cropped(
            to: Rectangle(x: lead.columns, y: 0, width: area.width, height: area.height))
        guard !image.isEmpty else { return area = Rectangle(width: 0, height: 0) }
        let part = frame.cropped(to: area)
        if let packed = part.packed { readPacked(packed) } else { readYUV(part) }
    }

    private func readPacked(_ from: Image) {
        let format = from.format
        let bits: UInt32 = format.alpha == nil ? 0xFF00_0000 : 0
        for y in 0..<image.height {
            let (row, to) = (UnsafeMutableRawPointer(from.row(y)), UnsafeMutableRawPointer(image.row(y)))
            switch format.bytesPerPixel {
            case 1: kernels.grayToPixels(from.row(y), into: to, count: image.width)
            case 3:
                kernels.widenPixels(row, into: to, count: image.width)
                kernels.reorderPixels(to, order: format.orderToBGRA, bits: bits, into: to, count: image.width)
            default: kernels.reorderPixels(row, order: format.orderToBGRA, bits: bits, into: to, count: image.width)
            }
        }
    }

    private func readYUV(_ part: FrameImage) {
        guard let luma = part.channel(.luma), let blue = part.channel(.chromaBlue), let red = part.channel(.chromaRed)
        else { return }
        let (lumaRow, blueRow, redRow) = (rows.image.row(0), rows.image.row(1), rows.image.row(2))
        let weights = part.colorimetry.pixelWeights
        let first = blue.columns == 2 ? lead.columns : 0
        var last = -1
        for y in 0..<image.height {
            gather(luma.row(y), step: luma.step, to: lumaRow, count: image.width)
            let unit = (y + (blue.rows == 2 ? lead.rows : 0)) / blue.rows
            if unit != last {
                expand(blue, unit, into: blueRow)
                expand(red, unit, into: redRow)
                last = unit
            }
            kernels.yuvToPixels(
                lumaRow, blueRow + first, redRow + first, weights: weights, into: image.row(y), count: image.width)
        }
    }

    /// Copies each chroma sample of a row to all pixels that share the sample.
    private func expand(_ channel: FrameImage.Channel, _ y: Int, into output: UnsafeMutablePointer<UInt8>) {
        let row = channel.row(y)
        guard channel.columns == 2 else {
            return gather(row, step: channel.step, to: output, count: channel.width)
        }
        var x = 0
        while x < channel.width {
            let sample = row[x &* channel.step]
            output[2 &* x] = sample
            output[2 &* x &+ 1] = sample
            x &+= 1
        }
    }

    // MARK: - Back into the frame

    /// Mixes the changed pixels into the frame from which they were read. A sample becomes b + (p − b) · weight ·
    /// opacity, where b is the old value of the sample and p is the changed value. For a chroma sample, p comes from
    /// the mean colour of the sample's pixels, and the weight is the mean weight.
    /// - Parameters:
    ///   - weights: a GRAY8 image of the size of `area`. For other formats or sizes, nothing changes.
    ///   - opacity: 0…1; NaN counts as 0.
    package func mix(into frame: FrameImage, weights: Image, opacity: Double = 1) {
        let opacity = byte(opacity * 255)
        let pairs = frame.pairs(of: frame.bounds.intersection(area))
        guard !area.isEmpty, opacity > 0, weights.format.isGray, weights.width == area.width,
            weights.height == area.height, frame.bounds.intersection(area) == area,
            lead == (area.x + frame.window.x - pairs.x, area.y + frame.window.y - pairs.y)
        else { return }
        let format = frame.format
        prepare(format)
        if let packed = format.packed, let plane = planes.first {
            store(packed, plane)
        } else {
            storeYUV(frame)
        }
        let paint = StoredPaint(planes: planes, column: pairs.x, row: pairs.y)
        let shape = AlphaShape(bounds: area, alpha: weights.row(0), stride: weights.stride)
        Painter.paint(frame) { $0.paint(shape, paint, opacity: opacity) }
    }

    /// Allocates planes for the format, unless the current planes are large enough.
    private func prepare(_ format: FrameFormat) {
        let (width, height) = (pixels.image.width, (area.height + lead.rows + 1) & ~1)
        let fits =
            planesFormat == format
            && planes.allSatisfy { $0.columns >= width && $0.rows * $0.layout.rows >= height }
        guard !fits else { return }
        // Allocate more memory than necessary. The area often grows, for example if a person comes nearer to the
        // camera.
        planes = format.planes.map {
            StoredPlane($0, columns: (width + width / 8 + 1) & ~1, rows: (height + height / 8 + 1) & ~1)
        }
        planesFormat = format
    }

    private func store(_ format: PixelFormat, _ plane: StoredPlane) {
        let wide = UnsafeMutableRawPointer(rows.image.row(0))
        let luma = Colorimetry(.bt601, isFullRange: true).sampleWeights.luma
        for y in 0..<image.height {
            let (row, to) = (UnsafeMutableRawPointer(image.row(y)), plane.base + y * plane.stride)
            switch format.bytesPerPixel {
            case 1: kernels.weighPixels(row, weights: luma, into: to, count: image.width)
            case 3:
                kernels.reorderPixels(row, order: format.orderFromBGRA, bits: 0, into: wide, count: image.width)
                kernels.narrowPixels(wide, into: to, count: image.width)
            default: kernels.reorderPixels(row, order: format.orderFromBGRA, bits: 0, into: to, count: image.width)
            }
        }
    }

    private func storeYUV(_ frame: FrameImage) {
        repeatEnds()
        let weights = frame.colorimetry.sampleWeights
        let count = pixels.image.width
        let (line, quads) = (rows.image.row(0), UnsafeMutableRawPointer(rows.image.row(4)))
        var chroma: [(plane: StoredPlane, index: Int, weights: [Float])] = []
        for plane in planes {
            for (index, sample) in plane.layout.samples.enumerated() {
                if sample == .chromaBlue { chroma.append((plane, index, weights.chromaBlue)) }
                if sample == .chromaRed { chroma.append((plane, index, weights.chromaRed)) }
            }
            guard let index = plane.layout.samples.firstIndex(of: .luma) else { continue }
            let step = plane.layout.unitBytes / plane.layout.columns
            for y in 0..<area.height {
                kernels.weighPixels(pixels.image.row(y), weights: weights.luma, into: line, count: count)
                scatter(line, to: plane.base + ((y + lead.rows) * plane.stride + index), step: step, count: count)
            }
        }
        guard let layout = chroma.first?.plane.layout else { return }
        let (pixelRows, units) = (layout.rows, count / layout.columns)
        let first = pixelRows == 2 ? lead.rows : 0
        for unit in 0..<(area.height + first + pixelRows - 1) / pixelRows {
            let upper = max(0, unit * pixelRows - first)
            let lower = min(area.height - 1, unit * pixelRows - first + pixelRows - 1)
            var mean = UnsafeMutableRawPointer(pixels.image.row(upper))
            if layout.columns == 2 {
                kernels.averageQuads(mean, pixels.image.row(lower), into: quads, count: units)
                mean = quads
            }
            let row = pixelRows == 2 ? unit : unit + lead.rows
            for target in chroma {
                kernels.weighPixels(mean, weights: target.weights, into: line, count: units)
                let start = target.plane.base + (row * target.plane.stride + target.index)
                scatter(line, to: start, step: target.plane.layout.unitBytes, count: units)
            }
        }
    }

    /// `pixels` may contain extra pixels to the left and right of `area`. Copies the colour of the nearest pixel in
    /// `area` to each of them.
    private func repeatEnds() {
        let all = pixels.image
        for y in 0..<all.height {
            let row = UnsafeMutableRawPointer(all.row(y)).assumingMemoryBound(to: UInt32.self)
            if lead.columns > 0 { row[0] = row[1] }
            if lead.columns + area.width < all.width { row[all.width - 1] = row[all.width - 2] }
        }
    }
}

extension PixelFormat {
    /// The parameter `order` for the kernel `reorderPixels`: the offsets of blue, green, red and alpha in a pixel of
    /// this format.
    fileprivate var orderToBGRA: UInt32 {
        let indices = [blue, green, red, alpha ?? padding ?? 3]
        return indices.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    fileprivate var orderFromBGRA: UInt32 {
        (0..<4).reversed().reduce(0) { $0 << 8 | UInt32([blue, green, red].firstIndex(of: $1) ?? 3) }
    }
}
