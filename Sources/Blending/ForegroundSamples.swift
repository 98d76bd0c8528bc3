// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

/// A foreground in the samples of YUV frames, for modes whose formula is linear in the pixel: b + (f − b) · w of colours is
/// the same of their luma, and of the chroma of pixels that share it with the mean of their weights, if that of f is their
/// mean by the same weights. It is converted once for each way in which its pixels may share chroma, and kept. One thread
/// at a time may use it.
package final class ForegroundSamples {
    private var kept: [Key: ConvertedForeground] = [:]

    private struct Key: Hashable {
        let format: FrameFormat
        let colorimetry: Colorimetry
        /// The first pixel's place among those that share chroma.
        let column: Int
        let row: Int
    }

    /// The most pixels that are kept converted: 16 megapixels.
    private static let mostPixels = 1 << 24

    package init() {}

    /// Returns whether a mode can be done in the samples of a frame: chroma is shared by visible pixels alone, side by side
    /// and one above the other.
    static func suit(_ frame: FrameImage, _ mode: BlendMode) -> Bool {
        guard let chroma = frame.format.planes.last, frame.format.isYUV, frame.format.shift == nil else { return false }
        let window = frame.window
        return (mode == .normal || mode == .average) && !(frame.isInterlaced && chroma.rows == 2)
            && window.x % chroma.columns == 0 && window.width % chroma.columns == 0
            && window.y % chroma.rows == 0 && window.height % chroma.rows == 0
    }

    /// Returns a picture converted for its place in a frame for which `suit` is true; nil if it is too large.
    /// - Parameter weights: as large as the picture.
    func converted(
        _ picture: PlanarImage, weights: Image?, for frame: FrameImage, x: Int, y: Int, kernels: any KernelSet
    ) -> ConvertedForeground? {
        guard let chroma = frame.format.planes.last,
            !picture.bounds.height.multipliedReportingOverflow(by: picture.bounds.width).overflow,
            picture.bounds.height * picture.bounds.width <= Self.mostPixels
        else { return nil }
        // Sizes of what is shared are 1 or 2.
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

/// A foreground in the samples of a YUV format.
final class ConvertedForeground {
    /// The picture, below and to the right of what is left free of the first samples of chroma.
    let samples: FrameImage
    /// The weight of each sample, 0…255, in its place; nil if all are 255.
    private(set) var weights: FrameImage?
    private var memory: [UnsafeMutableRawPointer] = []

    /// - Parameters:
    ///   - column: the picture's place in the frame `samples`; `row` likewise.
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
        let place = Rectangle(x: column, y: row, width: picture.bounds.width, height: picture.bounds.height)
        convert(picture, at: place, kernels)
        guard weights != nil || place != samples.bounds else { return }
        let (ofSamples, more) = frame()
        self.weights = ofSamples
        memory += more
        weigh(picture, weights, at: place, into: ofSamples)
    }

    deinit { for part in memory { part.deallocate() } }

    private func convert(_ picture: PlanarImage, at place: Rectangle, _ kernels: any KernelSet) {
        let strips = YUVStrip(kernels: kernels)
        samples.forEachStrip(of: samples.bounds) { strip in
            let first = max(strip.x, place.x)
            let count = min(strip.x + strip.width, place.x + place.width) - first
            for row in 0..<strip.rowCount where 0..<place.height ~= strip.row(row) - place.y && count > 0 {
                let from = picture.row(strip.row(row) - place.y, from: first - place.x)
                for (plane, bytes) in [from.red, from.green, from.blue].enumerated() {
                    (strips.colors(row) + (plane * YUVStrip.plane + first - strip.x)).update(from: bytes, count: count)
                }
            }
            strips.store(strip, into: samples, masked: false)
        }
    }

    /// Fills the weights, and corrects chroma where pixels that share it differ in weight.
    private func weigh(_ picture: PlanarImage, _ weights: Image?, at place: Rectangle, into output: FrameImage) {
        func weight(_ x: Int, _ y: Int) -> Int {
            guard 0..<place.width ~= x - place.x, 0..<place.height ~= y - place.y else { return 0 }
            return weights.map { Int($0.row(y - place.y)[x - place.x]) } ?? 255
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
                var (sum, least, most) = (0, 255, 0)
                var mean = (red: 0, green: 0, blue: 0)
                for row in y * blue.rows..<(y + 1) * blue.rows {
                    for column in x * blue.columns..<(x + 1) * blue.columns {
                        let one = weight(column, row)
                        (sum, least, most) = (sum + one, min(least, one), max(most, one))
                        guard one > 0 else { continue }
                        let color = picture.row(row - place.y, from: column - place.x)
                        mean.red += one * Int(color.red[0])
                        mean.green += one * Int(color.green[0])
                        mean.blue += one * Int(color.blue[0])
                    }
                }
                let pixels = blue.rows * blue.columns
                let ofBoth = UInt8((sum + pixels / 2) / pixels)
                (ofBlue.row(y)[x * ofBlue.step], ofRed.row(y)[x * ofRed.step]) = (ofBoth, ofBoth)
                guard least < most else { continue }
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
    /// Blends a converted foreground over a YUV frame.
    /// - Parameters:
    ///   - part: the pixels that foreground and frame have in common.
    ///   - x: place of the foreground's left edge in the frame; `y` likewise of its top edge.
    ///   - opacity: above 0, at most 1.
    func blend(
        _ foreground: ConvertedForeground, onto frame: FrameImage, part: Rectangle, x: Int, y: Int, mode: BlendMode,
        opacity: Float
    ) {
        guard let chroma = frame.format.planes.last else { return }
        // All of the pixels that share chroma with those of the part.
        let (left, right) = (part.x / chroma.columns, (part.x + part.width + chroma.columns - 1) / chroma.columns)
        let (top, bottom) = (part.y / chroma.rows, (part.y + part.height + chroma.rows - 1) / chroma.rows)
        let rows = frame.window.y + top * chroma.rows..<frame.window.y + bottom * chroma.rows
        // Samples of the foreground begin where those of the frame do, at or before its first pixel.
        let (across, down) = ((x & ~(chroma.columns - 1)), frame.window.y + (y & ~(chroma.rows - 1)))
        share(rows, width: part.width) { band, blender in
            for (plane, layout) in frame.format.planes.enumerated() {
                let begin = left * chroma.columns
                let offset = (frame.window.x + begin) / layout.columns * layout.unitBytes
                let own = (begin - across) / layout.columns * layout.unitBytes
                let count = layout.units(width: (right - left) * chroma.columns) * layout.unitBytes
                func row(_ frame: FrameImage, _ row: Int, _ offset: Int) -> UnsafeMutablePointer<UInt8> {
                    (frame.planes[plane].base + (row * frame.planes[plane].stride + offset))
                        .assumingMemoryBound(to: UInt8.self)
                }
                for line in band.lowerBound / layout.rows..<band.upperBound / layout.rows {
                    let ownLine = line - down / layout.rows
                    blender.blendSamples(
                        row(frame, line, offset), row(foreground.samples, ownLine, own),
                        foreground.weights.map { UnsafePointer(row($0, ownLine, own)) }, mode, opacity, count)
                }
            }
        }
    }

    /// Blends samples, each by its weight, all by 255 if there are none.
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

    /// Blends at most a tile of samples, each by its weight.
    /// - Parameter weights: not used unless `range`, their bounds, is mixed.
    func blendSamples(
        _ background: UnsafeMutablePointer<UInt8>, _ foreground: UnsafePointer<UInt8>, _ weights: UnsafePointer<UInt8>,
        _ range: WeightRange, _ mode: BlendMode, _ opacity: Float, _ count: Int
    ) {
        if range.most == 0 { return }
        if range.least == 255 {
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
