// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// The source positions of the rows and columns of a frame: the rows and columns of the input from which they get their
/// colours. Only for warps that map rows and columns independently of each other.
final class SamplingGrid: Source {
    let name = "map"
    let others: [FilterLocation] = []
    let isCheap = true

    /// For each output row: the input row at or above the source position (`row`), and the weight of the next input row
    /// (`share`, in units of 1/256).
    private let rows: [(row: Int, share: UInt16)]
    /// For each output column, the input column at or left of the source position.
    private let columns: [UInt32]
    /// For each output column, the weight of the next input column to the right, in units of 1/65536. Each weight is
    /// repeated four times, once per sample of a pixel.
    private let shares: [UInt16]
    /// For each tile of a row, the range of input columns that the tile needs.
    private let spans: [ClosedRange<Int>]
    /// The row that divides the frame into an upper and a lower part, for a pass that overwrites its input. Nil if the
    /// pass cannot overwrite its input.
    ///
    /// The upper part consists of the rows above this row. These rows read from positions farther down, but not below
    /// this row. The other rows read from the same position or from positions farther up, but at most one row above
    /// this row. So each part reads only one row of the other part.
    let middle: Int?

    /// Returns nil if a warp does not map rows and columns independently of each other, or if all source positions are
    /// pixel centres.
    /// - Parameter warps: the warps, in the order of their application.
    init?(_ warps: [Warp], width: Int, height: Int) {
        guard warps.allSatisfy(\.isGrid) else { return nil }
        let (right, bottom) = (Double(width), Double(height))
        let sources = warps.reversed().map { $0.source(right, bottom) }
        func fixed(_ point: Point) -> (column: Int, row: Int) {
            let point = sources.reduce(point) { point, source in
                (source(point) ?? point).inside(width: right, height: bottom)
            }
            return (fixedPoint(point.x), fixedPoint(point.y))
        }
        let columns = (0..<width).map { fixed(Point(Double($0) + 0.5, 0.5)).column }
        let rows = (0..<height).map { fixed(Point(0.5, Double($0) + 0.5)).row }
        guard !(columns + rows).allSatisfy({ $0 & 255 == 0 }) else { return nil }
        self.rows = rows.map { (row: $0 >> 8, share: UInt16($0 & 255)) }
        middle = Self.middle(rows)
        self.columns = columns.map { UInt32($0 >> 8) }
        shares = columns.flatMap { [UInt16](repeating: UInt16(($0 & 255) << 8), count: 4) }
        spans = stride(from: 0, to: width, by: WorkerMemory.tile).map { x in
            let tile = columns[x..<min(width, x + WorkerMemory.tile)]
            return (tile.min() ?? 0) >> 8...(tile.max() ?? 0) >> 8 + 1
        }
    }

    /// - Parameter rows: for each output row, the source position in units of 1/256 pixel.
    private static func middle(_ rows: [Int]) -> Int? {
        let middle = rows.indices.first { rows[$0] <= 256 * $0 } ?? rows.count
        let isDone =
            rows[..<middle].allSatisfy { $0 <= 256 * middle }
            && rows.indices[middle...].allSatisfy { rows[$0] <= 256 * $0 && rows[$0] >= 256 * (middle - 1) }
        return isDone ? middle : nil
    }

}

extension SamplingGrid {
    func run(_ part: RowPass.Part, of pass: RowPass, _ frame: FrameRun, _ memory: WorkerMemory) {
        let input = frame.rows(pass.input)
        let span = spans[min(max(0, part.x / WorkerMemory.tile), spans.count - 1)]
        for y in part.rows {
            let row = rows[y].row
            mixRows(y, input.pixel(0, row), input.pixel(0, row + 1), input.depth, columns: span, frame, memory)
            mixColumns(part, of: pass, y, frame, memory)
        }
    }

    /// Interpolates between two rows of the image. Writes 16-bit samples, starting at column 0 of the image.
    private func mixRows(
        _ y: Int, _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, _ depth: PixelRows.Depth,
        columns: ClosedRange<Int>, _ frame: FrameRun, _ memory: WorkerMemory
    ) {
        let from = columns.lowerBound * depth.rawValue
        let mixed = mixedRow(frame, memory)
        // `collectColumns` reads one column more than the image has. The weight of this column is 0, but its memory
        // must be initialised.
        mixed.advanced(by: 4 * frame.width).update(repeating: 0, count: 4)
        frame.kernels.mixRows(
            upper + from, lower + from, sixteenBit: depth == .sixteenBit, share: rows[y].share,
            into: mixed + 4 * columns.lowerBound, count: 4 * columns.count)
    }

