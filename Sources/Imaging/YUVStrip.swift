// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// Pixels of a YUV frame as rows of red, green and blue bytes, few enough to stay in the first-level cache.
///
/// What works on colours pixel by pixel does so on a YUV frame strip by strip (`FrameImage.forEachStrip`): `load` converts
/// one by the frame's own matrix and range, and `store` converts it back, chroma from the mean of the pixels that share it.
/// So no frame is ever converted as a whole. One thread at a time may use it.
package final class YUVStrip {
    /// Pixels of a row at most; even.
    package static let width = 512
    /// The distance between a row of red bytes and those of green and of blue bytes.
    package static let plane = width

    private let kernels: any KernelSet
    private let memory: UnsafeMutableRawPointer
    /// The kernels' numbers for the colorimetry that was used last.
    private var colorimetry: Colorimetry?
    private var toColors: UnsafeMutablePointer<Int16> { (memory + Room.numbers).assumingMemoryBound(to: Int16.self) }
    private var toSamples: UnsafeMutablePointer<Int16> { toColors + 8 }

    package init(kernels: any KernelSet = Processor.kernels) {
        self.kernels = kernels
        memory = .allocate(byteCount: Room.end, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Room.end)
    }

    deinit { memory.deallocate() }

    /// Offsets of the rows in `memory`, in bytes.
    private enum Room {
        static let row = YUVStrip.width
        static let colors = 0
        static let weights = colors + 6 * row
        static let terms = weights + 2 * row
        static let luma = terms + 6 * row
        static let blue = luma + row
        static let red = blue + row
        static let chromaWeights = red + row
        static let pairs = chromaWeights + row
        static let pairWeights = pairs + row
        static let samples = pairWeights + row
        static let sampleWeights = samples + 2 * row
        static let numbers = sampleWeights + 2 * row
        static let end = numbers + 64
    }

    private func bytes(_ offset: Int) -> UnsafeMutablePointer<UInt8> {
        (memory + offset).assumingMemoryBound(to: UInt8.self)
    }

    /// Returns red bytes of a row, from its first pixel.
    /// - Parameter row: 0 or 1.
    package func colors(_ row: Int) -> UnsafeMutablePointer<UInt8> { bytes(Room.colors + (row & 1) * 3 * Room.row) }

    /// Returns room for the weights of a row, for `store`.
    /// - Parameter row: 0 or 1.
    package func weights(_ row: Int) -> UnsafeMutablePointer<UInt8> { bytes(Room.weights + (row & 1) * Room.row) }

    /// Joins the colours of a row to pixels of four bytes, the fourth 255.
    package func joinColors(
        _ row: Int, from first: Int = 0, offsets: ChannelOffsets, into pixels: UnsafeMutableRawPointer, count: Int
    ) {
        let red = colors(row) + first
        kernels.joinColors(
            red, red + Self.plane, red + 2 * Self.plane, offsets: offsets, into: pixels, count: count)
    }

    private func use(_ colorimetry: Colorimetry) {
        guard colorimetry != self.colorimetry else { return }
        self.colorimetry = colorimetry
        for (place, number) in (colorimetry.colorNumbers + colorimetry.sampleNumbers).enumerated() {
            toColors[place] = number
        }
    }

    // MARK: - From YUV

    /// Converts a strip of a YUV frame to red, green and blue. Nothing happens to other frames.
    package func load(_ strip: FrameImage.Strip, of frame: FrameImage) {
        guard let chroma = frame.format.planes.last, frame.format.isYUV else { return }
        use(frame.colorimetry)
        let units = chroma.units(width: strip.width)
        let terms = (memory + Room.terms).assumingMemoryBound(to: Int16.self)
        func loadChroma(_ blue: UnsafePointer<UInt8>, _ red: UnsafePointer<UInt8>) {
            kernels.chromaTerms(
                blue, red, weights: toColors, doubled: chroma.columns == 2, into: terms, plane: Self.plane,
                count: units)
        }
        func loadChroma(pairs: UnsafePointer<UInt8>) {
            let (first, second) = (bytes(Room.blue), bytes(Room.red))
            kernels.splitPairs(pairs, into: first, second, count: units)
            if chroma.isBlueFirst { loadChroma(first, second) } else { loadChroma(second, first) }
        }
        func loadLuma(_ luma: UnsafePointer<UInt8>, row: Int) {
            kernels.lumaToColors(
                luma, weight: toColors[7], terms: terms, into: colors(row), plane: Self.plane,
                count: strip.width)
        }
        switch frame.format.planes.count {
        case 1:
            let (luma, pairs) = (bytes(Room.luma), bytes(Room.pairs))
            let all = read(2 * chroma.columns * units, plane: 0, row: strip.chromaRow, strip, frame, Room.samples)
            kernels.splitPairs(
                all, into: chroma.isLumaFirst ? luma : pairs, chroma.isLumaFirst ? pairs : luma,
                count: chroma.columns * units)
            loadChroma(pairs: pairs)
            loadLuma(luma, row: 0)
            return
        case 2:
            loadChroma(pairs: read(2 * units, plane: 1, row: strip.chromaRow, strip, frame, Room.samples))
        default:
            let (blue, red) = frame.format.chromaPlanes
            loadChroma(
                read(units, plane: blue, row: strip.chromaRow, strip, frame, Room.blue),
                read(units, plane: red, row: strip.chromaRow, strip, frame, Room.red))
        }
        for row in 0..<strip.rowCount {
            loadLuma(read(strip.width, plane: 0, row: strip.row(row), strip, frame, Room.luma), row: row)
        }
    }

    /// Returns samples as bytes: where they are, or, if they are words, copied to an offset in `memory`.
    private func read(
        _ count: Int, plane: Int, row: Int, _ strip: FrameImage.Strip, _ frame: FrameImage, _ room: Int
    ) -> UnsafePointer<UInt8> {
        let samples = frame.address(of: strip, plane: plane, row: row)
        guard let shift = frame.format.shift else { return UnsafePointer(samples.assumingMemoryBound(to: UInt8.self)) }
        kernels.narrowWords(samples, shift: UInt16(truncatingIfNeeded: shift), into: bytes(room), count: count)
        return UnsafePointer(bytes(room))
    }

    // MARK: - To YUV

    /// Converts the colours back, into the strip that they are from. Nothing happens to frames that are not YUV.
    /// - Parameter masked: whether luma stays where `weights` are 0, and chroma where those of all its pixels are.
    package func store(_ strip: FrameImage.Strip, into frame: FrameImage, masked: Bool) {
        guard let chroma = frame.format.planes.last, frame.format.isYUV else { return }
        use(frame.colorimetry)
        let units = chroma.units(width: strip.width)
        let isMasked = complete(strip, of: frame, columns: chroma.columns, masked: masked)
        let (blue, red, second) = (bytes(Room.blue), bytes(Room.red), strip.rowCount - 1)
        kernels.colorsToChroma(
            colors(0), colors(second), plane: Self.plane, weights: toSamples + 4, doubled: chroma.columns == 2,
            into: blue, red, count: units)
        let ofChroma = isMasked ? bytes(Room.chromaWeights) : nil
        if let ofChroma {
            kernels.joinWeights(
                weights(0), weights(second), doubled: chroma.columns == 2, into: ofChroma, count: units)
        }
        func luma(_ row: Int, count: Int) -> UnsafePointer<UInt8> {
            kernels.colorsToLuma(
                colors(row), plane: Self.plane, weights: toSamples, into: bytes(Room.luma), count: count)
            return UnsafePointer(bytes(Room.luma))
        }
        func write(
            _ samples: UnsafePointer<UInt8>, _ count: Int, plane: Int, row: Int, where weights: UnsafePointer<UInt8>?
        ) {
            let place = frame.address(of: strip, plane: plane, row: row)
            if let shift = frame.format.shift {
                if weights == nil { bytes(Room.sampleWeights).update(repeating: 255, count: count) }
                kernels.widenBytes(
                    samples, shift: UInt16(truncatingIfNeeded: shift),
                    where: weights ?? UnsafePointer(bytes(Room.sampleWeights)),
                    into: place, count: count)
            } else if let weights {
                kernels.replace(place.assumingMemoryBound(to: UInt8.self), by: samples, where: weights, count: count)
            } else {
                place.copyMemory(from: samples, byteCount: count)
            }
        }
        let (pairs, pairWeights) = (bytes(Room.pairs), isMasked ? bytes(Room.pairWeights) : nil)
        if frame.format.planes.count < 3 {
            kernels.joinPairs(
                chroma.isBlueFirst ? blue : red, chroma.isBlueFirst ? red : blue, into: pairs, count: units)
            if let ofChroma, let pairWeights { kernels.joinPairs(ofChroma, ofChroma, into: pairWeights, count: units) }
        }
        switch frame.format.planes.count {
        case 1:
            let (samples, count) = (bytes(Room.samples), chroma.columns * units)
            func join(_ luma: UnsafePointer<UInt8>, _ other: UnsafePointer<UInt8>, _ all: UnsafeMutablePointer<UInt8>) {
                kernels.joinPairs(
                    chroma.isLumaFirst ? luma : other, chroma.isLumaFirst ? other : luma, into: all, count: count)
            }
            join(luma(0, count: count), pairs, samples)
            if let pairWeights { join(weights(0), pairWeights, bytes(Room.sampleWeights)) }
            write(
                samples, 2 * count, plane: 0, row: strip.chromaRow,
                where: isMasked ? UnsafePointer(bytes(Room.sampleWeights)) : nil)
            return
        case 2:
            write(pairs, 2 * units, plane: 1, row: strip.chromaRow, where: pairWeights.map { UnsafePointer($0) })
        default:
            let planes = frame.format.chromaPlanes
            write(blue, units, plane: planes.blue, row: strip.chromaRow, where: ofChroma.map { UnsafePointer($0) })
            write(red, units, plane: planes.red, row: strip.chromaRow, where: ofChroma.map { UnsafePointer($0) })
        }
        for row in 0..<strip.rowCount {
            write(
                luma(row, count: strip.width), strip.width, plane: 0, row: strip.row(row),
                where: isMasked ? UnsafePointer(weights(row)) : nil)
        }
    }

    /// Gives pixels that share chroma with visible ones, and are not visible themselves, the colours of those.
    /// - Returns: whether there are weights to follow.
    private func complete(_ strip: FrameImage.Strip, of frame: FrameImage, columns: Int, masked: Bool) -> Bool {
        let width = strip.width
        let hasFirst = strip.x < frame.window.x
        let hasLast = width % columns != 0 && width < Self.width
        guard hasFirst || hasLast else { return masked }
        for row in 0..<strip.rowCount {
            if !masked { weights(row).update(repeating: 255, count: width) }
            for (pixel, neighbour) in [(0, 1), (width, width - 1)] where pixel == 0 ? hasFirst : hasLast {
                weights(row)[pixel] = 0
                for channel in 0..<3 {
                    let color = colors(row) + channel * Self.plane
                    color[pixel] = color[neighbour]
                }
            }
        }
        return true
    }
}

