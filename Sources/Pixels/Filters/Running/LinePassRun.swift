internal import KernelTypes

extension FrameRun {
    /// Lines that the kernels filter at once, and floats of one of their pixels.
    private static let lines = 16
    private static let lanes = 64
    /// Pixels before and after lines.
    private static let margin = 9

    func run(_ pass: LinePass, pool: WorkerPool, strips: StripMemory, _ memories: [WorkerMemory]) {
        switch pass.direction {
        case .acrossAndDown:
            let stripStep = strips.prepare(width: width, height: height)
            pool.run(units: (height + Self.lines - 1) / Self.lines) { worker, unit in
                goAcross(pass, unit, strips.base, stripStep, memories[worker])
            }
            pool.run(units: (width + Self.lines - 1) / Self.lines) { worker, unit in
                goDown(pass, unit, strips.base + unit * stripStep, memories[worker])
            }
        case .slanted(let slant):
            let length = slant.isFlat ? width : height
            let limit = slant.isFlat ? height : width
            let shifts = slant.shifts(length)
            // A line that begins outside may enter later.
            let (least, most) = (Int(shifts.min() ?? 0), Int(shifts.max() ?? 0))
            let count = limit + most - least
            pool.run(units: (count + Self.lines - 1) / Self.lines) { worker, unit in
                goAlong(pass, slant, shifts, first: unit * Self.lines - most, length, limit, memories[worker])
            }
        }
    }

    /// Memory in which lines are filtered.
    private struct LineMemory {
        let values: UnsafeMutablePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let sums: UnsafeMutablePointer<Float>
        let words: UnsafeMutablePointer<UInt64>

        init(_ memory: WorkerMemory, length: Int) {
            let (lanes, margin) = (FrameRun.lanes, FrameRun.margin)
            let floats = lanes * (2 * length + 2 * margin + 1)
            // Words may extend to the end of a block.
            let base = memory.lines(4 * floats + 8 * FrameRun.lines * (length + FrameRun.lines))
            let start = base.assumingMemoryBound(to: Float.self)
            values = start + lanes * margin
            output = values + lanes * (length + margin)
            sums = output + lanes * length
            words = UnsafeMutableRawPointer(sums + lanes).assumingMemoryBound(to: UInt64.self)
        }
    }

    /// Filters lines; the result is in `output`.
    private func filter(_ filter: LineFilter, _ memory: LineMemory, length: Int) {
        switch filter {
        case .weights(let weights):
            let isFar = weights.count > 6
            kernels.extendLanes(memory.values, length: length, margin: isFar ? 9 : 5)
            if isFar {
                kernels.blurFar(memory.values, length: length, weights: weights, into: memory.output)
            } else {
                kernels.blurNear(memory.values, length: length, weights: weights, into: memory.output)
            }
        case .box(let radius):
            let reach = floored(radius)
            kernels.blurByBox(
                memory.values, length: length, reach: reach, share: Float(radius - Double(reach)), sums: memory.sums,
                into: memory.output)
        }
    }

    /// Collects lines and makes lanes of them.
    private func gather(
        _ source: PixelRows, isFlat: Bool, _ shifts: [Int32], first: Int, limit: Int, length: Int, _ memory: LineMemory
    ) {
        let pixel = source.depth.rawValue
        let (step, lineStep) = isFlat ? (pixel, source.stride) : (source.stride, pixel)
        if source.depth == .wide {
            kernels.gatherWideLines(
                source.base, step: step, lineStep: lineStep, shifts: shifts, first: first, limit: limit, length: length,
                into: memory.words)
            memory.words.withMemoryRebound(to: UInt16.self, capacity: Self.lanes * length) {
                kernels.fillLanes(memory.values, samples: $0, count: Self.lanes * length)
            }
        } else {
            memory.words.withMemoryRebound(to: UInt32.self, capacity: 2 * Self.lines * length) {
                kernels.gatherLines(
                    source.base, step: step, lineStep: lineStep, shifts: shifts, first: first, limit: limit,
                    length: length, into: $0)
            }
            memory.words.withMemoryRebound(to: UInt8.self, capacity: 2 * Self.lanes * length) {
                kernels.fillLanes(memory.values, bytes: $0, count: Self.lanes * length)
            }
        }
    }

