// SPDX-License-Identifier: LGPL-2.1-or-later
internal import KernelTypes

/// Copies the image unchanged.
struct Copy: Source {
    let name = "copy"
    let others: [FilterLocation] = []
    let part = (rows: 16, columns: WorkerMemory.largeTile)
    let isCheap = true

    func run(_ part: RowPass.Part, of pass: RowPass, _ frame: FrameRun, _ memory: WorkerMemory) {
        let (input, output) = (frame.rows(pass.input), frame.rows(pass.output))
        for y in part.rows {
            if pass.stages.isEmpty, input.depth == .four {
                frame.copy(.all, input.from(part.x, y), into: output.from(part.x, y), count: part.count)
            } else {
                frame.load(input, x: part.x, y: y, count: part.count, into: memory.tile, memory)
                frame.finish(pass, part, y, memory)
            }
        }
    }
}

/// Combines the input image with a second image by a formula.
struct CombinedPictures: Source {
    let combination: Combination
    let other: FilterLocation
    let name = "combination"
    let part = (rows: 16, columns: WorkerMemory.largeTile)
    var others: [FilterLocation] { [other] }

    func run(_ part: RowPass.Part, of pass: RowPass, _ frame: FrameRun, _ memory: WorkerMemory) {
        let (tile, plane, x, count) = (memory.tile, WorkerMemory.plane, part.x, part.count)
        for y in part.rows {
            frame.load(frame.rows(pass.input), x: x, y: y, count: count, into: tile, memory)
            frame.load(frame.rows(other), x: x, y: y, count: count, into: tile + 3 * plane, memory)
            combination.parameters.withPointer {
                frame.kernels.combineTiles(combination.kind, tile: tile, plane: plane, parameters: $0, count: count)
            }
            frame.finish(pass, part, y, memory)
        }
    }
}

/// Copies the image, and stores luma² / 255 as the fourth sample of each pixel.
struct LumaSquares: Source {
    let name = "squares"
    let others: [FilterLocation] = []

    func run(_ part: RowPass.Part, of pass: RowPass, _ frame: FrameRun, _ memory: WorkerMemory) {
        let (tile, plane, x, count) = (memory.tile, WorkerMemory.plane, part.x, part.count)
        let output = frame.rows(pass.output)
        for y in part.rows {
            frame.load(frame.rows(pass.input), x: x, y: y, count: count, into: tile, memory)
            frame.kernels.addLuma(tile, plane: plane, squared: true, count: count)
            frame.store(tile, output, x: x, y: y, count: count, memory)
            frame.kernels.storePlane(
                tile + 3 * plane, into: output.pixel(x, y), index: frame.sampleOffsets.alphaOrPadding, count: count)
        }
    }
}

/// Computes the Kuwahara filter. Each pixel is a corner of four squares. The pixel gets the mean colour of the square
/// whose luma has the smallest variance.
struct KuwaharaSquares: Source {
    /// An image with means of squares. Each pixel contains the mean colour of the square around the pixel. Its fourth
    /// sample is the mean of luma² / 255.
    let means: FilterLocation
    /// The sides of the squares are 2 · `reach` + 1 pixels long.
    let reach: Int
    let name = "squares with the lowest variance"
    var others: [FilterLocation] { [means] }

    func run(_ part: RowPass.Part, of pass: RowPass, _ frame: FrameRun, _ memory: WorkerMemory) {
        let plane = WorkerMemory.plane
        let windows = memory.tile + 3 * plane
        for y in part.rows {
            for (index, (dx, dy)) in [(-reach, -reach), (reach, -reach), (-reach, reach), (reach, reach)].enumerated() {
                frame.loadExtended(
                    frame.rows(means), x: part.x + dx, y: y + dy, count: part.count,
                    into: windows + 4 * index * plane, memory, planes: 4)
            }
            frame.kernels.kuwahara(windows, into: memory.tile, plane: plane, count: part.count)
            frame.finish(pass, part, y, memory)
        }
    }
}

/// Fills square blocks with their mean colours.
struct Blocks: Source {
    let size: Int
    let name = "blocks"
    let others: [FilterLocation] = []
    var part: (rows: Int, columns: Int) { (size, max(1, WorkerMemory.tile / size) * size) }

    func run(_ part: RowPass.Part, of pass: RowPass, _ frame: FrameRun, _ memory: WorkerMemory) {
        let (tile, plane, count) = (memory.tile, WorkerMemory.plane, part.count)
        let sums = tile + 3 * plane
        for channel in 0..<3 { (sums + channel * plane).update(repeating: 0, count: count) }
        for y in part.rows {
            frame.load(frame.rows(pass.input), x: part.x, y: y, count: count, into: tile, memory)
            for channel in 0..<3 {
                frame.kernels.addPlane(tile + channel * plane, to: sums + channel * plane, count: count)
            }
        }
        for channel in 0..<3 {
            frame.kernels.averageBlocks(sums + channel * plane, rows: part.rows.count, block: size, count: count)
        }
        for y in part.rows {
            for channel in 0..<3 { (tile + channel * plane).update(from: sums + channel * plane, count: count) }
            frame.finish(pass, part, y, memory)
        }
    }
}

extension Neighbourhood: Source {
    var name: String { "neighbours" }
    var others: [FilterLocation] { [] }
    private var needsLuma: Bool { kind == .emboss || kind == .comic }
    /// Maximum distance of the neighbours that the filter reads, in pixels.
    var margin: Int { kind == .median5 ? 2 : 1 }

    func run(_ part: RowPass.Part, of pass: RowPass, _ frame: FrameRun, _ memory: WorkerMemory) {
        let (margin, plane, count, kernels) = (margin, WorkerMemory.plane, part.count, frame.kernels)
        let input = frame.rows(pass.input)
        func prepare(_ y: Int) {
            let row = memory.ring(y + margin) - margin
            frame.loadExtended(input, x: part.x - margin, y: y, count: count + 2 * margin, into: row, memory)
            if needsLuma { kernels.addLuma(row, plane: plane, squared: false, count: count + 2 * margin) }
        }
        for y in (part.rows.lowerBound - margin)..<(part.rows.lowerBound + margin) { prepare(y) }
        for y in part.rows {
            prepare(y + margin)
            func row(_ distance: Int, _ channel: Int = 0) -> UnsafeMutablePointer<Float> {
                memory.ring(y + distance + margin) + channel * plane
            }
            switch kind {
            case .median3:
                for channel in 0..<3 {
                    kernels.median3(
                        row(-1, channel), row(0, channel), row(1, channel), columns: memory.tile + 3 * plane,
                        plane: plane, into: memory.tile + channel * plane, count: count)
                }
            case .median5:
                for channel in 0..<3 {
                    kernels.median5(
                        row(-2, channel), row(-1, channel), row(0, channel), row(1, channel), row(2, channel),
                        into: memory.tile + channel * plane, count: count)
                }
            case .edges, .emboss, .comic:
                parameters.withPointer {
                    kernels.filterNeighbours(
                        kind, above: row(-1), here: row(0), below: row(1), rowPlane: plane, parameters: $0,
                        into: memory.tile, plane: plane, count: count)
                }
            }
            frame.finish(pass, part, y, memory)
        }
    }
}
