internal import KernelTypes

extension FrameRun {
    /// Some pixels of some rows.
    struct Part {
        let x: Int
        let count: Int
        let rows: Range<Int>
    }

    /// Number of pixels times changes of colours that take a thread about 3 ms: sharing less costs more than it gains,
    /// since one processor has to fetch what another has in its caches.
    private static let light = 1 << 23

    private func isLight(_ pass: RowPass) -> Bool {
        switch pass.head {
        case .load, .lookUp, .scale, .flip, .stretch: width * height <= Self.light / (1 + pass.stages.count)
        default: false
        }
    }

    func run(_ pass: RowPass, pool: WorkerPool, _ memories: [WorkerMemory]) {
        // Units and parts do not depend on the number of threads.
        var (rows, columns) = (16, WorkerMemory.tile)
        switch pass.head {
        case .load, .lookUp, .scale, .combine: columns = WorkerMemory.largeTile
        case .blocks(let size): (rows, columns) = (size, max(1, columns / size) * size)
        case .sample: clearEmptyPixel(self.rows(pass.source))
        case .flip(let flip): return run(flip, pool: pool, alone: isLight(pass))
        case .stretch(let grid):
            if pass.source == .frame, let middle = grid.middle {
                return stretchInPlace(pass, grid, middle: middle, pool: pool, alone: isLight(pass), memories)
            }
        default: break
        }
        pool.run(units: (height + rows - 1) / rows, alone: isLight(pass)) { worker, unit in
            let rows = unit * rows..<min(height, (unit + 1) * rows)
            for x in stride(from: 0, to: width, by: columns) {
                run(pass, Part(x: x, count: min(columns, width - x), rows: rows), memories[worker])
            }
        }
    }

    /// Mirrors the frame in place.
    private func run(_ flip: Flip, pool: WorkerPool, alone: Bool) {
        let rows = rows(.frame)
        let mask = plan.movesAlpha ? .max : ~places.fourthMask
        let half = width / 2
        // A row and the one that it changes places with; in the middle they are the same.
        let units = flip.isDown ? (height + 1) / 2 : height
        pool.run(units: (units + 15) / 16, alone: alone) { _, unit in
            for y in unit * 16..<min(units, (unit + 1) * 16) {
                let other = flip.isDown ? height - 1 - y : y
                if other != y {
                    let (one, two) = (rows.pixel(0, y), rows.pixel(0, other))
                    if flip.isAcross {
                        kernels.exchangeReversed(one, two, mask: mask, count: width)
                    } else {
                        kernels.exchange(one, two, mask: mask, count: width)
                    }
                } else if flip.isAcross {
                    kernels.exchangeReversed(rows.pixel(0, y), rows.pixel(width - half, y), mask: mask, count: half)
                }
            }
        }
    }

    private func clearEmptyPixel(_ rows: PixelRows) {
        let pixel = Surface.emptyPixel(width: width, height: height)
        (rows.base + pixel * rows.depth.rawValue).storeBytes(of: 0, as: UInt64.self)
    }

    private func run(_ pass: RowPass, _ part: Part, _ memory: WorkerMemory) {
        switch pass.head {
        case .lookUp(let tables):
            let rows = rows(pass.source)
            for y in part.rows { tables.apply(to: rows.pixel(part.x, y), count: part.count, kernels) }
        case .scale(let scales):
            let rows = rows(pass.source)
            for y in part.rows {
                scales.apply(
                    to: rows.pixel(part.x, y).assumingMemoryBound(to: UInt8.self), count: 4 * part.count,
                    kernels)
            }
        case .blocks(let size): fillBlocks(pass, part, size, memory)
        case .neighbours(let filter): filterNeighbours(pass, filter, part, memory)
        default:
            for y in part.rows { runRow(pass, part, y, memory) }
        }
    }

