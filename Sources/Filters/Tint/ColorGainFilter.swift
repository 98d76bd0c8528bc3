// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

/// Applies gains and offsets to the colours of frames of any format, in place. Each thread needs its own filter,
/// because a filter contains scratch memory.
package final class ColorGainFilter {
    /// Maximum number of bytes in one kernel call. It is a multiple of all pixel sizes: 1, 3 and 4 bytes. The bytes and
    /// their coefficients fit into the first-level cache.
    private static let tile = 1536

    private let kernels: any KernelSet
    private let byteGains: UnsafeMutablePointer<Float>
    private let byteOffsets: UnsafeMutablePointer<Float>
    /// The gains and the format for which `byteGains` and `byteOffsets` were computed.
    private var plan: (gains: ChannelGains, format: PixelFormat)?
    /// Scratch memory for rows of luma and chroma. If two pixels share a chroma sample, the width is even.
    private let rows = OwnedImage(.gray8)
    private var lines: Image

    /// - Parameter kernels: the kernels to use. The default is the fastest set for this processor.
    package init(kernels: any KernelSet = Processor.kernels) {
        self.kernels = kernels
        lines = rows.image
        byteGains = .allocate(capacity: 2 * Self.tile)
        byteGains.initialize(repeating: 0, count: 2 * Self.tile)
        byteOffsets = byteGains + Self.tile
    }

    deinit { byteGains.deallocate() }

    /// Replaces each channel value by value · gain + offset, limited to 0…255 and rounded to the nearest integer
    /// (halves up). Alpha and padding do not change. In grey frames, each pixel becomes the luma of its new colour.
    ///
    /// YUV is converted to RGB and back without rounding in between. A chroma sample is computed from the mean luma of
    /// the pixels that share the sample.
    package func apply(_ gains: ChannelGains, to frame: FrameImage) {
        guard !frame.isEmpty else { return }
        if let packed = frame.packed { scale(packed, gains) } else { recolor(frame, gains) }
    }

    // MARK: - Packed formats

    private func scale(_ image: Image, _ gains: ChannelGains) {
        if plan?.gains != gains || plan?.format != image.format { prepare(gains, image.format) }
        for y in 0..<image.height {
            let row = image.row(y)
            var start = 0
            while start < image.rowBytes {
                kernels.scaleBytes(
                    row + start, factors: byteGains, summands: byteOffsets,
                    count: min(Self.tile, image.rowBytes - start))
                start += Self.tile
            }
        }
    }

    private func prepare(_ gains: ChannelGains, _ format: PixelFormat) {
        plan = (gains, format)
        var factors = [(gain: Float, offset: Float)](repeating: (1, 0), count: format.bytesPerPixel)
        if format.isGray {
            factors[0] = gains.gray.inSinglePrecision
        } else {
            factors[format.red] = gains.red.inSinglePrecision
            factors[format.green] = gains.green.inSinglePrecision
            factors[format.blue] = gains.blue.inSinglePrecision
        }
        for i in 0..<Self.tile {
            (byteGains[i], byteOffsets[i]) = factors[i % format.bytesPerPixel]
        }
    }

    // MARK: - YUV

    /// The rows of the scratch memory.
    private enum Line: Int, CaseIterable {
        case upperLuma, lowerLuma, meanLuma, chromaBlue, chromaRed, pairedBlue, pairedRed, newSamples
    }

    private func line(_ line: Line) -> UnsafeMutablePointer<UInt8> { lines.row(line.rawValue) }

    private func recolor(_ frame: FrameImage, _ gains: ChannelGains) {
        guard let luma = frame.channel(.luma), let blue = frame.channel(.chromaBlue),
            let red = frame.channel(.chromaRed)
        else { return }
        let coefficients = SampleCoefficients(frame.colorimetry, gains)
        // Number of columns and rows outside of the visible part that share chroma with the first visible pixel: 0 or
        // 1.
        let lead = (
            columns: blue.columns == 2 ? frame.window.x & 1 : 0, rows: blue.rows == 2 ? frame.window.y & 1 : 0
        )
        rows.resize(width: blue.columns * blue.width, height: Line.allCases.count)
        lines = rows.image
        for unit in 0..<blue.height {
            let upper = max(0, unit * blue.rows - lead.rows)
            let lower = min(luma.height - 1, unit * blue.rows - lead.rows + blue.rows - 1)
            read(luma, upper, lead.columns, into: .upperLuma)
            if lower != upper { read(luma, lower, lead.columns, into: .lowerLuma) }
            let second = line(lower == upper ? .upperLuma : .lowerLuma)
            if blue.columns == 2 {
                kernels.averageFours(line(.upperLuma), second, into: line(.meanLuma), count: blue.width)
            } else {
                line(.meanLuma).update(from: line(.upperLuma), count: blue.width)
            }
            gather(blue.row(unit), step: blue.step, to: line(.chromaBlue), count: blue.width)
            gather(red.row(unit), step: red.step, to: line(.chromaRed), count: red.width)
            spread(.chromaBlue, over: blue.columns, into: .pairedBlue, count: blue.width)
            spread(.chromaRed, over: red.columns, into: .pairedRed, count: red.width)

            recolor(.upperLuma, coefficients.luma, to: luma, upper, lead.columns)
            if lower != upper { recolor(.lowerLuma, coefficients.luma, to: luma, lower, lead.columns) }
            recolor(blue, unit, coefficients.chromaBlue)
            recolor(red, unit, coefficients.chromaRed)
        }
    }

    /// Copies each chroma sample to all pixels that share it.
    private func spread(_ chroma: Line, over columns: Int, into output: Line, count: Int) {
        if columns == 2 {
            kernels.doubleBytes(line(chroma), into: line(output), count: count)
        } else {
            line(output).update(from: line(chroma), count: count)
        }
    }

    private func recolor(_ chroma: FrameImage.Channel, _ unit: Int, _ coefficients: [Float]) {
        kernels.recolorSamples(
            line(.meanLuma), line(.chromaBlue), line(.chromaRed), coefficients: coefficients, into: line(.newSamples),
            count: chroma.width)
        scatter(line(.newSamples), to: chroma.row(unit), step: chroma.step, count: chroma.width)
    }

    /// Copies a row of luma. If chroma is shared with a pixel left or right of the visible part, this pixel gets the
    /// luma of the neighbouring visible pixel.
    private func read(_ luma: FrameImage.Channel, _ y: Int, _ lead: Int, into line: Line) {
        let to = self.line(line)
        gather(luma.row(y), step: luma.step, to: to + lead, count: luma.width)
        if lead > 0 { to[0] = to[1] }
        if lead + luma.width < lines.width { to[lead + luma.width] = to[lead + luma.width - 1] }
    }

    private func recolor(
        _ line: Line, _ coefficients: [Float], to luma: FrameImage.Channel, _ y: Int, _ lead: Int
    ) {
        let to = luma.step == 1 ? luma.row(y) : self.line(.newSamples)
        kernels.recolorSamples(
            self.line(line) + lead, self.line(.pairedBlue) + lead, self.line(.pairedRed) + lead,
            coefficients: coefficients,
            into: to, count: luma.width
        )
        if luma.step > 1 { scatter(to, to: luma.row(y), step: luma.step, count: luma.width) }
    }
}

