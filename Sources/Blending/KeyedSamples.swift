// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

extension Blender {
    /// Blends a keyed layer, for which `isDirect` is true, in the samples of a frame: a pixel's matte is that of the samples
    /// of chroma that it shares, or of its own luma; what shares chroma is blended there by its mean.
    func mixSamples(of layer: FrameLayer, keyedBy key: Keyer, into frame: FrameImage, band: Rectangle) {
        let seen = layer.place.intersection(band)
        guard let chroma = frame.format.planes.last, !seen.isEmpty else { return }
        let (x, y) = (frame.window.x + seen.x, frame.window.y + seen.y)
        let job = KeyedJob(layer, key, frame, columns: x..<x + seen.width, rows: y..<y + seen.height)
        for row in y / chroma.rows..<chroma.unitRows(height: y + seen.height) {
            for unit in stride(from: job.units.lowerBound, to: job.units.upperBound, by: Self.tile / chroma.columns) {
                let units = unit..<min(job.units.upperBound, unit + Self.tile / chroma.columns)
                switch key.kind {
                case .chroma: mixByChroma(job, row: row, units: units)
                case .luma: mixByLuma(job, row: row, units: units)
                case .none: break
                }
            }
        }
    }

    private func mixByChroma(_ job: KeyedJob, row: Int, units: Range<Int>) {
        let (count, weights) = (units.count, keying.weights(0))
        let without = (keying.plane(0), keying.plane(1))
        if job.isPaired {
            let pairs = (keying.plane(2), keying.plane(3))
            kernels.splitPairs(
                job.samples(1, row: row, unit: units.lowerBound), into: pairs.0, pairs.1, count: count)
            let (blue, red) = job.isBlueFirst ? (pairs.0, pairs.1) : (pairs.1, pairs.0)
            kernels.keySamples(
                blue, red, numbers: job.key.ofSamples, into: without.0, without.1, weights: weights, count: count)
        } else {
            kernels.keySamples(
                job.samples(job.isBlueFirst ? 1 : 2, row: row, unit: units.lowerBound),
                job.samples(job.isBlueFirst ? 2 : 1, row: row, unit: units.lowerBound), numbers: job.key.ofSamples,
                into: without.0, without.1, weights: weights, count: count)
        }
        guard kernels.rangeOfWeights(weights, count: count).most > 0 else { return }
        var ofLuma = weights
        if job.columnsOfUnit == 2 {
            ofLuma = keying.weights(1)
            kernels.doubleBytes(weights, into: ofLuma, count: count)
        }
        for line in job.lumaRows(row) { blendLuma(job, line: line, units: units, weights: ofLuma) }
        blendChroma(job, row: row, units: units, blue: without.0, red: without.1, weights: weights)
    }

    private func mixByLuma(_ job: KeyedJob, row: Int, units: Range<Int>) {
        let columns = job.pixels(of: units)
        let unused = (keying.plane(0), keying.plane(1))
        let lines = job.lumaRows(row)
        let ofLuma = (keying.weights(0), keying.weights(1))
        var most: UInt8 = 0
        for (index, line) in lines.enumerated() {
            let weights = index == 0 ? ofLuma.0 : ofLuma.1
            let luma = job.luma(line, column: columns.lowerBound)
            kernels.keySamples(
                luma, luma, numbers: job.key.ofSamples, into: unused.0, unused.1, weights: weights,
                count: columns.count)
            // The last pixel of odd widths has the chroma of two.
            weights[columns.count] = weights[columns.count - 1]
            most |= kernels.rangeOfWeights(weights, count: columns.count).most
        }
        guard most > 0 else { return }
        let second = lines.count > 1 ? ofLuma.1 : ofLuma.0
        var ofChroma = ofLuma.0
        if job.columnsOfUnit == 2 {
            ofChroma = keying.weights(2)
            kernels.averageFours(ofLuma.0, second, into: ofChroma, count: units.count)
        }
        for (index, line) in lines.enumerated() {
            blendLuma(job, line: line, units: units, weights: index == 0 ? ofLuma.0 : ofLuma.1)
        }
        let blue = keying.plane(0)
        let red = keying.plane(1)
        if job.isPaired {
            kernels.splitPairs(
                job.samples(1, row: row, unit: units.lowerBound), into: job.isBlueFirst ? blue : red,
                job.isBlueFirst ? red : blue, count: units.count)
        } else {
            blue.update(
                from: job.samples(job.isBlueFirst ? 1 : 2, row: row, unit: units.lowerBound), count: units.count)
            red.update(
                from: job.samples(job.isBlueFirst ? 2 : 1, row: row, unit: units.lowerBound), count: units.count)
        }
        blendChroma(job, row: row, units: units, blue: blue, red: red, weights: ofChroma)
    }

