// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

extension Blender {
    /// Pixels of a row that are keyed at once: few enough for many such pieces to be seen or transparent as a whole.
    private static let piece = 512

    /// Blends a keyed layer, for which `isDirect` is true, in the samples of a frame. By chroma, the matte of a sample of
    /// chroma is that of the pixels that share it, interpolated along rows of luma; by luma, a pixel's matte is its own, and
    /// what shares chroma is blended there by its mean.
    /// - Parameter below: the layer whose samples lie below this one's, if they are not in the frame.
    func mixSamples(
        of layer: FrameLayer, keyedBy key: Keyer, over below: FrameLayer?, into frame: FrameImage, band: Rectangle
    ) {
        let seen = layer.place.intersection(band)
        guard let chroma = frame.format.planes.last, !seen.isEmpty else { return }
        let (x, y) = (frame.window.x + seen.x, frame.window.y + seen.y)
        let job = KeyedJob(layer, key, below, frame, columns: x..<x + seen.width, rows: y..<y + seen.height)
        for row in y / chroma.rows..<chroma.unitRows(height: y + seen.height) {
            for unit in stride(from: job.units.lowerBound, to: job.units.upperBound, by: Self.piece / chroma.columns) {
                let units = unit..<min(job.units.upperBound, unit + Self.piece / chroma.columns)
                switch key.kind {
                case .chroma: mixByChroma(job, row: row, units: units)
                case .luma: mixByLuma(job, row: row, units: units)
                case .none: break
                }
            }
        }
    }

    /// Returns whether weights within these bounds have to be looked at.
    private func isMixed(_ range: WeightRange) -> Bool { range.least < 255 && range.most > 0 }

    private func mixByChroma(_ job: KeyedJob, row: Int, units: Range<Int>) {
        // Luma between two samples of chroma lies between their weights.
        let isInterpolated = job.columnsOfUnit == 2
        let before = isInterpolated ? min(1, units.lowerBound - job.units.lowerBound) : 0
        let after = isInterpolated ? min(1, job.units.upperBound - units.upperBound) : 0
        let (first, count) = (units.lowerBound - before, before + units.count + after)
        let all = keying.weights(0) + 1
        let samples = (keying.plane(0), keying.plane(1))
        if job.isPaired {
            kernels.keyPairs(
                job.samples(1, row: row, unit: first), numbers: job.numbers, into: samples.0, weights: all, count: count
            )
        } else {
            kernels.keySamples(
                job.samples(1, row: row, unit: first), job.samples(2, row: row, unit: first), numbers: job.numbers,
                into: samples.0, samples.1, weights: all, count: count)
        }
        let range = kernels.rangeOfWeights(all, count: count)
        let weights = all + before
        var ofLuma = weights
        if isInterpolated, isMixed(range) {
            if before == 0 { weights[-1] = weights[0] }
            if after == 0 { weights[units.count] = weights[units.count - 1] }
            ofLuma = keying.weights(1)
            kernels.interpolateWeights(weights, into: ofLuma, count: units.count)
        }
        for line in job.lumaRows(row) { blendLuma(job, line: line, units: units, weights: ofLuma, range) }
        if job.isPaired {
            blendPairs(job, row: row, units: units, samples.0 + 2 * before, weights: weights, range)
        } else {
            blendChroma(job, 1, row: row, units: units, samples.0 + before, weights: weights, range)
            blendChroma(job, 2, row: row, units: units, samples.1 + before, weights: weights, range)
        }
    }

    private func mixByLuma(_ job: KeyedJob, row: Int, units: Range<Int>) {
        let columns = job.pixels(of: units)
        let lines = job.lumaRows(row)
        let ofLuma = (keying.weights(0), keying.weights(1))
        var ofAll = WeightRange(least: 255, most: 0)
        for line in lines {
            let weights = line == lines.lowerBound ? ofLuma.0 : ofLuma.1
            kernels.keyLuma(
                job.luma(line, column: columns.lowerBound), numbers: job.numbers, into: weights, count: columns.count)
            // The last pixel of odd widths has the chroma of two.
            weights[columns.count] = weights[columns.count - 1]
            let range = kernels.rangeOfWeights(weights, count: columns.count)
            ofAll = (ofAll.least & range.least, ofAll.most | range.most)
            blendLuma(job, line: line, units: units, weights: weights, range)
        }
        var ofChroma = ofLuma.0
        if job.columnsOfUnit == 2, isMixed(ofAll) {
            ofChroma = keying.weights(2)
            kernels.averageFours(
                ofLuma.0, lines.count > 1 ? ofLuma.1 : ofLuma.0, into: ofChroma, count: units.count)
        }
        if job.isPaired {
            let pairs = job.samples(1, row: row, unit: units.lowerBound)
            blendPairs(job, row: row, units: units, pairs, weights: ofChroma, ofAll)
        } else {
            for plane in 1...2 {
                let samples = job.samples(plane, row: row, unit: units.lowerBound)
                blendChroma(job, plane, row: row, units: units, samples, weights: ofChroma, ofAll)
            }
        }
    }