// MARK: - Whole pictures

extension FrameImage {
    /// Writes the colours of a YUV or grey frame into a picture whose pixels have four bytes, the fourth 255; of other
    /// frames, those that have their colours in the same places. If sizes differ, the common part is written.
    package func copyColors(into output: Image, with strip: YUVStrip) {
        let common = bounds.intersection(output.bounds)
        if let packed, packed.format.hasColors(as: output.format) { return output.copy(from: packed) }
        guard output.format.bytesPerPixel == 4 else { return }
        if let packed, packed.format.isGray {
            for y in 0..<common.height { kernels.grayToPixels(packed.row(y), into: output.row(y), count: common.width) }
        }
        forEachStrip(of: common) { part in
            strip.load(part, of: self)
            let left = max(0, window.x - part.x)
            let count = min(part.width, window.x + common.width - part.x) - left
            for row in 0..<part.rowCount where 0..<common.height ~= part.row(row) - window.y && count > 0 {
                strip.joinColors(
                    row, from: left, offsets: output.format.offsets,
                    into: output.row(part.row(row) - window.y) + 4 * (part.x + left - window.x), count: count)
            }
        }
    }
}

extension FrameFormat {
    /// Indices of the planes of blue and red chroma, of formats that have three.
    fileprivate var chromaPlanes: (blue: Int, red: Int) {
        planes[1].samples.first == .chromaBlue ? (1, 2) : (2, 1)
    }
}

extension PlaneLayout {
    fileprivate var isLumaFirst: Bool { samples.first == .luma }
    fileprivate var isBlueFirst: Bool {
        samples.first(where: { $0 != .luma }) == .chromaBlue
    }
}
