// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

extension LinePass: FilterPass {
    /// The kernels filter 16 lines at once (`lines`). These lines have 64 floats at each position (`lanes`): four
    /// samples for each line.
    private static let lines = 16
    private static let lanes = 64
    /// Number of positions before the start and after the end of the lines, for repeated border pixels.
    private static let margin = 9

    func run(on frame: FrameRun) {
        let (width, height) = (frame.width, frame.height)
        switch direction {
        case .acrossAndDown:
            let stripStep = frame.strips.prepare(width: width, height: height)
            frame.share(height, by: Self.lines) { rows, memory in
                goAcross(rows.lowerBound, frame, frame.strips.base, stripStep, memory)
            }
            frame.share(width, by: Self.lines) { columns, memory in
                goDown(columns, frame, frame.strips.base + columns.lowerBound / Self.lines * stripStep, memory)
            }
        case .slanted(let line):
            let (length, limit) = line.isFlat ? (width, height) : (height, width)
            let shifts = line.shifts(length)
            // A slanted line may start outside of the image and enter it later. So the index of a line may be negative,
            // or greater than the index of the last row (or column).
            let (minimum, maximum) = (Int(shifts.min() ?? 0), Int(shifts.max() ?? 0))
            // The lines do not move alpha, and write only the colours.
            if frame.movesAlpha, input != output {
                frame.share(height, by: Self.lines) { rows, _ in
                    frame.copy(
                        .alphaOrPadding, frame.rows(input).from(0, rows.lowerBound),
                        into: frame.rows(output).from(0, rows.lowerBound), count: width, rows: rows.count)
                }
            }
            frame.share(limit + maximum - minimum, by: Self.lines) { lines, memory in
                goAlong(line, shifts, first: lines.lowerBound - maximum, length, limit, frame, memory)
            }
        }
    }

    private struct LineMemory {
        let values: UnsafeMutablePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let sums: UnsafeMutablePointer<Float>
        let pixels: UnsafeMutableRawPointer

        init(_ memory: WorkerMemory, length: Int) {
            let (lanes, margin) = (LinePass.lanes, LinePass.margin)
            let floats = lanes * (2 * length + 2 * margin + 1)
            // `transposeBlocks` writes blocks of 16 pixels per line. The last block may end after the end of the lines,
            // so allocate memory for one more block.
            let base = memory.lines(4 * floats + 8 * LinePass.lines * (length + LinePass.lines))
            values = base.assumingMemoryBound(to: Float.self) + lanes * margin
            output = values + lanes * (length + margin)
            sums = output + lanes * length
            pixels = UnsafeMutableRawPointer(sums + lanes)
        }
    }

    /// Filters lines from `memory.values` into `memory.output`.
    private func filter(_ memory: LineMemory, length: Int, _ kernels: any KernelSet) {
        switch filter {
        case .weights(let weights):
            let reach = weights.count - 1
            kernels.extendLanes(memory.values, length: length, margin: reach)
            kernels.blur(memory.values, length: length, reach: reach, weights: weights, into: memory.output)
        case .box(let radius):
            let reach = floored(radius)
            kernels.blurByBox(
                memory.values, length: length, reach: reach, share: Float(radius - Double(reach)), sums: memory.sums,
                into: memory.output)
        }
    }

    private func gather(
        isFlat: Bool, _ shifts: [Int32], first: Int, limit: Int, length: Int, _ frame: FrameRun, _ memory: LineMemory
    ) {
        let picture = frame.rows(input)
        let (pixel, sixteenBit) = (picture.depth.rawValue, picture.depth == .sixteenBit)
        frame.kernels.gatherLines(
            picture.base, sixteenBit: sixteenBit, step: isFlat ? pixel : picture.stride,
            lineStep: isFlat ? picture.stride : pixel, shifts: shifts, first: first, limit: limit, length: length,
            into: memory.pixels)
        frame.kernels.fillLanes(
            memory.values, samples: memory.pixels, sixteenBit: sixteenBit, count: Self.lanes * length)
    }

