// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// One or two rows of a YUV frame as rows of red, green and blue bytes. The rows are short enough for the first-level
/// cache.
///
/// Code that processes the colours of a YUV frame pixel by pixel uses strips (`FrameImage.forEachStrip`). So such code
/// never converts a whole frame. `load` converts a strip to RGB with the frame's matrix and range. `store` converts the
/// strip back, and computes each chroma sample from the mean colour of the pixels that share the sample. Only one
/// thread at a time may use a strip.
package final class YUVStrip {
    /// Maximum number of pixels in a row, an even number.
    package static let width = 1024
    /// Distance in bytes from the row of red bytes to the row of green bytes, and from the row of green bytes to the
    /// row of blue bytes.
    package static let plane = width

    let kernels: any KernelSet
    let lanes: YUVLanes
    private let memory: UnsafeMutableRawPointer
    /// The colorimetry for which `toColors` and `toSamples` were computed.
    private var colorimetry: Colorimetry?
    private var terms: UnsafeMutablePointer<Int16> { (memory + Room.terms).assumingMemoryBound(to: Int16.self) }
    private var toColors: UnsafeMutablePointer<Int16> {
        (memory + Room.coefficients).assumingMemoryBound(to: Int16.self)
    }
    private var toSamples: UnsafeMutablePointer<Int16> { toColors + 8 }

    package init(kernels: any KernelSet = Processor.kernels) {
        self.kernels = kernels
        lanes = YUVLanes(kernels.level)
        memory = .allocate(byteCount: Room.end, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Room.end)
    }

    deinit { memory.deallocate() }

    /// Offsets in `memory`, in bytes. `row` is the length of a row in bytes. Each other member is the offset of the
    /// data with the same name.
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
        static let coefficients = sampleWeights + 2 * row
        static let end = coefficients + 64
    }

    private func bytes(_ offset: Int) -> UnsafeMutablePointer<UInt8> {
        (memory + offset).assumingMemoryBound(to: UInt8.self)
    }

    /// Returns the address of the first red byte of a row.
    /// - Parameter row: 0 or 1.
    package func colors(_ row: Int) -> UnsafeMutablePointer<UInt8> { bytes(Room.colors + (row & 1) * 3 * Room.row) }

    /// Returns memory for the weights of a row. `store` reads the weights.
    /// - Parameter row: 0 or 1.
    package func weights(_ row: Int) -> UnsafeMutablePointer<UInt8> { bytes(Room.weights + (row & 1) * Room.row) }

    /// Joins the colours of a row into four-byte pixels. The fourth byte of each pixel becomes 255.
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
        for (index, number) in (colorimetry.colorCoefficients + colorimetry.sampleCoefficients).enumerated() {
            toColors[index] = number
        }
    }

    // MARK: - From YUV

    /// Converts a strip of a YUV frame to red, green and blue bytes in `memory`. If the frame is not YUV, does nothing.
    package func load(_ strip: FrameImage.Strip, of frame: FrameImage) {
        if frame.format.isYUV { load(strip, of: frame, with: kernels) }
    }

    // The kernels are an argument of this generic function. Each access to the property `kernels` would copy the
    // kernels.
    private func load(_ strip: FrameImage.Strip, of frame: FrameImage, with kernels: some KernelSet) {
        let layout = frame.format.layout
        use(frame.colorimetry)
        let units = layout.units(width: strip.width)
        switch layout.planes {
        case 1: return loadPacked(strip, of: frame, layout, kernels)
        case 2:
            loadChroma(
                pairs: read(2 * units, plane: 1, row: strip.chromaRow, strip, frame, Room.samples, kernels), units,
                layout, kernels)
        default:
            let first = read(units, plane: 1, row: strip.chromaRow, strip, frame, Room.blue, kernels)
            let second = read(units, plane: 2, row: strip.chromaRow, strip, frame, Room.red, kernels)
            kernels.chromaTerms(
                layout.isBlueFirst ? first : second, layout.isBlueFirst ? second : first, weights: toColors,
                into: terms,
                plane: Self.plane, count: units)
        }
        for row in 0..<strip.rowCount {
            loadLuma(
                read(strip.width, plane: 0, row: strip.row(row), strip, frame, Room.luma, kernels), row: row,
                strip.width, layout, kernels)
        }
    }

    private func loadPacked(
        _ strip: FrameImage.Strip, of frame: FrameImage, _ layout: SampleLayout, _ kernels: some KernelSet
    ) {
        let samples = frame.address(of: strip, plane: 0, row: strip.chromaRow)
        let done = lanes.colors(
            ofPacked: samples, isLumaFirst: layout.isLumaFirst, weights: toColors, into: colors(0), plane: Self.plane,
            count: strip.width)
        guard done < strip.width else { return }
        let (luma, pairs, units) = (bytes(Room.luma), bytes(Room.pairs), layout.units(width: strip.width - done))
        kernels.splitPairs(
            samples + 2 * done, into: layout.isLumaFirst ? luma : pairs, layout.isLumaFirst ? pairs : luma,
            count: layout.columns * units)
        loadChroma(pairs: pairs, units, layout, kernels)
        loadLuma(luma, row: 0, from: done, strip.width - done, layout, kernels)
    }

    private func loadChroma(
        pairs: UnsafePointer<UInt8>, _ units: Int, _ layout: SampleLayout, _ kernels: some KernelSet
    ) {
        lanes.pairsToTerms(
            pairs, isBlueFirst: layout.isBlueFirst, weights: toColors, into: terms, plane: Self.plane,
            rows: (bytes(Room.blue), bytes(Room.red)), count: units, kernels)
    }

    /// - Parameter start: index of the first pixel in the row of colours.
    private func loadLuma(
        _ luma: UnsafePointer<UInt8>, row: Int, from start: Int = 0, _ width: Int, _ layout: SampleLayout,
        _ kernels: some KernelSet
    ) {
        let isDoubled = layout.columns == 2
        let units = width / layout.columns
        func load(_ luma: UnsafePointer<UInt8>, from unit: Int, count: Int) {
            lanes.colors(
                ofLuma: luma, weight: toColors[7], terms: terms + unit, doubled: isDoubled,
                into: colors(row) + start + unit * layout.columns, plane: Self.plane, count: count, kernels)
        }
        load(luma, from: 0, count: units)
        guard isDoubled, width % 2 != 0 else { return }
        // The kernel reads two luma samples for each chroma sample. If the last chroma sample has only one luma sample,
        // use this luma sample twice.
        let last = bytes(Room.samples)
        (last[0], last[1]) = (luma[width - 1], luma[width - 1])
        load(last, from: units, count: 1)
    }

    /// Returns the address of a strip's samples as bytes. If the samples of the frame are bytes, returns their address
    /// in the frame. If the samples are 16-bit words, converts the samples to bytes in `memory`, and returns the
    /// address of these bytes.
    private func read(
        _ count: Int, plane: Int, row: Int, _ strip: FrameImage.Strip, _ frame: FrameImage, _ room: Int,
        _ kernels: some KernelSet
    ) -> UnsafePointer<UInt8> {
        let samples = frame.address(of: strip, plane: plane, row: row)
        guard let shift = frame.format.layout.shift else {
            return UnsafePointer(samples.assumingMemoryBound(to: UInt8.self))
        }
        kernels.narrowWords(samples, shift: UInt16(truncatingIfNeeded: shift), into: bytes(room), count: count)
        return UnsafePointer(bytes(room))
    }

    // MARK: - To YUV

    /// Converts the colours of a strip back, and writes them to the frame. If the frame is not YUV, does nothing.
    /// - Parameter masked: true to use the weights. A luma sample changes only if the weight of its pixel is above 0. A
    ///   chroma sample changes only if the weight of one of its pixels is above 0.
    package func store(_ strip: FrameImage.Strip, into frame: FrameImage, masked: Bool) {
        if frame.format.isYUV { store(strip, into: frame, masked: masked, with: kernels) }
    }

    private func store(
        _ strip: FrameImage.Strip, into frame: FrameImage, masked: Bool, with kernels: some KernelSet
    ) {
        let layout = frame.format.layout
        use(frame.colorimetry)
        let units = layout.units(width: strip.width)
        let isMasked = complete(strip, of: frame, columns: layout.columns, masked: masked)
        let second = strip.rowCount - 1
        let (luma, pairs) = (bytes(Room.luma), bytes(Room.pairs))
        let (ofChroma, ofPairs) = (bytes(Room.chromaWeights), bytes(Room.pairWeights))
        if isMasked {
            kernels.joinWeights(
                weights(0), weights(second), doubled: layout.columns == 2, into: ofChroma, count: units)
            if layout.planes < 3 { kernels.joinPairs(ofChroma, ofChroma, into: ofPairs, count: units) }
        }
        func storeChroma(from x: Int = 0, pairs: UnsafeMutablePointer<UInt8>) {
            lanes.chromaPairs(
                of: colors(0) + x, colors(second) + x, plane: Self.plane, weights: toSamples + 4,
                isBlueFirst: layout.isBlueFirst, into: pairs, rows: (bytes(Room.blue), bytes(Room.red)),
                count: units - x / layout.columns, kernels)
        }
        func storeLuma(_ row: Int, from x: Int = 0, into luma: UnsafeMutablePointer<UInt8>, count: Int) {
            lanes.luma(
                of: colors(row) + x, plane: Self.plane, weights: toSamples, into: luma, count: count, kernels)
        }
        /// Calls `make` to compute samples. If all samples change, and the samples of the frame are bytes, `make`
        /// writes directly into the frame. Otherwise, `make` writes into `memory`, and this function copies the changed
        /// samples into the frame.
        func write(
            _ count: Int, plane: Int, row: Int, where weights: UnsafePointer<UInt8>, by room: Int,
            _ make: (UnsafeMutablePointer<UInt8>) -> Void
        ) {
            let target = frame.address(of: strip, plane: plane, row: row)
            if !isMasked, layout.shift == nil { return make(target.assumingMemoryBound(to: UInt8.self)) }
            make(bytes(room))
            replace(target, count, by: bytes(room), where: isMasked ? weights : nil, shift: layout.shift)
        }
        switch layout.planes {
        case 1:
            let count = layout.columns * units
            func join(
                _ luma: UnsafePointer<UInt8>, _ other: UnsafePointer<UInt8>, _ all: UnsafeMutablePointer<UInt8>,
                count: Int
            ) {
                kernels.joinPairs(
                    layout.isLumaFirst ? luma : other, layout.isLumaFirst ? other : luma, into: all, count: count)
            }
            let ofSamples = bytes(Room.sampleWeights)
            if isMasked { join(weights(0), ofPairs, ofSamples, count: count) }
            write(2 * count, plane: 0, row: strip.chromaRow, where: ofSamples, by: Room.samples) { samples in
                let done = lanes.packed(
                    of: colors(0), plane: Self.plane, weights: toSamples, isLumaFirst: layout.isLumaFirst,
                    into: samples,
                    count: count)
                guard done < count else { return }
                storeChroma(from: done, pairs: pairs)
                storeLuma(0, from: done, into: luma, count: count - done)
                join(luma, pairs, samples + 2 * done, count: count - done)
            }
            return
        case 2:
            write(2 * units, plane: 1, row: strip.chromaRow, where: ofPairs, by: Room.pairs) { storeChroma(pairs: $0) }
        default:
            write(units, plane: 1, row: strip.chromaRow, where: ofChroma, by: Room.blue) { blue in
                write(units, plane: 2, row: strip.chromaRow, where: ofChroma, by: Room.red) { red in
                    lanes.chroma(
                        of: colors(0), colors(second), plane: Self.plane, weights: toSamples + 4,
                        doubled: layout.columns == 2, into: layout.isBlueFirst ? blue : red,
                        layout.isBlueFirst ? red : blue, count: units, kernels)
                }
            }
        }
        for row in 0..<strip.rowCount {
            write(strip.width, plane: 0, row: strip.row(row), where: weights(row), by: Room.luma) {
                storeLuma(row, into: $0, count: strip.width)
            }
        }
    }

    /// Replaces the samples of a frame that have a weight above 0. If `weights` is nil, replaces all samples.
    private func replace(
        _ target: UnsafeMutableRawPointer, _ count: Int, by samples: UnsafePointer<UInt8>,
        where weights: UnsafePointer<UInt8>?, shift: Int?
    ) {
        let all = bytes(Room.sampleWeights)
        if weights == nil { all.update(repeating: 255, count: count) }
        if let shift {
            kernels.widenBytes(
                samples, shift: UInt16(truncatingIfNeeded: shift), where: weights ?? UnsafePointer(all), into: target,
                count: count)
        } else {
            kernels.replace(
                target.assumingMemoryBound(to: UInt8.self), by: samples, where: weights ?? UnsafePointer(all),
                count: count)
        }
    }

    /// If pixels inside and outside of the visible part share chroma, copies the colours of the inner pixels to the
    /// outer pixels.
    /// - Returns: true if `store` must use the weights.
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
    /// Copies the colours of a frame into an image with four bytes per pixel. The frame must be YUV, grey, or packed
    /// with the same order of colours. For YUV and grey, the fourth byte becomes 255. If the sizes differ, copies only
    /// the columns and rows that both images have.
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