    private func storeWords(length: Int, _ memory: LineMemory) {
        memory.words.withMemoryRebound(to: UInt16.self, capacity: Self.lanes * length) {
            kernels.storeLanes(memory.output, samples: $0, count: Self.lanes * length)
        }
    }

    /// Blurs sixteen rows, and puts the result as blocks of sixteen columns into the strips.
    private func goAcross(
        _ pass: LinePass, _ unit: Int, _ strips: UnsafeMutableRawPointer, _ stripStep: Int, _ memory: WorkerMemory
    ) {
        let memory = LineMemory(memory, length: width)
        gather(
            rows(pass.source), isFlat: true, [Int32](repeating: 0, count: width), first: unit * Self.lines,
            limit: height, length: width, memory)
        filter(pass.filter, memory, length: width)
        let block = Self.lines * Self.lanes
        for strip in 0..<(width + Self.lines - 1) / Self.lines {
            let to = (strips + (strip * stripStep + unit * 2 * block)).assumingMemoryBound(to: UInt16.self)
            kernels.storeLanes(
                memory.output + strip * block, samples: to, count: min(block, Self.lanes * width - strip * block))
        }
    }

    /// Blurs the columns of a strip, and writes them.
    private func goDown(_ pass: LinePass, _ unit: Int, _ strip: UnsafeMutableRawPointer, _ memory: WorkerMemory) {
        let memory = LineMemory(memory, length: height)
        let count = Self.lanes * height
        kernels.turnBlocks(
            strip.assumingMemoryBound(to: UInt64.self), into: memory.words,
            count: (height + Self.lines - 1) / Self.lines)
        memory.words.withMemoryRebound(to: UInt16.self, capacity: count) {
            kernels.fillLanes(memory.values, samples: $0, count: count)
        }
        filter(pass.filter, memory, length: height)
        let (from, to) = (rows(pass.source), rows(pass.destination))
        let x = unit * Self.lines
        let columns = min(Self.lines, width - x)
        if plan.movesAlpha, pass.source != pass.destination {
            for y in 0..<height {
                copy(.fourth, from.pixel(x, y), from.depth, into: to, x: x, y: y, count: columns)
            }
        }
        if to.depth == .wide {
            storeWords(length: height, memory)
            let mask = pass.allSamples ? .max : ~places.wideFourthMask
            kernels.mergeWideColumn(
                memory.words, mask: mask, into: to.pixel(x, 0), stride: to.stride, count: columns, rows: height)
        } else {
            memory.words.withMemoryRebound(to: UInt8.self, capacity: count) {
                kernels.storeLanes(memory.output, bytes: $0, count: count)
            }
            kernels.mergeColumn(
                memory.words, mask: ~places.fourthMask, into: to.pixel(x, 0), stride: to.stride, count: columns,
                rows: height)
        }
    }

    private func goAlong(
        _ pass: LinePass, _ slant: Slant, _ shifts: [Int32], first: Int, _ length: Int, _ limit: Int,
        _ memory: WorkerMemory
    ) {
        let memory = LineMemory(memory, length: length)
        gather(rows(pass.source), isFlat: slant.isFlat, shifts, first: first, limit: limit, length: length, memory)
        filter(pass.filter, memory, length: length)
        storeWords(length: length, memory)
        let to = rows(pass.destination)
        let (step, lineStep) = slant.isFlat ? (8, to.stride) : (to.stride, 8)
        kernels.scatterWideLines(
            memory.words, mask: ~places.wideFourthMask, into: to.base, step: step, lineStep: lineStep, shifts: shifts,
            first: first, limit: limit, length: length)
        // Alpha stays where it is.
    }
}

/// Room for a picture between the rows and the columns of a blur: strips of sixteen columns, each of blocks of sixteen
/// rows from top to bottom.
final class StripMemory {
    private(set) var base: UnsafeMutableRawPointer
    private var bytes = 64

    init() { base = .allocate(byteCount: 64, alignment: 64) }

    deinit { base.deallocate() }

    /// - Returns: bytes from one strip to the next.
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