    /// Runs one row of a pass that works row by row.
    private func runRow(_ pass: RowPass, _ part: Part, _ y: Int, _ memory: WorkerMemory) {
        let (source, x, count) = (rows(pass.source), part.x, part.count)
        let (tile, plane) = (memory.tile, WorkerMemory.plane)
        switch pass.head {
        case .sample(let map):
            return finish(pass, sample(map, source, x: x, y: y, count: count, pass, memory), part, y, memory)
        case .stretch(let grid):
            let bytes = givesBytes(pass) ? bytesOutput(pass, x: x, y: y, memory) : nil
            let pixels = stretch(grid, source, x: x, y: y, count: count, bytes: bytes, memory)
            return finish(pass, pixels, part, y, memory)
        case .zoom(let step):
            return finish(pass, zoom(step, source, x: x, y: y, count: count, memory), part, y, memory)
        case .combine(let way, let other):
            load(source, x: x, y: y, count: count, into: tile, memory)
            load(rows(other), x: x, y: y, count: count, into: tile + 3 * plane, memory)
            way.parameters.lend {
                kernels.combineTiles(way.kind, tile: tile, plane: plane, parameters: $0, count: count)
            }
        case .calmest(let windows, let reach):
            let others = tile + 3 * plane
            for (index, (dx, dy)) in [(-reach, -reach), (reach, -reach), (-reach, reach), (reach, reach)].enumerated() {
                loadExtended(
                    rows(windows), x: x + dx, y: y + dy, count: count, into: others + 4 * index * plane, memory,
                    planes: 4)
            }
            kernels.takeCalmest(others, into: tile, plane: plane, count: count)
        case .addSquares:
            load(source, x: x, y: y, count: count, into: tile, memory)
            kernels.addLuma(tile, plane: plane, squared: true, count: count)
            let to = rows(pass.destination)
            store(tile, to, x: x, y: y, count: count, memory)
            return kernels.storeWidePlane(tile + 3 * plane, into: to.pixel(x, y), place: places.fourth, count: count)
        default:
            if pass.stages.isEmpty, source.depth == .four {
                copy(.all, source.pixel(x, y), source.depth, into: rows(pass.destination), x: x, y: y, count: count)
                return
            }
            load(source, x: x, y: y, count: count, into: tile, memory)
        }
        finish(pass, x: x, y: y, count: count, memory)
    }

    /// Changes the colours of a tile, and writes it.
    private func finish(_ pass: RowPass, x: Int, y: Int, count: Int, _ memory: WorkerMemory) {
        for stage in pass.stages { run(stage, x: x, y: y, count: count, memory) }
        let to = rows(pass.destination)
        if plan.movesAlpha, pass.fourth != pass.destination {
            let from = rows(pass.fourth)
            copy(.fourth, from.pixel(x, y), from.depth, into: to, x: x, y: y, count: count)
        }
        store(memory.tile, to, x: x, y: y, count: count, memory)
    }

    /// Changes the colours of a row of pixels, and writes them.
    func finish(_ pass: RowPass, _ pixels: PixelRows, _ part: Part, _ y: Int, _ memory: WorkerMemory) {
        let (x, count, to) = (part.x, part.count, rows(pass.destination))
        if pixels.base == to.pixel(x, y) { return }
        // A zoom is a blur: alpha stays where it is.
        var movesFourth = plan.movesAlpha
        if case .zoom = pass.head, movesFourth {
            movesFourth = false
            let from = rows(pass.source)
            copy(.fourth, from.pixel(x, y), from.depth, into: to, x: x, y: y, count: count)
        }
        let hasFour = to.depth == .four || to.depth == .wide
        if pass.stages.isEmpty, hasFour {
            copy(movesFourth ? .all : .colors, pixels.base, pixels.depth, into: to, x: x, y: y, count: count)
            return
        }
        if movesFourth { copy(.fourth, pixels.base, pixels.depth, into: to, x: x, y: y, count: count) }
        load(pixels, x: 0, y: 0, count: count, into: memory.tile, memory)
        for stage in pass.stages { run(stage, x: x, y: y, count: count, memory) }
        store(memory.tile, to, x: x, y: y, count: count, memory)
    }