/// Coefficients for the kernel `recolorSamples`.
private struct SampleCoefficients {
    let luma: [Float]
    let chromaBlue: [Float]
    let chromaRed: [Float]

    init(_ colorimetry: Colorimetry, _ gains: ChannelGains) {
        let (red, green, blue) = (gains.red.sanitized, gains.green.sanitized, gains.blue.sanitized)
        let weights = colorimetry.pixelWeights.map(Double.init)
        let (ofLuma, blueInBlue, blueInGreen) = (weights[0], weights[1], weights[2])
        let (redInGreen, redInRed) = (weights[3], weights[4])
        let inputs = [
            red.gain * ofLuma, 0, red.gain * redInRed, red.gain * weights[7] + red.offset,
            green.gain * ofLuma, green.gain * blueInGreen, green.gain * redInGreen,
            green.gain * weights[6] + green.offset,
            blue.gain * ofLuma, blue.gain * blueInBlue, 0, blue.gain * weights[5] + blue.offset,
        ].map(Float.init)
        let outputs = colorimetry.sampleWeights
        func coefficients(_ ofBlueGreenRed: [Float]) -> [Float] {
            inputs + [ofBlueGreenRed[2], ofBlueGreenRed[1], ofBlueGreenRed[0], ofBlueGreenRed[3]]
        }
        luma = coefficients(outputs.luma)
        chromaBlue = coefficients(outputs.chromaBlue)
        chromaRed = coefficients(outputs.chromaRed)
    }
}
