// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// The execution of a plan on a frame. All threads read the same `FrameRun`, and no thread changes it.
struct FrameRun {
    let kernels: any KernelSet
    let width: Int
    let height: Int
    let sampleOffsets: SampleOffsets
    /// True if the format has alpha and a filter moves pixels. If true, the passes also move the alpha of the pixels.
    let movesAlpha: Bool
    let pyramid: Pyramid
    let strips: StripMemory
    private let pool: ThreadPool
    private let memories: [WorkerMemory]
    private let frame: PixelRows
    private let surfaces: [Surface]

    /// - Parameter image: the image that the passes process. Empty for a YUV frame that is processed in strips.
    init(
        _ plan: FilterPlan, _ image: Image, width: Int, height: Int, surfaces: [Surface], pyramid: Pyramid,
        strips: StripMemory, kernels: any KernelSet, pool: ThreadPool, memories: [WorkerMemory]
    ) {
        (self.kernels, self.surfaces, self.pyramid, self.strips) = (kernels, surfaces, pyramid, strips)
        (self.pool, self.memories, movesAlpha) = (pool, memories, plan.movesAlpha)
        (self.width, self.height, sampleOffsets) = (width, height, SampleOffsets(image.format))
        let depth = PixelRows.Depth(rawValue: image.format.bytesPerPixel) ?? .four
        frame = PixelRows(base: image.base, stride: image.stride, depth: depth)
    }

    /// Creates a run that processes an intermediate image instead of the frame.
    init(_ run: FrameRun, on surface: Surface) {
        (kernels, pyramid, strips, surfaces) = (run.kernels, run.pyramid, run.strips, [])
        (pool, memories, sampleOffsets, movesAlpha) = (run.pool, run.memories, run.sampleOffsets, run.movesAlpha)
        (width, height) = (surface.width, surface.height)
        frame = surface.rows(sixteenBit: true)
    }

    func rows(_ location: FilterLocation) -> PixelRows {
        switch location {
        case .frame: return frame
        case .surface(let number, let sixteenBit):
            return number < surfaces.count ? surfaces[number].rows(sixteenBit: sixteenBit) : frame
        case .half:
            guard let half = pyramid.levels.first?.rows(sixteenBit: true) else { return frame }
            return PixelRows(base: half.base, stride: half.stride, depth: .half)
        }
    }

    /// Divides the rows (or columns) of a frame into pieces, and calls `body` for each piece, on several threads. The
    /// pieces do not depend on the number of threads.
    /// - Parameter piece: the number of rows in a piece.
    func share(
        _ rows: Int, by piece: Int = 16, alone: Bool = false, _ body: (_ rows: Range<Int>, WorkerMemory) -> Void
    ) {
        pool.run(units: (rows + piece - 1) / piece, alone: alone) { worker, unit in
            body(unit * piece..<min(rows, (unit + 1) * piece), memories[worker])
        }
    }

    /// Maximum of the product: number of pixels × (1 + number of colour changes), for passes that run on one thread.
    /// One thread then takes at most about 3 ms. Several threads would be slower, because they read data from the
    /// caches of other processor cores.
    private static let light = 1 << 23

    /// Returns true if the frame is so small that one thread is faster than several threads. Use this only for passes
    /// with few operations per pixel.
    /// - Parameter stages: the number of colour changes.
    func isCheap(stages: Int = 0) -> Bool { width * height <= Self.light / (1 + stages) }

    // MARK: - Tiles