    /// Returns memory for one row of the image with 16-bit samples, and for one more pixel.
    private func mixedRow(_ frame: FrameRun, _ memory: WorkerMemory) -> UnsafeMutablePointer<UInt16> {
        memory.lines(8 * (frame.width + 1)).assumingMemoryBound(to: UInt16.self)
    }

    /// Interpolates between columns of the result of `mixRows`, and writes the pixels.
    private func mixColumns(
        _ part: RowPass.Part, of pass: RowPass, _ y: Int, _ frame: FrameRun, _ memory: WorkerMemory
    ) {
        let left = memory.collected.assumingMemoryBound(to: UInt16.self)
        let right = left + 4 * WorkerMemory.tile
        let pixels = frame.mixed(pass, x: part.x, y: y, memory)
        columns.withUnsafeBufferPointer { columns in
            shares.withUnsafeBufferPointer { shares in
                guard let columns = columns.baseAddress, let shares = shares.baseAddress else { return }
                frame.kernels.collectColumns(
                    mixedRow(frame, memory), columns: columns + part.x, left: left, right: right, count: part.count)
                frame.kernels.mixColumns(
                    left, right, shares: shares + 4 * part.x, into: pixels.base,
                    sixteenBit: pixels.depth == .sixteenBit, count: 4 * part.count)
            }
        }
        frame.finish(pass, pixels, movesAlpha: frame.movesAlpha, part, y, memory)
    }

    /// Runs a pass that overwrites its input. Processes the rows above `middle` from top to bottom, because their
    /// source positions are below them. Processes the other rows from bottom to top. So each row is read before it is
    /// overwritten. Both parts need the two rows next to the border between the parts, so the method first copies these
    /// two rows.
    fileprivate func runInPlace(_ pass: RowPass, middle: Int, _ frame: FrameRun) {
        let (picture, width, height) = (frame.rows(.frame), frame.width, frame.height)
        let first = spans.map(\.lowerBound).min() ?? 0
        let columns = (first...(spans.map(\.upperBound).max() ?? first)).clamped(to: 0...width - 1)
        withUnsafeTemporaryAllocation(byteCount: 8 * width, alignment: 64) { kept in
            guard let kept = kept.baseAddress else { return }
            for (index, row) in [max(0, middle - 1), min(height - 1, middle)].enumerated() {
                (kept + index * 4 * width).copyMemory(from: picture.pixel(0, row), byteCount: 4 * width)
            }
            func source(_ row: Int) -> UnsafeRawPointer {
                let row = min(row, height - 1)
                let index = row - middle + 1
                return UnsafeRawPointer(index == 0 || index == 1 ? kept + index * 4 * width : picture.pixel(0, row))
            }
            let alone = frame.isCheap(stages: pass.stages.count)
            frame.share(2, by: 1, alone: alone) { half, memory in
                let isUpper = half.lowerBound == 0
                for index in 0..<(isUpper ? middle : height - middle) {
                    let y = isUpper ? index : height - 1 - index
                    let row = rows[y].row
                    mixRows(y, source(row), source(row + 1), .four, columns: columns, frame, memory)
                    for x in stride(from: 0, to: width, by: WorkerMemory.tile) {
                        let part = RowPass.Part(x: x, count: min(WorkerMemory.tile, width - x), rows: y..<y + 1)
                        mixColumns(part, of: pass, y, frame, memory)
                    }
                }
            }
        }
    }
}

/// A pass that enlarges a part of the frame in place.
struct EnlargingPass: FilterPass {
    private let pass: RowPass
    private let grid: SamplingGrid
    private let middle: Int

    /// Returns nil if the pass cannot overwrite its input.
    init?(_ pass: RowPass) {
        guard let grid = pass.source as? SamplingGrid, let middle = grid.middle else { return nil }
        (self.pass, self.grid, self.middle) = (pass, grid, middle)
    }

    var description: String { pass.description }

    func run(on frame: FrameRun) { grid.runInPlace(pass, middle: middle, frame) }
}