    /// Blurs sixteen rows. Stores the result in `strips`, as blocks of sixteen columns.
    private func goAcross(
        _ y: Int, _ frame: FrameRun, _ strips: UnsafeMutableRawPointer, _ stripStep: Int, _ memory: WorkerMemory
    ) {
        let width = frame.width
        let memory = LineMemory(memory, length: width)
        gather(
            isFlat: true, [Int32](repeating: 0, count: width), first: y, limit: frame.height, length: width, frame,
            memory)
        filter(memory, length: width, frame.kernels)
        let block = Self.lines * Self.lanes
        for strip in 0..<(width + Self.lines - 1) / Self.lines {
            frame.kernels.storeLanes(
                memory.output + strip * block, samples: strips + (strip * stripStep + y / Self.lines * 2 * block),
                sixteenBit: true, count: min(block, Self.lanes * width - strip * block))
        }
    }

    /// Blurs the columns of a strip, and writes the blurred columns to the output image.
    private func goDown(
        _ columns: Range<Int>, _ frame: FrameRun, _ strip: UnsafeMutableRawPointer, _ memory: WorkerMemory
    ) {
        let (height, kernels, x) = (frame.height, frame.kernels, columns.lowerBound)
        let memory = LineMemory(memory, length: height)
        kernels.transposeBlocks(strip, into: memory.pixels, count: (height + Self.lines - 1) / Self.lines)
        kernels.fillLanes(memory.values, samples: memory.pixels, sixteenBit: true, count: Self.lanes * height)
        filter(memory, length: height, kernels)
        let to = frame.rows(output).from(x, 0)
        if frame.movesAlpha, input != output {
            frame.copy(
                .alphaOrPadding, frame.rows(input).from(x, 0), into: to, count: columns.count, rows: height)
        }
        kernels.storeLanes(
            memory.output, samples: memory.pixels, sixteenBit: to.depth == .sixteenBit, count: Self.lanes * height)
        let pixels = PixelRows(base: memory.pixels, stride: Self.lines * to.depth.rawValue, depth: to.depth)
        frame.copy(allSamples ? .all : .colors, pixels, into: to, count: columns.count, rows: height)
    }

    private func goAlong(
        _ line: LineDirection, _ shifts: [Int32], first: Int, _ length: Int, _ limit: Int, _ frame: FrameRun,
        _ memory: WorkerMemory
    ) {
        let memory = LineMemory(memory, length: length)
        gather(isFlat: line.isFlat, shifts, first: first, limit: limit, length: length, frame, memory)
        filter(memory, length: length, frame.kernels)
        frame.kernels.storeLanes(
            memory.output, samples: memory.pixels, sixteenBit: true, count: Self.lanes * length)
        let to = frame.rows(output)
        frame.kernels.scatterLines(
            memory.pixels, mask: frame.sampleOffsets.colorMask, into: to.base, step: line.isFlat ? 8 : to.stride,
            lineStep: line.isFlat ? to.stride : 8, shifts: shifts, first: first, limit: limit, length: length)
    }
}

/// Memory for the image after the blur along rows and before the blur along columns. It consists of strips of sixteen
/// columns. A strip consists of blocks of sixteen rows, from top to bottom.
final class StripMemory {
    private(set) var base: UnsafeMutableRawPointer
    private var bytes = 64

    init() { base = .allocate(byteCount: 64, alignment: 64) }

    deinit { base.deallocate() }

    /// - Returns: the number of bytes from the start of a strip to the start of the next strip.
    func prepare(width: Int, height: Int) -> Int {
        let step = 2048 * ((height + 15) / 16) + 64
        let needed = (width + 15) / 16 * step
        if needed > bytes {
            base.deallocate()
            base = .allocate(byteCount: needed, alignment: 64)
            bytes = needed
        }
        return step
    }
}