    /// Converts pixels of a row to floats in the red, green and blue planes of a tile.
    func load(
        _ rows: PixelRows, x: Int, y: Int, count: Int, into tile: UnsafeMutablePointer<Float>, _ memory: WorkerMemory
    ) {
        var pixels = memory.pixels
        switch rows.depth {
        case .four, .sixteenBit: pixels = rows.pixel(x, y)
        case .half: pixels = enlarge(rows, x: x, y: y, count: count, memory)
        case .three: kernels.widenPixels(rows.pixel(x, y), into: pixels, count: count)
        case .gray:
            kernels.grayToPixels(rows.pixel(x, y).assumingMemoryBound(to: UInt8.self), into: pixels, count: count)
        }
        kernels.loadTile(
            pixels, sixteenBit: rows.depth == .sixteenBit || rows.depth == .half, into: tile, plane: WorkerMemory.plane,
            offsets: sampleOffsets.colors, count: count)
    }

    /// Converts pixels of a row to floats in the planes of a tile. Outside of the image, border pixels are repeated.
    /// - Parameter planes: 3 for the colours. With 4, also reads the fourth sample of pixels with 16-bit samples.
    func loadExtended(
        _ rows: PixelRows, x: Int, y: Int, count: Int, into tile: UnsafeMutablePointer<Float>, _ memory: WorkerMemory,
        planes: Int = 3
    ) {
        let row = min(max(0, y), height - 1)
        // Read only pixels of the image. If the requested range is completely outside of the image, read the nearest
        // pixel.
        let first = min(max(0, x), width - 1, max(0, x + count - 1))
        let offset = min(max(0, first - x), count - 1)
        let length = max(1, min(width - first, count - offset))
        load(rows, x: first, y: row, count: length, into: tile + offset, memory)
        if planes > 3 {
            kernels.loadPlane(
                rows.pixel(first, row), index: sampleOffsets.alphaOrPadding,
                into: tile + offset + 3 * WorkerMemory.plane,
                count: length)
        }
        for plane in 0..<planes {
            let values = tile + plane * WorkerMemory.plane
            values.update(repeating: values[offset], count: offset)
            let end = offset + length
            (values + end).update(repeating: values[end - 1], count: count - end)
        }
    }

    /// Rounds the floats of a tile, and writes them into pixels of a row.
    func store(
        _ tile: UnsafePointer<Float>, _ rows: PixelRows, x: Int, y: Int, count: Int, _ memory: WorkerMemory
    ) {
        let (to, plane) = (rows.pixel(x, y), WorkerMemory.plane)
        switch rows.depth {
        case .four, .sixteenBit:
            kernels.storeTile(
                tile, plane: plane, into: to, sixteenBit: rows.depth == .sixteenBit, offsets: sampleOffsets.colors,
                count: count)
        case .three:
            kernels.storeTile(
                tile, plane: plane, into: memory.pixels, sixteenBit: false, offsets: sampleOffsets.colors, count: count)
            kernels.narrowPixels(memory.pixels, into: to, count: count)
        case .gray: kernels.storeGray(tile, plane: plane, into: to.assumingMemoryBound(to: UInt8.self), count: count)
        case .half: break
        }
    }

    /// Which samples of each pixel the method `copy` copies.
    enum Samples {
        case alphaOrPadding, colors, all
    }

    /// Copies samples between pixels with four samples each. If the pixels have another number of samples, does
    /// nothing.
    /// - Parameters:
    ///   - from, to: the rows. They start at the first pixel to copy.
    ///   - rows: the number of rows. Each row has `count` pixels.
    func copy(_ samples: Samples, _ from: PixelRows, into to: PixelRows, count: Int, rows: Int = 1) {
        guard from.depth.hasFourSamples, to.depth.hasFourSamples else { return }
        if samples == .all, from.depth == to.depth, rows == 1 {
            to.base.copyMemory(from: from.base, byteCount: from.depth.rawValue * count)
            return
        }
        let mask = samples == .all ? .max : samples == .colors ? sampleOffsets.colorMask : ~sampleOffsets.colorMask
        kernels.mergePixels(
            from.base, fromSixteenBit: from.depth == .sixteenBit, step: from.stride, into: to.base,
            toSixteenBit: to.depth == .sixteenBit, stride: to.stride, mask: mask, count: count, rows: rows)
    }
}
