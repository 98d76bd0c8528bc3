// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// The source position of each pixel (the position in the input from which it gets its colour), for warps whose
/// parameters change. For each frame, kernels compute the positions again, with an error below 0.1 pixel. A
/// `SamplingMap` is exact, but its creation takes about 50 times as long.
struct MovingMap: Source {
    let name = "map"
    let others: [FilterLocation] = []

    /// The warps in reverse order: the last warp of the chain comes first, because the kernels go from the result back
    /// to the input.
    private let steps: [(formula: WarpFormula, edges: WarpEdges)]
    private let isNearest: Bool
    private let width: Int
    private let height: Int

    /// Maximum width and height of a frame, in pixels. In larger frames, the rounding errors of positions would exceed
    /// 0.1 pixel.
    private static let maxSide = 8192

    /// Returns nil if the frame is too large, or if a warp has no formula for kernels.
    /// - Parameter warps: the warps, in the order of their application.
    init?(_ warps: [Warp], width: Int, height: Int) {
        guard max(width, height) <= Self.maxSide else { return nil }
        var steps: [(formula: WarpFormula, edges: WarpEdges)] = []
        for warp in warps.reversed() {
            guard let formula = warp.formula else { return nil }
            steps.append((formula(Double(width), Double(height)), warp.edges))
        }
        (self.steps, self.width, self.height) = (steps, width, height)
        isNearest = warps.contains(where: \.isNearest)
    }

    func begin(_ pass: RowPass, _ frame: FrameRun) { frame.clearEmptyPixel(pass) }

    func run(_ part: RowPass.Part, of pass: RowPass, _ frame: FrameRun, _ memory: WorkerMemory) {
        for y in part.rows {
            fill(memory, x: part.x, y: y, count: part.count, frame.kernels)
            frame.sample(pass, part, y, memory.indices, isNearest ? nil : memory.distances, memory)
        }
    }

    /// Computes the positions for pixels of a row.
    /// - Parameter count: at most the number of pixels of a tile.
    func fill(_ memory: WorkerMemory, x: Int, y: Int, count: Int, _ kernels: any KernelSet) {
        let (xs, ys) = (memory.tile, memory.tile + WorkerMemory.plane)
        kernels.fillPositions(xs, ys, column: Float(x) + 0.5, row: Float(y) + 0.5, count: count)
        for (formula, edges) in steps {
            formula.withPointer { kernels.movePositions(formula.kind, xs, ys, parameters: $0, count: count) }
            kernels.limitPositions(edges, xs, ys, width: Float(width), height: Float(height), count: count)
        }
        kernels.convertPositions(
            xs, ys, stride: UInt32(truncatingIfNeeded: Surface.stride(width: width)),
            outside: UInt32(truncatingIfNeeded: Surface.emptyPixel(width: width, height: height)),
            nearest: isNearest, indices: memory.indices, distances: memory.distances, count: count)
    }
}