    private func run(_ stage: FilterStage, x: Int, y: Int, count: Int, _ memory: WorkerMemory) {
        let (tile, plane) = (memory.tile, WorkerMemory.plane)
        switch stage {
        case .color(let stage):
            stage.parameters.lend {
                kernels.runStage(stage.kind, tile: tile, plane: plane, mask: memory.mask, parameters: $0, count: count)
            }
        case .masked(let stage, let mask):
            mask.fill(memory.mask, x: x, y: y, count: count, kernels)
            stage.parameters.lend {
                kernels.runStage(stage.kind, tile: tile, plane: plane, mask: memory.mask, parameters: $0, count: count)
            }
        case .curve(let curve): curve.apply(to: tile, count: count, memory, kernels)
        case .cube(let cube, let scale):
            let (weights, mixed) = (tile + 3 * plane, tile + 7 * plane)
            let corners = UnsafeMutableRawPointer(tile + 11 * plane).assumingMemoryBound(to: UInt32.self)
            kernels.findCorners(
                tile, plane: plane, size: cube.size, scale: scale, corners: corners, weights: weights, count: count)
            kernels.mixCorners(
                cube.entries, corners: corners, weights: weights, mixed: mixed, into: tile, plane: plane, count: count)
        }
    }

    // MARK: - Heads

    private func fillBlocks(_ pass: RowPass, _ part: Part, _ size: Int, _ memory: WorkerMemory) {
        let (tile, plane) = (memory.tile, WorkerMemory.plane)
        let (x, count) = (part.x, part.count)
        let sums = tile + 3 * plane
        for channel in 0..<3 { (sums + channel * plane).update(repeating: 0, count: count) }
        for y in part.rows {
            load(rows(pass.source), x: x, y: y, count: count, into: tile, memory)
            for channel in 0..<3 { kernels.addPlane(tile + channel * plane, to: sums + channel * plane, count: count) }
        }
        for channel in 0..<3 {
            kernels.averageBlocks(sums + channel * plane, rows: part.rows.count, block: size, count: count)
        }
        for y in part.rows {
            for channel in 0..<3 {
                (tile + channel * plane).update(from: sums + channel * plane, count: count)
            }
            finish(pass, x: x, y: y, count: count, memory)
        }
    }

    private func filterNeighbours(_ pass: RowPass, _ filter: Neighbourhood, _ part: Part, _ memory: WorkerMemory) {
        let (margin, plane, count) = (filter.margin, WorkerMemory.plane, part.count)
        let source = rows(pass.source)
        func prepare(_ y: Int) {
            let row = memory.ring(y + margin) - margin
            loadExtended(source, x: part.x - margin, y: y, count: count + 2 * margin, into: row, memory)
            if filter.needsLuma { kernels.addLuma(row, plane: plane, squared: false, count: count + 2 * margin) }
        }
        for y in (part.rows.lowerBound - margin)..<(part.rows.lowerBound + margin) { prepare(y) }
        for y in part.rows {
            prepare(y + margin)
            func row(_ distance: Int) -> UnsafeMutablePointer<Float> { memory.ring(y + distance + margin) }
            switch filter.kind {
            case .median3:
                for channel in 0..<3 {
                    let start = channel * plane
                    kernels.median3(
                        row(-1) + start, row(0) + start, row(1) + start, columns: memory.tile + 3 * plane, plane: plane,
                        into: memory.tile + start, count: count)
                }
            case .median5:
                for channel in 0..<3 {
                    let start = channel * plane
                    kernels.median5(
                        row(-2) + start, row(-1) + start, row(0) + start, row(1) + start, row(2) + start,
                        into: memory.tile + start, count: count)
                }
            case .edges, .emboss, .comic:
                filter.parameters.lend {
                    kernels.filterNeighbours(
                        filter.kind, above: row(-1), here: row(0), below: row(1), rowPlane: plane, parameters: $0,
                        into: memory.tile, plane: plane, count: count)
                }
            }
            finish(pass, x: part.x, y: y, count: count, memory)
        }
    }

