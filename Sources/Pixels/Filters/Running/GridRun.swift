internal import KernelTypes

extension FrameRun {
    /// Mixes pixels of a row, at most a tile, from two rows and two columns each.
    /// - Parameter bytes: where they are written to as bytes, or nil for wide pixels in `memory`.
    func stretch(
        _ grid: SamplingGrid, _ source: PixelRows, x: Int, y: Int, count: Int, bytes: UnsafeMutableRawPointer?,
        _ memory: WorkerMemory
    ) -> PixelRows {
        let row = grid.rows[y].row
        mixRows(
            grid, y, source.pixel(0, row), source.pixel(0, row + 1), source.depth, columns: grid.span(x: x), memory)
        return mixColumns(grid, x: x, count: count, bytes: bytes, memory)
    }

    /// Stretches the frame itself in place. The rows above the grid's middle come from below them and are done from the
    /// top on, the others from the bottom on, so that none is overwritten before it has been read, except the two in
    /// the middle, which both halves need, and which are kept.
    func stretchInPlace(
        _ pass: RowPass, _ grid: SamplingGrid, middle: Int, pool: WorkerPool, alone: Bool, _ memories: [WorkerMemory]
    ) {
        let (frame, rowBytes) = (rows(.frame), 4 * width)
        let columns = grid.columnsUsed.clamped(to: 0...width - 1)
        withUnsafeTemporaryAllocation(byteCount: 2 * rowBytes, alignment: 64) { kept in
            guard let kept = kept.baseAddress else { return }
            for (index, row) in [max(0, middle - 1), min(height - 1, middle)].enumerated() {
                (kept + index * rowBytes).copyMemory(from: frame.pixel(0, row), byteCount: rowBytes)
            }
            func source(_ row: Int) -> UnsafeRawPointer {
                let row = min(row, height - 1)
                let index = row - middle + 1
                return index == 0 || index == 1
                    ? UnsafeRawPointer(kept + index * rowBytes) : UnsafeRawPointer(frame.pixel(0, row))
            }
            pool.run(units: 2, alone: alone) { worker, unit in
                let memory = memories[worker]
                for index in 0..<(unit == 0 ? middle : height - middle) {
                    let y = unit == 0 ? index : height - 1 - index
                    let row = grid.rows[y].row
                    mixRows(grid, y, source(row), source(row + 1), .four, columns: columns, memory)
                    for x in stride(from: 0, to: width, by: WorkerMemory.tile) {
                        let part = Part(x: x, count: min(WorkerMemory.tile, width - x), rows: y..<y + 1)
                        let bytes = givesBytes(pass) ? bytesOutput(pass, x: x, y: y, memory) : nil
                        let pixels = mixColumns(grid, x: x, count: part.count, bytes: bytes, memory)
                        finish(pass, pixels, part, y, memory)
                    }
                }
            }
        }
    }

    /// Mixes two rows of the picture, from column 0 on, into wide samples.
    private func mixRows(
        _ grid: SamplingGrid, _ y: Int, _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, _ depth: PixelRows.Depth,
        columns: ClosedRange<Int>, _ memory: WorkerMemory
    ) {
        let share = grid.rows[y].share
        let (from, samples) = (columns.lowerBound * depth.rawValue, 4 * columns.count)
        let mixed = mixedRow(memory)
        // A column that is read without having a share.
        mixed.advanced(by: 4 * width).update(repeating: 0, count: 4)
        let to = mixed + 4 * columns.lowerBound
        if depth == .wide {
            kernels.mixWideRows(
                (upper + from).assumingMemoryBound(to: UInt16.self),
                (lower + from).assumingMemoryBound(to: UInt16.self), share: share, into: to, count: samples)
        } else {
            kernels.mixRows(
                (upper + from).assumingMemoryBound(to: UInt8.self),
                (lower + from).assumingMemoryBound(to: UInt8.self), share: share, into: to, count: samples)
        }
    }

    /// Room for wide pixels of a row, and one more.
    private func mixedRow(_ memory: WorkerMemory) -> UnsafeMutablePointer<UInt16> {
        memory.lines(8 * (width + 1)).assumingMemoryBound(to: UInt16.self)
    }

    /// Mixes columns of the result of `mixRows`.
    private func mixColumns(
        _ grid: SamplingGrid, x: Int, count: Int, bytes: UnsafeMutableRawPointer?, _ memory: WorkerMemory
    ) -> PixelRows {
        let left = memory.collected.assumingMemoryBound(to: UInt16.self)
        let right = left + 4 * WorkerMemory.tile
        grid.columns.withUnsafeBufferPointer { columns in
            guard let columns = columns.baseAddress else { return }
            kernels.collectColumns(mixedRow(memory), columns: columns + x, left: left, right: right, count: count)
        }
        return grid.shares.withUnsafeBufferPointer { shares in
            let output = PixelRows(base: bytes ?? memory.pixels, stride: 0, depth: bytes == nil ? .wide : .four)
            guard let shares = shares.baseAddress.map({ $0 + 4 * x }) else { return output }
            if bytes == nil {
                kernels.mixWideColumns(
                    left, right, shares: shares, into: output.base.assumingMemoryBound(to: UInt16.self),
                    count: 4 * count)
            } else {
                kernels.mixColumns(
                    left, right, shares: shares, into: output.base.assumingMemoryBound(to: UInt8.self), count: 4 * count
                )
            }
            return output
        }
    }
}
