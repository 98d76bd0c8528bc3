// SPDX-License-Identifier: LGPL-2.1-or-later
internal import CProcessor
internal import Imaging
internal import KernelTypes

extension Blender {
    /// Maximum number of pixels in a piece. The blender divides each row into pieces, and computes the weights of a
    /// piece at once.
    private static let piece = 2048
    /// Number of consecutive chroma samples in a block. The blender checks the weights of a block together. In most
    /// images, many blocks are completely opaque or completely transparent.
    private static let block = 32
    /// Maximum number of chroma samples in a mixed part (neither completely opaque nor completely transparent).
    private static let maxLength = 256

    /// Blends a keyed layer directly in the YUV samples of a frame. `isDirect` must be true for the layer. A chroma key
    /// computes the weight of each chroma sample, and interpolates between these weights for luma. A luma key computes
    /// the weight of each pixel, and averages these weights for chroma.
    /// - Parameter below: the layer directly below, if its samples are not in the frame yet; nil to blend over the
    ///   frame.
    func mixSamples(
        of layer: FrameLayer, keyedBy key: Keyer, over below: FrameLayer?, into frame: FrameImage, band: Rectangle
    ) {
        let visible = layer.destination.intersection(band)
        guard let chroma = frame.format.planes.last, !visible.isEmpty else { return }
        let (x, y) = (frame.window.x + visible.x, frame.window.y + visible.y)
        let job = KeyedJob(layer, below, frame, columns: x..<x + visible.width, rows: y..<y + visible.height)
        for row in y / chroma.rows..<chroma.unitRows(height: y + visible.height) {
            for unit in stride(from: job.units.lowerBound, to: job.units.upperBound, by: Self.piece / chroma.columns) {
                let piece = KeyedPiece(
                    job, row: row, units: unit..<min(job.units.upperBound, unit + Self.piece / chroma.columns))
                if let parameters = key.ofChroma {
                    mixByChroma(piece, job.inOrder(parameters))
                } else if let parameters = key.ofLuma {
                    mixByLuma(piece, parameters)
                }
            }
        }
    }

    private func mixByChroma(_ piece: KeyedPiece, _ parameters: KeyParameters) {
        // If a chroma sample covers two columns, interpolate the weights of luma between the weights of adjacent chroma
        // samples.
        let isInterpolated = piece.columnsOfUnit == 2
        let (before, after) = (piece.hasBefore ? 1 : 0, piece.hasAfter ? 1 : 0)
        let (first, count) = (piece.chroma.0, before + piece.units + after)
        let weights = keying.weights(0) + 1
        if let second = piece.chroma.1 {
            kernels.keySamples(
                first.above - before, second.above - before, parameters: parameters, into: weights - before,
                count: count)
        } else {
            kernels.keyPairs(first.above - 2 * before, parameters: parameters, into: weights - before, count: count)
        }
        if before == 0 { weights[-1] = weights[0] }
        if after == 0 { weights[piece.units] = weights[piece.units - 1] }
        let hasSpill = parameters.first.change != 0 || parameters.second.change != 0
        let room = keying
        forEachPart(of: piece, room) { units in
            rangeOfWeights(weights + (units.lowerBound &- 1), count: units.count &+ 2)
        } body: { units, range in
            let samples = (room.plane(0), room.plane(1))
            var ofLuma = UnsafePointer(weights + units.lowerBound)
            if isInterpolated, isMixed(range) {
                kernels.interpolateWeights(ofLuma, into: room.weights(1), count: units.count)
                ofLuma = UnsafePointer(room.weights(1))
            }
            let pixels = piece.pixels(of: units)
            blend(piece.luma.0, pixels, piece.luma.0.above + pixels.lowerBound, ofLuma, range, piece)
            if let line = piece.luma.1 { blend(line, pixels, line.above + pixels.lowerBound, ofLuma, range, piece) }
            let isDespilled = hasSpill && range.maximum > 0
            if let second = piece.chroma.1 {
                if isDespilled {
                    kernels.despillSamples(
                        first.above + units.lowerBound, second.above + units.lowerBound, parameters: parameters,
                        into: samples.0, samples.1, count: units.count)
                }
                for (line, clean) in [(first, samples.0), (second, samples.1)] {
                    let chroma = isDespilled ? UnsafePointer(clean) : line.above + units.lowerBound
                    blend(line, units, chroma, weights + units.lowerBound, range, piece)
                }
            } else {
                var chroma = first.above + 2 * units.lowerBound
                if isDespilled {
                    kernels.despillPairs(chroma, parameters: parameters, into: samples.0, count: units.count)
                    chroma = UnsafePointer(samples.0)
                }
                blendPairs(first, units, chroma, weights + units.lowerBound, range, piece)
            }
        }
    }