    private func blendLuma(_ job: KeyedJob, line: Int, units: Range<Int>, weights: UnsafePointer<UInt8>) {
        let columns = job.pixels(of: units)
        blendSamples(
            job.output(0, row: line, offset: columns.lowerBound), job.luma(line, column: columns.lowerBound), weights,
            job.layer.mode, job.layer.opacity, columns.count)
    }

    /// - Parameters:
    ///   - blue: samples of the layer; `red` likewise.
    ///   - weights: one for each of them.
    private func blendChroma(
        _ job: KeyedJob, row: Int, units: Range<Int>, blue: UnsafePointer<UInt8>, red: UnsafePointer<UInt8>,
        weights: UnsafePointer<UInt8>
    ) {
        let (first, second) = job.isBlueFirst ? (blue, red) : (red, blue)
        let (mode, opacity, count) = (job.layer.mode, job.layer.opacity, units.count)
        guard job.isPaired else {
            blendSamples(
                job.output(1, row: row, offset: units.lowerBound), first, weights, mode, opacity, count)
            blendSamples(
                job.output(2, row: row, offset: units.lowerBound), second, weights, mode, opacity, count)
            return
        }
        let (pairs, ofPairs) = (keying.plane(2), keying.plane(4))
        kernels.joinPairs(first, second, into: pairs, count: count)
        kernels.doubleBytes(weights, into: ofPairs, count: count)
        blendSamples(
            job.output(1, row: row, offset: 2 * units.lowerBound), pairs, ofPairs, mode, opacity, 2 * count)
    }
}

/// A keyed layer over a frame of its own format. Rows and columns are those of the frame's planes.
private struct KeyedJob {
    let layer: FrameLayer
    let key: Keyer
    let frame: FrameImage
    let columns: Range<Int>
    let rows: Range<Int>
    let columnsOfUnit: Int
    let rowsOfUnit: Int
    /// Whether blue and red chroma are side by side.
    let isPaired: Bool
    let isBlueFirst: Bool
    /// From a place in the frame to that of the same pixel in the layer.
    private let across: Int
    private let down: Int

    init(_ layer: FrameLayer, _ key: Keyer, _ frame: FrameImage, columns: Range<Int>, rows: Range<Int>) {
        (self.layer, self.key, self.frame, self.columns, self.rows) = (layer, key, frame, columns, rows)
        let chroma = frame.format.planes.last
        (columnsOfUnit, rowsOfUnit) = (chroma?.columns ?? 1, chroma?.rows ?? 1)
        isPaired = frame.format.planes.count == 2
        let isBlue = frame.format.planes.dropFirst().first?.samples.first == .chromaBlue
        isBlueFirst = isBlue
        across = layer.picture.window.x - layer.place.x - frame.window.x
        down = layer.picture.window.y - layer.place.y - frame.window.y
    }

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

    /// Returns the layer's chroma.
    func samples(_ plane: Int, row: Int, unit: Int) -> UnsafePointer<UInt8> {
        let from = layer.picture.planes[plane]
        let column = (unit + across / columnsOfUnit) * (isPaired ? 2 : 1)
        return UnsafePointer(
            (from.base + ((row + down / rowsOfUnit) * from.stride + column)).assumingMemoryBound(to: UInt8.self))
    }

    /// Returns the layer's luma.
    func luma(_ row: Int, column: Int) -> UnsafePointer<UInt8> {
        let from = layer.picture.planes[0]
        return UnsafePointer(
            (from.base + ((row + down) * from.stride + column + across)).assumingMemoryBound(to: UInt8.self))
    }

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
        memory = .allocate(capacity: 11 * Self.step)
        memory.initialize(repeating: 0, count: 11 * Self.step)
    }

    deinit { memory.deallocate() }

    /// Weights of a row.
    /// - Parameter row: 0…2.
    func weights(_ row: Int) -> UnsafeMutablePointer<UInt8> { memory + min(max(0, row), 2) * Self.step }

    /// Bytes, `4 width` of them.
    /// - Parameter index: 0…7; 5…7 are those of `colors`.
    func plane(_ index: Int) -> UnsafeMutablePointer<UInt8> { memory + (3 + min(max(0, index), 7)) * Self.step }

    private static let ofColors = 1024 + 64

    /// Colours of a row that was keyed.
    /// - Parameter row: 0 or 1.
    func colors(_ row: Int) -> PlanarImage.Row {
        let red = plane(5 + (row & 1))
        return PlanarImage.Row(
            red: UnsafePointer(red), green: UnsafePointer(red + Self.ofColors),
            blue: UnsafePointer(red + 2 * Self.ofColors))
    }

    /// Computes `colors` and `weights` of a row.
    func key(_ from: PlanarImage.Row, by key: Keyer, row: Int, count: Int, _ kernels: some KernelSet) {
        kernels.keyColors(
            from.red, from.green, from.blue, numbers: key.ofColors, into: plane(5 + (row & 1)), plane: Self.ofColors,
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
