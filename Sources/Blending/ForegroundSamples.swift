// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

/// Converts a foreground image to the samples of YUV frames, for modes that are linear in the pixel values. For these
/// modes, b + (f − b) · w gives the same result in RGB and in YUV. In this formula, b is the background, f is the
/// foreground, and w is the weight of the foreground. For a chroma sample, w is the mean weight of the sample's pixels,
/// and f is the weighted mean colour of these pixels. An instance is for one foreground image, and caches one
/// conversion per chroma alignment. Only one thread at a time may use an instance.
package final class ForegroundSamples {
    private var kept: [Key: ConvertedForeground] = [:]

    private struct Key: Hashable {
        let format: FrameFormat
        let colorimetry: Colorimetry
        /// Column and row (`row`) of the foreground's first pixel within its chroma sample, each 0 or 1.
        let column: Int
        let row: Int
    }

    /// Maximum number of pixels of a foreground to convert (16 megapixels).
    private static let maxPixels = 1 << 24

    package init() {}

    /// Returns true if `mode` can be blended directly in the YUV samples of the frame. This requires that the visible
    /// part of the frame contains only whole chroma samples. In addition, a chroma sample of two rows must cover
    /// adjacent rows, which is not the case in interlaced frames.
    static func suit(_ frame: FrameImage, _ mode: BlendMode) -> Bool {
        guard let chroma = frame.format.planes.last, frame.format.isYUV, frame.format.shift == nil else { return false }
        let window = frame.window
        return (mode == .normal || mode == .average) && !(frame.isInterlaced && chroma.rows == 2)
            && window.x % chroma.columns == 0 && window.width % chroma.columns == 0
            && window.y % chroma.rows == 0 && window.height % chroma.rows == 0
    }

    /// Returns the image, converted to the YUV samples of the frame. (x, y) is the position of the image in the frame.
    /// `suit` must be true for the frame. Returns nil if the image is too large.
    /// - Parameter weights: weights of the same size as the image; nil if all weights are 255.
    func converted(
        _ picture: PlanarImage, weights: Image?, for frame: FrameImage, x: Int, y: Int, kernels: any KernelSet
    ) -> ConvertedForeground? {
        guard let chroma = frame.format.planes.last,
            !picture.bounds.height.multipliedReportingOverflow(by: picture.bounds.width).overflow,
            picture.bounds.height * picture.bounds.width <= Self.maxPixels
        else { return nil }
        // A chroma sample covers 1 or 2 columns and 1 or 2 rows. So a bit mask computes the position within a chroma
        // sample.
        let key = Key(
            format: frame.format, colorimetry: frame.colorimetry, column: x & (chroma.columns - 1),
            row: y & (chroma.rows - 1))
        if let converted = kept[key] { return converted }
        if kept.keys.contains(where: { $0.format != key.format || $0.colorimetry != key.colorimetry }) { kept = [:] }
        let converted = ConvertedForeground(
            picture, weights: weights, format: key.format, colorimetry: key.colorimetry, column: key.column,
            row: key.row, kernels: kernels)
        kept[key] = converted
        return converted
    }
}

/// A foreground image, converted to the samples of a YUV format.
final class ConvertedForeground {
    /// The converted image. Its first pixel is at (`column`, `row`), so that the chroma samples match the chroma
    /// samples of the frame.
    let samples: FrameImage
    /// The weight of each sample, 0…255, in the same layout as `samples`; nil if all weights are 255.
    private(set) var weights: FrameImage?
    private var memory: [UnsafeMutableRawPointer] = []