    private func mixByLuma(_ piece: KeyedPiece, _ parameters: LumaKeyParameters) {
        let room = keying
        let ofLuma = (room.weights(0), room.weights(1))
        func key(_ line: KeyedLine, _ weights: UnsafeMutablePointer<UInt8>) {
            kernels.keyLuma(line.above, parameters: parameters, into: weights, count: piece.columns)
            // For odd widths, the last chroma sample also covers a column after the last pixel. So repeat the last
            // weight for this column.
            weights[piece.columns] = weights[piece.columns - 1]
        }
        key(piece.luma.0, ofLuma.0)
        if let line = piece.luma.1 { key(line, ofLuma.1) }
        forEachPart(of: piece, room) { units in
            let pixels = piece.pixels(of: units)
            let first = rangeOfWeights(ofLuma.0 + pixels.lowerBound, count: pixels.count)
            guard piece.luma.1 != nil else { return first }
            let second = rangeOfWeights(ofLuma.1 + pixels.lowerBound, count: pixels.count)
            return (first.minimum & second.minimum, first.maximum | second.maximum)
        } body: { units, range in
            let pixels = piece.pixels(of: units)
            let first = UnsafePointer(ofLuma.0 + pixels.lowerBound)
            blend(piece.luma.0, pixels, piece.luma.0.above + pixels.lowerBound, first, range, piece)
            var second = first
            if let line = piece.luma.1 {
                second = UnsafePointer(ofLuma.1 + pixels.lowerBound)
                blend(line, pixels, line.above + pixels.lowerBound, second, range, piece)
            }
            var ofChroma = first
            if piece.columnsOfUnit == 2, isMixed(range) {
                kernels.averageFours(first, second, into: room.weights(2), count: units.count)
                ofChroma = UnsafePointer(room.weights(2))
            }
            let chroma = piece.chroma.0
            if let second = piece.chroma.1 {
                for line in [chroma, second] {
                    blend(line, units, line.above + units.lowerBound, ofChroma, range, piece)
                }
            } else {
                blendPairs(chroma, units, chroma.above + 2 * units.lowerBound, ofChroma, range, piece)
            }
        }
    }

    /// Splits a piece into parts that are opaque, transparent or mixed, and calls `body` for each part. Parts are as
    /// long as possible, but mixed parts have at most `maxLength` chroma samples.
    /// - Parameter range: returns bounds of the weights of the chroma samples `units` and of their pixels.
    @inline(__always)
    private func forEachPart(
        of piece: KeyedPiece, _ room: KeyingRoom, range: (_ units: Range<Int>) -> WeightRange,
        body: (_ units: Range<Int>, _ range: WeightRange) -> Void
    ) {
        var parts = 0
        var start = 0
        var ofPart: WeightRange = (255, 0)
        func add(until end: Int) {
            guard start < end else { return }
            room.parts[parts] = (start..<end, ofPart)
            parts += 1
            // Prefetch the samples of the part. Blending skips parts of a row, so the processor cannot predict which
            // memory is read next.
            piece.prefetch(start..<end, ofPart)
            start = end
        }
        for begin in stride(from: 0, to: piece.units, by: Self.block) {
            let blockRange = range(begin..<min(piece.units, begin + Self.block))
            let next: WeightRange = isMixed(blockRange) ? (0, 255) : blockRange
            let isFull = isMixed(next) && begin - start >= Self.maxLength
            if next != ofPart || isFull { add(until: begin) }
            ofPart = next
        }
        add(until: piece.units)
        for part in 0..<parts { body(room.parts[part].units, room.parts[part].range) }
    }

    /// Returns false if all weights are 0, or if all weights are 255.
    private func isMixed(_ range: WeightRange) -> Bool { range.minimum < 255 && range.maximum > 0 }

    /// Blends a row in which blue and red chroma samples alternate.
    /// - Parameter weights: one weight for each pair of a blue and a red sample.
    private func blendPairs(
        _ line: KeyedLine, _ units: Range<Int>, _ pairs: UnsafePointer<UInt8>, _ weights: UnsafePointer<UInt8>,
        _ range: WeightRange, _ piece: KeyedPiece
    ) {
        let ofPairs = keying.plane(2)
        if isMixed(range) { kernels.doubleBytes(weights, into: ofPairs, count: units.count) }
        blend(line, 2 * units.lowerBound..<2 * units.upperBound, pairs, ofPairs, range, piece)
    }

