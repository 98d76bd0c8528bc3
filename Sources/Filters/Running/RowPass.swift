// SPDX-License-Identifier: LGPL-2.1-or-later
internal import KernelTypes

/// Computes the pixels of a pass from one or several images. For example, a source copies pixels, or interpolates
/// between them.
protocol Source {
    /// The name of this operation in the description of a plan.
    var name: String { get }
    /// The images that this operation reads in addition to the input of the pass.
    var others: [FilterLocation] { get }
    /// Maximum number of rows and columns that one call of `run` processes.
    var part: (rows: Int, columns: Int) { get }
    /// True if this operation needs so few operations per pixel that one thread is faster than several threads for
    /// small frames.
    var isCheap: Bool { get }

    /// Prepares a pass, before its parts are processed.
    func begin(_ pass: RowPass, _ frame: FrameRun)
    /// Processes a part of a pass.
    func run(_ part: RowPass.Part, of pass: RowPass, _ frame: FrameRun, _ memory: WorkerMemory)
}

extension Source {
    var part: (rows: Int, columns: Int) { (16, WorkerMemory.tile) }
    var isCheap: Bool { false }
    func begin(_ pass: RowPass, _ frame: FrameRun) {}
}

/// Computes pixels with a `Source`, changes their colours, and writes them.
struct RowPass: FilterPass {
    var source: any Source
    var input: FilterLocation
    /// The image from which the pass copies alpha. Not used if no filter of the chain moves pixels.
    var alphaOrPadding: FilterLocation
    var stages: [FilterStage] = []
    var output: FilterLocation
    var description: String

    struct Part {
        let x: Int
        let count: Int
        let rows: Range<Int>
    }

    func run(on frame: FrameRun) {
        source.begin(self, frame)
        let (rows, columns) = source.part
        frame.share(frame.height, by: rows, alone: source.isCheap && frame.isCheap(stages: stages.count)) {
            rows, memory in
            for x in stride(from: 0, to: frame.width, by: columns) {
                source.run(Part(x: x, count: min(columns, frame.width - x), rows: rows), of: self, frame, memory)
            }
        }
    }
}

/// A change of colours in a pass.
enum FilterStage {
    case color(ColorStage)
    case curve(CurveEvaluator)
    case cube(ColorCube, scale: [Float])
    case masked(ColorStage, MaskRows)
}

extension FrameRun {
    /// Changes the colours of the tile in `memory`, and writes the tile to the output of the pass.
    func finish(_ pass: RowPass, _ part: RowPass.Part, _ y: Int, _ memory: WorkerMemory) {
        let (x, count, to) = (part.x, part.count, rows(pass.output))
        run(pass.stages, x: x, y: y, count: count, memory)
        if movesAlpha, pass.alphaOrPadding != pass.output {
            copy(.alphaOrPadding, rows(pass.alphaOrPadding).from(x, y), into: to.from(x, y), count: count)
        }
        store(memory.tile, to, x: x, y: y, count: count, memory)
    }

    /// Changes the colours of pixels in a row, and writes these pixels.
    /// - Parameter movesAlpha: true to copy the alpha of the pixels, too.
    func finish(
        _ pass: RowPass, _ pixels: PixelRows, movesAlpha: Bool, _ part: RowPass.Part, _ y: Int, _ memory: WorkerMemory
    ) {
        let (x, count, to) = (part.x, part.count, rows(pass.output))
        let output = to.from(x, y)
        if pixels.base == output.base { return }
        if pass.stages.isEmpty, to.depth.hasFourSamples {
            copy(movesAlpha ? .all : .colors, pixels, into: output, count: count)
            return
        }
        if movesAlpha { copy(.alphaOrPadding, pixels, into: output, count: count) }
        load(pixels, x: 0, y: 0, count: count, into: memory.tile, memory)
        run(pass.stages, x: x, y: y, count: count, memory)
        store(memory.tile, to, x: x, y: y, count: count, memory)
    }

    private func run(_ stages: [FilterStage], x: Int, y: Int, count: Int, _ memory: WorkerMemory) {
        for stage in stages {
            run(stage, count: count, memory) { $0.fill(memory.mask, x: x, y: y, count: count, kernels) }
        }
    }

    /// Changes the colours of a tile.
    /// - Parameter fillMask: computes the mask for the pixels of the tile. Called only if the stage uses a mask.
    func run(_ stage: FilterStage, count: Int, _ memory: WorkerMemory, _ fillMask: (MaskRows) -> Void) {
        let (tile, plane) = (memory.tile, WorkerMemory.plane)
        func run(_ stage: ColorStage) {
            stage.parameters.withPointer {
                kernels.runStage(stage.kind, tile: tile, plane: plane, mask: memory.mask, parameters: $0, count: count)
            }
        }
        switch stage {
        case .color(let stage): run(stage)
        case .masked(let stage, let mask):
            fillMask(mask)
            run(stage)
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

    /// Returns true if interpolated pixels can be rounded to bytes immediately. This is possible if the pass does not
    /// change colours, and writes four-byte pixels.
    func givesBytes(_ pass: RowPass) -> Bool { pass.stages.isEmpty && rows(pass.output).depth == .four }

    /// Returns memory for interpolated pixels of a row. The pixels are bytes if `givesBytes` is true, otherwise 16-bit
    /// samples. If the pixels are bytes, and the pass also moves alpha, the memory is the output row itself.
    func mixed(_ pass: RowPass, x: Int, y: Int, _ memory: WorkerMemory) -> PixelRows {
        guard givesBytes(pass) else { return PixelRows(base: memory.pixels, stride: 0, depth: .sixteenBit) }
        return PixelRows(
            base: movesAlpha ? rows(pass.output).pixel(x, y) : memory.pixels, stride: 0, depth: .four)
    }
}