    /// Returns whether pixels go to the frame as bytes, so that they are rounded where they are mixed, not later.
    func givesBytes(_ pass: RowPass) -> Bool { pass.stages.isEmpty && rows(pass.destination).depth == .four }

    /// Returns where those are written to: their place, unless their fourth bytes must stay.
    func bytesOutput(_ pass: RowPass, x: Int, y: Int, _ memory: WorkerMemory) -> UnsafeMutableRawPointer {
        plan.movesAlpha ? rows(pass.destination).pixel(x, y) : memory.pixels
    }

    /// Takes pixels of a row from the places given by a map.
    private func sample(
        _ map: SamplingMap, _ source: PixelRows, x: Int, y: Int, count: Int, _ pass: RowPass, _ memory: WorkerMemory
    ) -> PixelRows {
        let (indices, distances) = (map.indices + (y * width + x), map.distances + (y * width + x))
        var output = PixelRows(base: memory.pixels, stride: 0, depth: source.depth)
        guard !map.isWhole else {
            if source.depth == .wide {
                kernels.copyWidePixels(source.base, indices: indices, into: output.base, count: count)
            } else {
                if givesBytes(pass) {
                    output = PixelRows(base: bytesOutput(pass, x: x, y: y, memory), stride: 0, depth: .four)
                }
                kernels.copyPixels(source.base, indices: indices, into: output.base, count: count)
            }
            return output
        }
        guard source.depth == .four else {
            return mix(source, indices, distances, count: count, memory)
        }
        let (upper, lower) = (memory.collected, memory.collected + 8 * WorkerMemory.tile)
        kernels.collectPairs(
            source.base, stride: source.stride, indices: indices, upper: upper, lower: lower, count: count)
        if givesBytes(pass) {
            output = PixelRows(base: bytesOutput(pass, x: x, y: y, memory), stride: 0, depth: .four)
            kernels.mixPairs(upper, lower, distances: distances, into: output.base, count: count)
        } else {
            output = PixelRows(base: output.base, stride: 0, depth: .wide)
            kernels.mixPairsWide(upper, lower, distances: distances, into: output.base, count: count)
        }
        return output
    }

    /// Wide pixels between those of a picture.
    private func mix(
        _ source: PixelRows, _ indices: UnsafePointer<UInt32>, _ distances: UnsafePointer<UInt16>, count: Int,
        _ memory: WorkerMemory
    ) -> PixelRows {
        let row = 8 * WorkerMemory.tile
        let (right, down) = (memory.shares, memory.shares + row)
        kernels.collectWidePixels(
            source.base, stride: source.stride, indices: indices, into: memory.collected, row: row, count: count)
        kernels.spreadDistances(distances, right: right, down: down, count: count)
        kernels.mixWidePixels(
            memory.collected.assumingMemoryBound(to: UInt16.self), row: row / 2,
            right: right.assumingMemoryBound(to: UInt16.self),
            down: down.assumingMemoryBound(to: UInt16.self), into: memory.pixels.assumingMemoryBound(to: UInt16.self),
            count: 4 * count)
        return PixelRows(base: memory.pixels, stride: 0, depth: .wide)
    }

    /// Takes the mean of some pixels of a row and of those seen there at a smaller scale.
    private func zoom(
        _ step: ZoomStep, _ source: PixelRows, x: Int, y: Int, count: Int, _ memory: WorkerMemory
    ) -> PixelRows {
        step.places(x: x, y: y, count: count, indices: memory.indices, distances: memory.distances)
        let pixels = mix(source, memory.indices, memory.distances, count: count, memory)
        kernels.average(
            pixels.base.assumingMemoryBound(to: UInt16.self),
            with: source.pixel(x, y).assumingMemoryBound(to: UInt16.self), count: 4 * count)
        return pixels
    }
}