    /// Blends bytes over the layer below, or over the frame if there is no layer below.
    /// - Parameters:
    ///   - bytes: indices of the bytes in `line`.
    ///   - weights: ignored if `range` is (255, 255) or (0, 0).
    private func blend(
        _ line: KeyedLine, _ bytes: Range<Int>, _ samples: UnsafePointer<UInt8>, _ weights: UnsafePointer<UInt8>,
        _ range: WeightRange, _ piece: KeyedPiece
    ) {
        let output = line.output + bytes.lowerBound
        if range.minimum == 255, piece.isReplacing {
            output.update(from: samples, count: bytes.count)
            return
        }
        if let below = line.below {
            if piece.isReplacing, range.maximum > 0 {
                kernels.mixWeighted(
                    below + bytes.lowerBound, samples, weights: weights, into: output, count: bytes.count)
                return
            }
            output.update(from: below + bytes.lowerBound, count: bytes.count)
        }
        guard range.maximum > 0 else { return }
        for start in stride(from: 0, to: bytes.count, by: Self.tile) {
            blendSamples(
                output + start, samples + start, weights + start, range, piece.mode, piece.opacity,
                min(Self.tile, bytes.count - start))
        }
    }
}

/// Returns bounds of `count` weights: (255, 255) if all weights are 255, (0, 0) if all weights are 0, else (0, 255).
@inline(__always)
private func rangeOfWeights(_ weights: UnsafePointer<UInt8>, count: Int) -> WeightRange {
    let bytes = UnsafeRawPointer(weights)
    func word(_ offset: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    var (minimum, maximum) = (UInt64.max, UInt64(0))
    var i = 0
    while i &+ 32 <= count {
        let (a, b, c, d) = (word(i), word(i &+ 8), word(i &+ 16), word(i &+ 24))
        minimum &= (a & b) & (c & d)
        maximum |= (a | b) | (c | d)
        i &+= 32
    }
    while i < count {
        let all = UInt64(weights[i]) &* 0x0101_0101_0101_0101
        (minimum, maximum) = (minimum & all, maximum | all)
        i &+= 1
    }
    return (minimum == .max ? 255 : 0, maximum == 0 ? 0 : 255)
}

/// Pointers to a row of a plane in three images: the keyed layer (`above`), the layer below (`below`), and the frame
/// (`output`). `below` is nil if the samples of the layer below are already in the frame.
private struct KeyedLine {
    let above: UnsafePointer<UInt8>
    let below: UnsafePointer<UInt8>?
    let output: UnsafeMutablePointer<UInt8>
}

/// A part of a row of chroma samples, and the luma rows of the pixels that share these samples. The struct contains
/// only pointers and numbers, because copies of `FrameImage` are slow.
private struct KeyedPiece {
    let luma: (KeyedLine, KeyedLine?)
    /// If a plane contains pairs of blue and red chroma: the line of this plane, and nil. Otherwise: one line for each
    /// of the two chroma planes.
    let chroma: (KeyedLine, KeyedLine?)
    /// `units`: number of chroma samples in the piece. `columns`: number of pixels in a row of the piece.
    let units: Int
    let columns: Int
    let columnsOfUnit: Int
    /// `hasBefore`: true if the layer has chroma samples before the piece. `hasAfter`: true if the layer has chroma
    /// samples after the piece.
    let hasBefore: Bool
    let hasAfter: Bool
    let mode: BlendMode
    let opacity: Float
    /// True if opaque pixels of the layer simply replace the pixels below: with the mode `normal` and the opacity 1.
    let isReplacing: Bool

    /// - Parameter units: the chroma samples of the piece, as indices in the row.
    init(_ job: KeyedJob, row: Int, units: Range<Int>) {
        let pixels = job.pixels(of: units)
        let rows = job.lumaRows(row)
        func luma(_ row: Int) -> KeyedLine { job.line(0, row: row, offset: pixels.lowerBound) }
        self.luma = (luma(rows.lowerBound), rows.count > 1 ? luma(rows.lowerBound + 1) : nil)
        func chroma(_ plane: Int) -> KeyedLine {
            job.line(plane, row: row, offset: job.isPaired ? 2 * units.lowerBound : units.lowerBound)
        }
        self.chroma = (chroma(1), job.isPaired ? nil : chroma(2))
        (self.units, columns, columnsOfUnit) = (units.count, pixels.count, job.columnsOfUnit)
        (hasBefore, hasAfter) = (units.lowerBound > job.units.lowerBound, units.upperBound < job.units.upperBound)
        (mode, opacity, isReplacing) = (job.layer.mode, job.layer.opacity, job.isReplacing)
    }

    /// Returns the columns of the pixels that share the chroma samples `units`.
    func pixels(of units: Range<Int>) -> Range<Int> {
        units.lowerBound * columnsOfUnit..<min(columns, units.upperBound * columnsOfUnit)
    }

    /// Prefetches the samples that blending will read for `units`. `range` contains the bounds of the weights.
    func prefetch(_ units: Range<Int>, _ range: WeightRange) {
        func ask(_ line: KeyedLine?, _ bytes: Range<Int>) {
            guard let line else { return }
            if range.maximum > 0 { sv_prefetch(line.above + bytes.lowerBound, bytes.count) }
            if range.minimum < 255 || !isReplacing, let below = line.below {
                sv_prefetch(below + bytes.lowerBound, bytes.count)
            }
        }
        let pixels = pixels(of: units)
        ask(luma.0, pixels)
        ask(luma.1, pixels)
        ask(chroma.0, chroma.1 == nil ? 2 * units.lowerBound..<2 * units.upperBound : units)
        ask(chroma.1, units)
    }
}

/// The parameters for blending a keyed layer over a frame of the same format. `rows` and `columns` are pixel positions
/// in the planes of the frame.
private struct KeyedJob {
    let layer: FrameLayer
    /// The layer directly below, if its samples are not in the frame yet; otherwise nil.
    let below: FrameLayer?
    let frame: FrameImage
    let columns: Range<Int>
    let rows: Range<Int>
    let columnsOfUnit: Int
    let rowsOfUnit: Int
    /// True if blue and red chroma share a plane.
    let isPaired: Bool
    /// True if opaque pixels of the layer simply replace the pixels below: with the mode `normal` and the opacity 1.
    let isReplacing: Bool

    init(
        _ layer: FrameLayer, _ below: FrameLayer?, _ frame: FrameImage, columns: Range<Int>, rows: Range<Int>
    ) {
        (self.layer, self.below, self.frame, self.columns, self.rows) = (layer, below, frame, columns, rows)
        let chroma = frame.format.planes.last
        (columnsOfUnit, rowsOfUnit) = (chroma?.columns ?? 1, chroma?.rows ?? 1)
        isPaired = frame.format.planes.count == 2
        isReplacing = layer.mode == .normal && layer.opacity == 1
    }

    /// Returns the parameters in the order of the chroma samples in the format: blue and red, or red and blue.
    func inOrder(_ parameters: KeyParameters) -> KeyParameters {
        let isBlueFirst = frame.format.planes.dropFirst().first?.samples.first == .chromaBlue
        var ordered = parameters
        if !isBlueFirst { swap(&ordered.first, &ordered.second) }
        return ordered
    }

    var units: Range<Int> {
        columns.lowerBound / columnsOfUnit..<(columns.upperBound + columnsOfUnit - 1) / columnsOfUnit
    }

    /// Returns the columns of the pixels that share the chroma samples `units`.
    func pixels(of units: Range<Int>) -> Range<Int> {
        units.lowerBound * columnsOfUnit..<min(columns.upperBound, units.upperBound * columnsOfUnit)
    }

    /// Returns the luma rows of the pixels that share a row of chroma samples.
    func lumaRows(_ row: Int) -> Range<Int> { (row * rowsOfUnit..<(row + 1) * rowsOfUnit).clamped(to: rows) }

    /// Returns pointers into a row of a plane, `offset` bytes after the start of the row.
    func line(_ plane: Int, row: Int, offset: Int) -> KeyedLine {
        let to = frame.planes[plane]
        return KeyedLine(
            above: samples(of: layer, plane, row: row, offset: offset),
            below: below.map { samples(of: $0, plane, row: row, offset: offset) },
            output: (to.base + (row * to.stride + offset)).assumingMemoryBound(to: UInt8.self))
    }

    /// Returns a pointer to the samples of a layer that belong to a position in the frame. `row` and `offset` (in
    /// bytes) are the position in a plane of the frame.
    private func samples(of layer: FrameLayer, _ plane: Int, row: Int, offset: Int) -> UnsafePointer<UInt8> {
        let (from, picture) = (layer.picture.planes[plane], layer.picture)
        let across = picture.window.x - layer.destination.x - frame.window.x
        let down = picture.window.y - layer.destination.y - frame.window.y
        let column = offset + (plane == 0 ? across : across / columnsOfUnit * (isPaired ? 2 : 1))
        let line = row + (plane == 0 ? down : down / rowsOfUnit)
        return UnsafePointer((from.base + (line * from.stride + column)).assumingMemoryBound(to: UInt8.self))
    }
}