    /// - Parameters:
    ///   - column: the column of the image's first pixel within `samples`. `row` is the row of this pixel.
    fileprivate init(
        _ picture: PlanarImage, weights: Image?, format: FrameFormat, colorimetry: Colorimetry, column: Int, row: Int,
        kernels: any KernelSet
    ) {
        let chroma = format.planes.last
        let (columns, rows) = (chroma?.columns ?? 1, chroma?.rows ?? 1)
        let width = (column + picture.bounds.width + columns - 1) / columns * columns
        let height = (row + picture.bounds.height + rows - 1) / rows * rows
        func frame() -> (FrameImage, [UnsafeMutableRawPointer]) {
            let planes = format.planes.map { plane in
                let rowBytes = plane.units(width: width) * plane.unitBytes
                let size = rowBytes * plane.unitRows(height: height)
                let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, size), alignment: 64)
                memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
                return FrameImage.Plane(base: memory, stride: rowBytes)
            }
            return (
                FrameImage(format, width: width, height: height, planes: planes, colorimetry: colorimetry),
                planes.map(\.base)
            )
        }
        (samples, memory) = frame()
        let area = Rectangle(x: column, y: row, width: picture.bounds.width, height: picture.bounds.height)
        convert(picture, at: area, kernels)
        guard weights != nil || area != samples.bounds else { return }
        let (ofSamples, more) = frame()
        self.weights = ofSamples
        memory += more
        weigh(picture, weights, at: area, into: ofSamples)
    }

    deinit { for part in memory { part.deallocate() } }

    private func convert(_ picture: PlanarImage, at area: Rectangle, _ kernels: any KernelSet) {
        let strips = YUVStrip(kernels: kernels)
        samples.forEachStrip(of: samples.bounds) { strip in
            let first = max(strip.x, area.x)
            let count = min(strip.x + strip.width, area.x + area.width) - first
            for row in 0..<strip.rowCount where 0..<area.height ~= strip.row(row) - area.y && count > 0 {
                let from = picture.row(strip.row(row) - area.y, from: first - area.x)
                for (plane, bytes) in [from.red, from.green, from.blue].enumerated() {
                    (strips.colors(row) + (plane * YUVStrip.plane + first - strip.x)).update(from: bytes, count: count)
                }
            }
            strips.store(strip, into: samples, masked: false)
        }
    }

    /// Computes the weight of each sample. If the pixels of a chroma sample have different weights, also computes the
    /// chroma sample again, from the weighted mean colour of these pixels.
    private func weigh(_ picture: PlanarImage, _ weights: Image?, at area: Rectangle, into output: FrameImage) {
        func weight(_ x: Int, _ y: Int) -> Int {
            guard 0..<area.width ~= x - area.x, 0..<area.height ~= y - area.y else { return 0 }
            return weights.map { Int($0.row(y - area.y)[x - area.x]) } ?? 255
        }
        guard let luma = output.channel(.luma), let ofBlue = output.channel(.chromaBlue),
            let ofRed = output.channel(.chromaRed), let blue = samples.channel(.chromaBlue),
            let red = samples.channel(.chromaRed)
        else { return }
        for y in 0..<luma.height {
            let row = luma.row(y)
            for x in 0..<luma.width { row[x * luma.step] = UInt8(weight(x, y)) }
        }
        for y in 0..<blue.height {
            for x in 0..<blue.width {
                var (sum, minimum, maximum) = (0, 255, 0)
                var mean = (red: 0, green: 0, blue: 0)
                for row in y * blue.rows..<(y + 1) * blue.rows {
                    for column in x * blue.columns..<(x + 1) * blue.columns {
                        let pixelWeight = weight(column, row)
                        (sum, minimum, maximum) = (
                            sum + pixelWeight, min(minimum, pixelWeight), max(maximum, pixelWeight)
                        )
                        guard pixelWeight > 0 else { continue }
                        let color = picture.row(row - area.y, from: column - area.x)
                        mean.red += pixelWeight * Int(color.red[0])
                        mean.green += pixelWeight * Int(color.green[0])
                        mean.blue += pixelWeight * Int(color.blue[0])
                    }
                }
                let pixels = blue.rows * blue.columns
                let ofBoth = UInt8((sum + pixels / 2) / pixels)
                (ofBlue.row(y)[x * ofBlue.step], ofRed.row(y)[x * ofRed.step]) = (ofBoth, ofBoth)
                guard minimum < maximum else { continue }
                let color = Color(
                    Double(mean.red) / Double(sum), Double(mean.green) / Double(sum), Double(mean.blue) / Double(sum))
                let chroma = samples.colorimetry.samples(of: color)
                blue.row(y)[x * blue.step] = byte(chroma.chromaBlue)
                red.row(y)[x * red.step] = byte(chroma.chromaRed)
            }
        }
    }
}