    private func blendLuma(
        _ job: KeyedJob, line: Int, units: Range<Int>, weights: UnsafePointer<UInt8>, _ range: WeightRange
    ) {
        let columns = job.pixels(of: units)
        blend(
            job, 0, row: line, offset: columns.lowerBound, job.luma(line, column: columns.lowerBound), weights, range,
            count: columns.count)
    }

    private func blendChroma(
        _ job: KeyedJob, _ plane: Int, row: Int, units: Range<Int>, _ samples: UnsafePointer<UInt8>,
        weights: UnsafePointer<UInt8>, _ range: WeightRange
    ) {
        blend(job, plane, row: row, offset: units.lowerBound, samples, weights, range, count: units.count)
    }

    /// - Parameter weights: one for each pair.
    private func blendPairs(
        _ job: KeyedJob, row: Int, units: Range<Int>, _ pairs: UnsafePointer<UInt8>, weights: UnsafePointer<UInt8>,
        _ range: WeightRange
    ) {
        let ofPairs = keying.plane(2)
        if isMixed(range) { kernels.doubleBytes(weights, into: ofPairs, count: units.count) }
        blend(job, 1, row: row, offset: 2 * units.lowerBound, pairs, ofPairs, range, count: 2 * units.count)
    }

    /// Blends samples over those of the layer below or of the frame.
    /// - Parameter weights: not used unless `range` is mixed.
    private func blend(
        _ job: KeyedJob, _ plane: Int, row: Int, offset: Int, _ samples: UnsafePointer<UInt8>,
        _ weights: UnsafePointer<UInt8>, _ range: WeightRange, count: Int
    ) {
        let output = job.output(plane, row: row, offset: offset)
        if let below = job.below, range.least < 255 || !job.isReplacing {
            output.update(from: job.samples(of: below, plane, row: row, offset: offset), count: count)
        }
        blendSamples(output, samples, weights, range, job.layer.mode, job.layer.opacity, count)
    }
}

/// A keyed layer over a frame of its own format. Rows and columns are those of the frame's planes.
private struct KeyedJob {
    let layer: FrameLayer
    /// The layer whose samples lie below, if they are not in the frame.
    let below: FrameLayer?
    let frame: FrameImage
    let columns: Range<Int>
    let rows: Range<Int>
    let columnsOfUnit: Int
    let rowsOfUnit: Int
    /// Whether blue and red chroma are side by side.
    let isPaired: Bool
    /// For samples in the order in which the format has them.
    let numbers: KeyNumbers

    init(
        _ layer: FrameLayer, _ key: Keyer, _ below: FrameLayer?, _ frame: FrameImage, columns: Range<Int>,
        rows: Range<Int>
    ) {
        (self.layer, self.below, self.frame, self.columns, self.rows) = (layer, below, frame, columns, rows)
        let chroma = frame.format.planes.last
        (columnsOfUnit, rowsOfUnit) = (chroma?.columns ?? 1, chroma?.rows ?? 1)
        isPaired = frame.format.planes.count == 2
        let isBlueFirst = frame.format.planes.dropFirst().first?.samples.first == .chromaBlue
        var numbers = key.ofSamples
        if key.kind == .chroma, !isBlueFirst { swap(&numbers.first, &numbers.second) }
        self.numbers = numbers
    }

    /// True if all of the layer that is opaque hides what lies below.
    var isReplacing: Bool { layer.mode == .normal && layer.opacity == 1 }

    /// Samples of chroma in a row.
    var units: Range<Int> {
        columns.lowerBound / columnsOfUnit..<(columns.upperBound + columnsOfUnit - 1) / columnsOfUnit
    }

    /// The pixels of samples of chroma.
    func pixels(of units: Range<Int>) -> Range<Int> {
        units.lowerBound * columnsOfUnit..<min(columns.upperBound, units.upperBound * columnsOfUnit)
    }

