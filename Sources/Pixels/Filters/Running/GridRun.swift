extension FrameRun {
    /// Some pixels of a row, at most a tile, from between two rows and two columns each.
    /// - Parameter bytes: where they are written to as bytes, or nil for wide pixels in `memory`.
    func stretch(
        _ grid: SamplingGrid, _ source: PixelRows, x: Int, y: Int, count: Int, bytes: UnsafeMutableRawPointer?,
        _ memory: WorkerMemory
    ) -> PixelRows {
        let (filters, (row, share)) = (kernels.filters, grid.rows[y])
        let span = grid.span(x: x)
        let mixed = memory.lines(8 * (width + 1)).assumingMemoryBound(to: UInt16.self)
        let (from, samples) = (source.pixel(span.lowerBound, row), 4 * span.count)
        let to = mixed + 4 * span.lowerBound
        if source.depth == .wide {
            filters.mixWideRows(
                from.assumingMemoryBound(to: UInt16.self),
                (from + source.stride).assumingMemoryBound(to: UInt16.self), share, to, samples)
        } else {
            filters.mixRows(
                from.assumingMemoryBound(to: UInt8.self),
                (from + source.stride).assumingMemoryBound(to: UInt8.self), share, to, samples)
        }
        let left = memory.collected.assumingMemoryBound(to: UInt16.self)
        let right = left + 4 * WorkerMemory.tile
        grid.columns.withUnsafeBufferPointer { columns in
            guard let columns = columns.baseAddress else { return }
            filters.collectColumns(mixed, columns + x, left, right, count)
        }
        return grid.shares.withUnsafeBufferPointer { shares in
            let output = PixelRows(base: bytes ?? memory.pixels, stride: 0, depth: bytes == nil ? .wide : .four)
            guard let shares = shares.baseAddress.map({ $0 + 4 * x }) else { return output }
            if bytes == nil {
                filters.mixWideColumns(
                    left, right, shares, output.base.assumingMemoryBound(to: UInt16.self), 4 * count)
            } else {
                filters.mixColumns(left, right, shares, output.base.assumingMemoryBound(to: UInt8.self), 4 * count)
            }
            return output
        }
    }
}