extension Blender {
    /// Blends a converted foreground over a YUV frame, in place.
    /// - Parameters:
    ///   - part: the part of the frame that the foreground covers.
    ///   - x: position of the foreground's left edge in the frame. `y` is the position of its top edge.
    ///   - opacity: above 0, at most 1.
    func blend(
        _ foreground: ConvertedForeground, onto frame: FrameImage, part: Rectangle, x: Int, y: Int, mode: BlendMode,
        opacity: Float
    ) {
        guard let chroma = frame.format.planes.last else { return }
        // Extend `part` to whole chroma samples.
        let (left, right) = (part.x / chroma.columns, (part.x + part.width + chroma.columns - 1) / chroma.columns)
        let (top, bottom) = (part.y / chroma.rows, (part.y + part.height + chroma.rows - 1) / chroma.rows)
        let rows = frame.window.y + top * chroma.rows..<frame.window.y + bottom * chroma.rows
        // The position of the first pixel of `foreground.samples` in the frame. This pixel begins a chroma sample, so
        // it may be one pixel before the first pixel of the foreground image.
        let (across, down) = ((x & ~(chroma.columns - 1)), frame.window.y + (y & ~(chroma.rows - 1)))
        share(rows, width: part.width) { band, blender in
            for (plane, layout) in frame.format.planes.enumerated() {
                let begin = left * chroma.columns
                let offset = (frame.window.x + begin) / layout.columns * layout.unitBytes
                let foregroundOffset = (begin - across) / layout.columns * layout.unitBytes
                let count = layout.units(width: (right - left) * chroma.columns) * layout.unitBytes
                func row(_ frame: FrameImage, _ row: Int, _ offset: Int) -> UnsafeMutablePointer<UInt8> {
                    (frame.planes[plane].base + (row * frame.planes[plane].stride + offset))
                        .assumingMemoryBound(to: UInt8.self)
                }
                for line in band.lowerBound / layout.rows..<band.upperBound / layout.rows {
                    let foregroundLine = line - down / layout.rows
                    blender.blendSamples(
                        row(frame, line, offset), row(foreground.samples, foregroundLine, foregroundOffset),
                        foreground.weights.map { UnsafePointer(row($0, foregroundLine, foregroundOffset)) }, mode,
                        opacity, count)
                }
            }
        }
    }

    /// Blends samples. Each sample has its own weight. Without `weights`, all weights are 255.
    func blendSamples(
        _ background: UnsafeMutablePointer<UInt8>, _ foreground: UnsafePointer<UInt8>, _ weights: UnsafePointer<UInt8>?,
        _ mode: BlendMode, _ opacity: Float, _ count: Int
    ) {
        guard let weights else {
            return blendEvenly(background, foreground, mode, weight: UInt8(opacity * 255 + 0.5), count)
        }
        for start in stride(from: 0, to: count, by: Self.tile) {
            let length = min(Self.tile, count - start)
            blendSamples(
                background + start, foreground + start, weights + start,
                kernels.rangeOfWeights(weights + start, count: length), mode, opacity, length)
        }
    }

    /// Blends at most `tile` samples, with a weight for each sample.
    /// - Parameter weights: ignored if `range`, the bounds of the weights, is (255, 255) or (0, 0).
    func blendSamples(
        _ background: UnsafeMutablePointer<UInt8>, _ foreground: UnsafePointer<UInt8>, _ weights: UnsafePointer<UInt8>,
        _ range: WeightRange, _ mode: BlendMode, _ opacity: Float, _ count: Int
    ) {
        if range.maximum == 0 { return }
        if range.minimum == 255 {
            return blendEvenly(background, foreground, mode, weight: UInt8(opacity * 255 + 0.5), count)
        }
        var weights = weights
        if opacity < 1 {
            pixelWeights.update(from: weights, count: count)
            kernels.scaleWeights(pixelWeights, opacity: opacity, count: count)
            weights = UnsafePointer(pixelWeights)
        }
        kernels.blendWeighted(
            mode: mode, background: background, foreground: foreground, weights: weights, scratch: scratch, count: count
        )
    }

    private func blendEvenly(
        _ background: UnsafeMutablePointer<UInt8>, _ foreground: UnsafePointer<UInt8>, _ mode: BlendMode, weight: UInt8,
        _ count: Int
    ) {
        if mode == .normal, weight == 255 {
            background.update(from: foreground, count: count)
        } else {
            kernels.blendBytes(
                mode: mode, background: background, foreground: foreground, weight: weight, scratch: scratch,
                count: count)
        }
    }
}