    /// The rows that share a row of chroma.
    func lumaRows(_ row: Int) -> Range<Int> { (row * rowsOfUnit..<(row + 1) * rowsOfUnit).clamped(to: rows) }

    /// Returns a layer's bytes that belong to those of the frame.
    func samples(of layer: FrameLayer, _ plane: Int, row: Int, offset: Int) -> UnsafePointer<UInt8> {
        let (from, picture) = (layer.picture.planes[plane], layer.picture)
        let across = picture.window.x - layer.place.x - frame.window.x
        let down = picture.window.y - layer.place.y - frame.window.y
        let column = offset + (plane == 0 ? across : across / columnsOfUnit * (isPaired ? 2 : 1))
        let line = row + (plane == 0 ? down : down / rowsOfUnit)
        return UnsafePointer((from.base + (line * from.stride + column)).assumingMemoryBound(to: UInt8.self))
    }

    /// Returns the layer's chroma.
    func samples(_ plane: Int, row: Int, unit: Int) -> UnsafePointer<UInt8> {
        samples(of: layer, plane, row: row, offset: isPaired ? 2 * unit : unit)
    }

    /// Returns the layer's luma.
    func luma(_ row: Int, column: Int) -> UnsafePointer<UInt8> { samples(of: layer, 0, row: row, offset: column) }

    /// Returns bytes of the frame.
    func output(_ plane: Int, row: Int, offset: Int) -> UnsafeMutablePointer<UInt8> {
        (frame.planes[plane].base + (row * frame.planes[plane].stride + offset)).assumingMemoryBound(to: UInt8.self)
    }
}

// MARK: - Memory

/// What a blender needs for keyed pictures beyond what it needs for others.
final class KeyingRoom {
    /// Pixels of a row at most.
    static let width = 1024
    /// A row of weights may have one more, and a row of bytes four for each pixel.
    private static let step = 4 * width + 64

    private let memory: UnsafeMutablePointer<UInt8>

    init() {
        memory = .allocate(capacity: 8 * Self.step)
        memory.initialize(repeating: 0, count: 8 * Self.step)
    }

    deinit { memory.deallocate() }

    /// Weights of a row.
    /// - Parameter row: 0…2.
    func weights(_ row: Int) -> UnsafeMutablePointer<UInt8> { memory + min(max(0, row), 2) * Self.step }

    /// Bytes, `4 width` of them.
    /// - Parameter index: 0…4; 3 and 4 are those of `colors`.
    func plane(_ index: Int) -> UnsafeMutablePointer<UInt8> { memory + (3 + min(max(0, index), 4)) * Self.step }

    private static let ofColors = 1024 + 64

    /// Colours of a row that was keyed.
    /// - Parameter row: 0 or 1.
    func colors(_ row: Int) -> PlanarImage.Row {
        let red = plane(3 + (row & 1))
        return PlanarImage.Row(
            red: UnsafePointer(red), green: UnsafePointer(red + Self.ofColors),
            blue: UnsafePointer(red + 2 * Self.ofColors))
    }

    /// Computes `colors` and `weights` of a row.
    func key(_ from: PlanarImage.Row, by key: Keyer, row: Int, count: Int, _ kernels: some KernelSet) {
        kernels.keyColors(
            from.red, from.green, from.blue, numbers: key.ofColors, into: plane(3 + (row & 1)), plane: Self.ofColors,
            weights: weights(row & 1), count: min(count, Self.width))
    }

    /// Computes the matte of packed pixels.
    /// - Returns: the pixels without spill, in the same format; valid until the next call.
    func key(
        _ pixels: UnsafePointer<UInt8>, of format: PixelFormat, by key: Keyer,
        weights: UnsafeMutablePointer<UInt8>, count: Int, _ kernels: some KernelSet
    ) -> UnsafeMutablePointer<UInt8> {
        let count = min(count, Self.width)
        let output = plane(0)
        switch format.bytesPerPixel {
        case 1:
            kernels.keySamples(
                pixels, pixels, numbers: key.ofGray, into: output, plane(1), weights: weights, count: count)
        case 3:
            kernels.widenPixels(pixels, into: plane(1), count: count)
            kernels.keyPixels(
                plane(1), offsets: format.offsets, numbers: key.ofColors, into: plane(2), weights: weights,
                count: count)
            kernels.narrowPixels(plane(2), into: output, count: count)
        default:
            kernels.keyPixels(
                pixels, offsets: format.offsets, numbers: key.ofColors, into: output, weights: weights, count: count)
        }
        return output
    }
}
