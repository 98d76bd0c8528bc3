// SPDX-License-Identifier: LGPL-2.1-or-later
internal import CProcessor
package import Imaging
package import KernelTypes

extension Blender {
    /// Blends `foreground` over a YUV frame, like `blend(_:onto:)` over RGB. The method converts the frame to RGB in
    /// strips, with the matrix and range of the frame. For linear modes, the method can blend directly in YUV samples
    /// instead. If the weight of a pixel is 0, its luma does not change. If the weights of all pixels of a chroma
    /// sample are 0, the sample does not change. Otherwise the sample becomes the chroma of the mean colour of its
    /// pixels.
    /// - Parameters:
    ///   - x: position of the foreground's left edge in the frame. `y` is the position of its top edge.
    ///   - opacity: clipped to 0…1; NaN counts as 0.
    ///   - weights: a GRAY8 image of the foreground's size. If the sizes differ, the common part is blended.
    ///   - samples: a cache for conversions of this foreground with these weights. Pass nil to blend in RGB for all
    ///     modes.
    package func blend(
        _ foreground: PlanarImage, onto frame: FrameImage, x: Int, y: Int, mode: BlendMode, opacity: Double,
        weights: Image? = nil, samples: ForegroundSamples? = nil
    ) {
        let opacity = opacity > 0 ? (opacity < 1 ? Float(opacity) : 1) : 0
        guard mode != .none, opacity > 0, weights?.format.isGray ?? true else { return }
        var part = foreground.bounds
        if let weights { part = part.intersection(weights.bounds) }
        (part.x, part.y) = (x, y)
        part = part.intersection(frame.bounds)
        guard !part.isEmpty else { return }
        let weight = UInt8(opacity * 255 + 0.5)
        guard weights != nil || weight > 0 else { return }
        if let samples, weights?.bounds ?? foreground.bounds == foreground.bounds, ForegroundSamples.suit(frame, mode),
            let converted = samples.converted(foreground, weights: weights, for: frame, x: x, y: y, kernels: kernels)
        {
            return blend(converted, onto: frame, part: part, x: x, y: y, mode: mode, opacity: opacity)
        }
        let job = YUVJob(
            foreground: foreground, frame: frame, weights: weights, x: x, y: y, part: part, mode: mode, opacity: opacity
        )
        share(job.rows, width: part.width) { rows, blender in blender.blendBand(job, rows) }
    }
}

/// The parameters for blending an image over a non-empty part of a YUV frame. The opacity is above 0.
private struct YUVJob {
    let foreground: PlanarImage
    let frame: FrameImage
    let weights: Image?
    /// Position of the foreground's first pixel in the planes of the frame, in pixels.
    let left: Int
    let top: Int
    /// The columns and rows to blend in the planes of the frame, in pixels.
    let columns: Range<Int>
    let rows: Range<Int>
    let mode: BlendMode
    let opacity: Float

    init(
        foreground: PlanarImage, frame: FrameImage, weights: Image?, x: Int, y: Int, part: Rectangle, mode: BlendMode,
        opacity: Float
    ) {
        (self.foreground, self.frame, self.weights, self.mode, self.opacity) = (
            foreground, frame, weights, mode, opacity
        )
        let (firstColumn, firstRow) = (frame.window.x + part.x, frame.window.y + part.y)
        (left, top) = (frame.window.x + x, frame.window.y + y)
        columns = firstColumn..<firstColumn + part.width
        rows = firstRow..<firstRow + part.height
    }

    /// The weight of all pixels; only for jobs without `weights`.
    var weight: UInt8 { UInt8(opacity * 255 + 0.5) }

    func columns(of strip: FrameImage.Strip) -> Range<Int> { columns.clamped(to: strip.x..<strip.x + strip.width) }
}

extension Blender {
    /// Blends a band of rows. The pixels of a chroma sample are never in two bands.
    private func blendBand(_ job: YUVJob, _ rows: Range<Int>) {
        let (frame, weight, isWeighted) = (job.frame, job.weight, job.weights != nil)
        prepareBytes(weight: weight)
        let strips = strips
        let part = Rectangle(
            x: job.columns.lowerBound - frame.window.x, y: rows.lowerBound - frame.window.y, width: job.columns.count,
            height: rows.count)
        frame.forEachStrip(of: part) { strip in
            let columns = job.columns(of: strip)
            let coversStrip = columns.count == strip.width && strip.rowsLie(in: job.rows)
            let isMasked = isWeighted || !coversStrip
            var maximum: (UInt8, UInt8) = (weight, weight)
            var minimum = maximum
            if isMasked {
                (minimum.0, maximum.0) = fillWeights(job, strip, 0)
                (minimum.1, maximum.1) = strip.rowCount == 2 ? fillWeights(job, strip, 1) : (0, 0)
            }
            guard maximum.0 | maximum.1 > 0 else { return }
            let isLast = columns.upperBound == job.columns.upperBound
            let first = columns.lowerBound - job.left
            /// Prefetches the foreground pixels of the next strip.
            func prefetchRow(_ row: Int) {
                let next = job.foreground.row(
                    strip.row(row) - job.top + (isLast ? strip.rowCount : 0),
                    from: isLast ? job.columns.lowerBound - job.left : first + columns.count)
                sv_prefetch(next.red, YUVStrip.width)
                sv_prefetch(next.green, YUVStrip.width)
                sv_prefetch(next.blue, YUVStrip.width)
            }
            strips.load(strip, of: frame)
            func blendRow(_ row: Int, minimum: UInt8) {
                prefetchRow(row)
                blendColors(
                    strips.colors(row) + (columns.lowerBound - strip.x), plane: YUVStrip.plane,
                    with: job.foreground.row(strip.row(row) - job.top, from: first),
                    weights: isWeighted ? strips.weights(row) + (columns.lowerBound - strip.x) : nil,
                    isFull: minimum == 255, job.mode, count: columns.count)
            }
            if maximum.0 > 0 { blendRow(0, minimum: minimum.0) }
            if maximum.1 > 0, strip.rowCount == 2 { blendRow(1, minimum: minimum.1) }
            strips.store(strip, into: frame, masked: isMasked)
        }
    }

    /// Writes the weights for a row of a strip. Returns bounds of the weights in the columns that the foreground
    /// covers.
    private func fillWeights(_ job: YUVJob, _ strip: FrameImage.Strip, _ row: Int) -> (minimum: UInt8, maximum: UInt8) {
        let (values, line, columns) = (strips.weights(row), strip.row(row), job.columns(of: strip))
        values.update(repeating: 0, count: strip.width)
        guard job.rows.contains(line) else { return (0, 0) }
        let inside = values + (columns.lowerBound - strip.x)
        guard let weights = job.weights else {
            inside.update(repeating: job.weight, count: columns.count)
            return (job.weight, job.weight)
        }
        inside.update(from: weights.row(line - job.top) + (columns.lowerBound - job.left), count: columns.count)
        if job.opacity < 1 { kernels.scaleWeights(inside, opacity: job.opacity, count: columns.count) }
        return kernels.rangeOfWeights(inside, count: columns.count)
    }
}
