package import KernelTypes

/// Scales the colours of frames of any format, in place. It holds scratch rows, so each thread needs its own.
package final class Recolorer {
    /// Bytes that are scaled at once: whole pixels of 1, 3 and 4 bytes, few enough to stay in the first-level cache with
    /// their numbers.
    private static let tile = 1536

    private let kernels: any KernelSet
    private let factors: UnsafeMutablePointer<Float>
    private let summands: UnsafeMutablePointer<Float>
    /// Lines and format that the factors and summands are for.
    private var plan: (lines: ColorLines, format: PixelFormat)?
    /// Rows of luma and chroma in whole pairs.
    private let rows = OwnedImage(.gray8)

    /// - Parameter kernels: which kernels to use; the fastest that this processor can run unless a test wants others.
    package init(kernels: any KernelSet = Processor.kernels) {
        self.kernels = kernels
        factors = .allocate(capacity: 2 * Self.tile)
        factors.initialize(repeating: 0, count: 2 * Self.tile)
        summands = factors + Self.tile
    }

    deinit { factors.deallocate() }

    /// Each colour becomes value · factor + summand, clipped to 0…255, then rounded to the nearest, halves up. Alpha and
    /// padding stay. Grey becomes the luma of what it would be in colour.
    ///
    /// YUV is converted there and back without rounding in between; pixels that share chroma get it from the mean of
    /// their luma.
    package func apply(_ lines: ColorLines, to frame: FrameImage) {
        guard !frame.isEmpty else { return }
        if let packed = frame.packed { scale(packed, lines) } else { recolor(frame, lines) }
    }

    // MARK: - Packed formats

    private func scale(_ image: Image, _ lines: ColorLines) {
        if plan?.lines != lines || plan?.format != image.format { prepare(lines, image.format) }
        for y in 0..<image.height {
            let row = image.row(y)
            var start = 0
            while start < image.rowBytes {
                kernels.scaleBytes(
                    row + start, factors: factors, summands: summands, count: min(Self.tile, image.rowBytes - start))
                start += Self.tile
            }
        }
    }

    private func prepare(_ lines: ColorLines, _ format: PixelFormat) {
        plan = (lines, format)
        var numbers = [(factor: Float, summand: Float)](repeating: (1, 0), count: format.bytesPerPixel)
        if format.isGray {
            numbers[0] = lines.gray.inSinglePrecision
        } else {
            numbers[format.red] = lines.red.inSinglePrecision
            numbers[format.green] = lines.green.inSinglePrecision
            numbers[format.blue] = lines.blue.inSinglePrecision
        }
        for i in 0..<Self.tile {
            (factors[i], summands[i]) = numbers[i % format.bytesPerPixel]
        }
    }

    // MARK: - YUV

    /// The rows of scratch memory.
    private enum Line: Int, CaseIterable {
        case upperLuma, lowerLuma, meanLuma, chromaBlue, chromaRed, pairedBlue, pairedRed, newSamples
    }

    private func line(_ line: Line) -> UnsafeMutablePointer<UInt8> { rows.image.row(line.rawValue) }

    private func recolor(_ frame: FrameImage, _ lines: ColorLines) {
        guard let luma = frame.channel(.luma), let blue = frame.channel(.chromaBlue),
            let red = frame.channel(.chromaRed)
        else { return }
        let numbers = SampleNumbers(frame.colorimetry, lines)
        // Pixels before the first one that share its chroma but are not visible.
        let lead = (columns: frame.window.x & 1, rows: blue.rows == 2 ? frame.window.y & 1 : 0)
        rows.resize(width: 2 * blue.width, height: Line.allCases.count)
        for unit in 0..<blue.height {
            let upper = max(0, unit * blue.rows - lead.rows)
            let lower = min(luma.height - 1, unit * blue.rows - lead.rows + blue.rows - 1)
            read(luma, upper, lead.columns, into: .upperLuma)
            if lower != upper { read(luma, lower, lead.columns, into: .lowerLuma) }
            let second = line(lower == upper ? .upperLuma : .lowerLuma)
            kernels.averageFours(line(.upperLuma), second, into: line(.meanLuma), count: blue.width)
            copy(blue.row(unit), step: blue.step, to: line(.chromaBlue), count: blue.width)
            copy(red.row(unit), step: red.step, to: line(.chromaRed), count: red.width)
            kernels.doubleBytes(line(.chromaBlue), into: line(.pairedBlue), count: blue.width)
            kernels.doubleBytes(line(.chromaRed), into: line(.pairedRed), count: red.width)

            recolor(.upperLuma, numbers.luma, to: luma, upper, lead.columns)
            if lower != upper { recolor(.lowerLuma, numbers.luma, to: luma, lower, lead.columns) }
            for (channel, numbers) in [(blue, numbers.chromaBlue), (red, numbers.chromaRed)] {
                kernels.recolorSamples(
                    line(.meanLuma), line(.chromaBlue), line(.chromaRed), numbers: numbers, into: line(.newSamples),
                    count: channel.width)
                spread(line(.newSamples), to: channel.row(unit), step: channel.step, count: channel.width)
            }
        }
    }

    /// A row of luma; pixels that are not visible are like their neighbours.
    private func read(_ luma: FrameImage.Channel, _ y: Int, _ lead: Int, into line: Line) {
        let to = self.line(line)
        copy(luma.row(y), step: luma.step, to: to + lead, count: luma.width)
        if lead > 0 { to[0] = to[1] }
        if lead + luma.width < rows.image.width { to[lead + luma.width] = to[lead + luma.width - 1] }
    }

    private func recolor(
        _ line: Line, _ numbers: [Float], to luma: FrameImage.Channel, _ y: Int, _ lead: Int
    ) {
        let to = luma.step == 1 ? luma.row(y) : self.line(.newSamples)
        kernels.recolorSamples(
            self.line(line) + lead, self.line(.pairedBlue) + lead, self.line(.pairedRed) + lead, numbers: numbers,
            into: to, count: luma.width
        )
        if luma.step > 1 { spread(to, to: luma.row(y), step: luma.step, count: luma.width) }
    }
}

/// Numbers for the kernel `recolorSamples`.
private struct SampleNumbers {
    let luma: [Float]
    let chromaBlue: [Float]
    let chromaRed: [Float]

    init(_ colorimetry: Colorimetry, _ lines: ColorLines) {
        let (red, green, blue) = (lines.red.sound, lines.green.sound, lines.blue.sound)
        let weights = colorimetry.pixelWeights.map(Double.init)
        let (ofLuma, blueInBlue, blueInGreen) = (weights[0], weights[1], weights[2])
        let (redInGreen, redInRed) = (weights[3], weights[4])
        let inputs = [
            red.factor * ofLuma, 0, red.factor * redInRed, red.factor * weights[7] + red.summand,
            green.factor * ofLuma, green.factor * blueInGreen, green.factor * redInGreen,
            green.factor * weights[6] + green.summand,
            blue.factor * ofLuma, blue.factor * blueInBlue, 0, blue.factor * weights[5] + blue.summand,
        ].map(Float.init)
        let outputs = colorimetry.sampleWeights
        func numbers(_ ofBlueGreenRed: [Float]) -> [Float] {
            inputs + [ofBlueGreenRed[2], ofBlueGreenRed[1], ofBlueGreenRed[0], ofBlueGreenRed[3]]
        }
        luma = numbers(outputs.luma)
        chromaBlue = numbers(outputs.chromaBlue)
        chromaRed = numbers(outputs.chromaRed)
    }
}
