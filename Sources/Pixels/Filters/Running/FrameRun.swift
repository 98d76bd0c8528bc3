internal import KernelTypes

/// Execution of a plan on a frame. Threads share it; none changes it.
struct FrameRun {
    let kernels: any KernelSet
    let plan: FilterPlan
    let width: Int
    let height: Int
    let places: ChannelPlaces
    private let frame: PixelRows
    private let surfaces: [Surface]
    let pyramid: Pyramid

    init(_ plan: FilterPlan, _ image: Image, surfaces: [Surface], pyramid: Pyramid, kernels: any KernelSet) {
        (self.plan, self.surfaces, self.pyramid, self.kernels) = (plan, surfaces, pyramid, kernels)
        (width, height, places) = (image.width, image.height, ChannelPlaces(image.format))
        let depth = PixelRows.Depth(rawValue: image.format.bytesPerPixel) ?? .four
        frame = PixelRows(base: image.base, stride: image.stride, depth: depth)
    }

    /// The same on a picture of our own instead of the frame.
    init(_ run: FrameRun, on surface: Surface) {
        (plan, surfaces, pyramid, kernels, places) = (run.plan, [], run.pyramid, run.kernels, run.places)
        (width, height) = (surface.width, surface.height)
        frame = surface.rows(isWide: true)
    }

    func rows(_ location: FilterLocation) -> PixelRows {
        switch location {
        case .frame: return frame
        case .surface(let number, let isWide):
            return number < surfaces.count ? surfaces[number].rows(isWide: isWide) : frame
        case .half:
            guard let half = pyramid.levels.first?.rows(isWide: true) else { return frame }
            return PixelRows(base: half.base, stride: half.stride, depth: .half)
        }
    }

    // MARK: - Tiles

    /// Reads some pixels of a row as three planes.
    func load(
        _ rows: PixelRows, x: Int, y: Int, count: Int, into tile: UnsafeMutablePointer<Float>, _ memory: WorkerMemory
    ) {
        let (plane, offsets) = (WorkerMemory.plane, places.colors)
        if rows.depth == .half {
            let half = PixelRows(base: rows.base, stride: rows.stride, depth: .wide)
            let pixels = enlarge(half, x: x, y: y, count: count, memory)
            return kernels.loadWideTile(pixels, into: tile, plane: plane, offsets: offsets, count: count)
        }
        let from = rows.pixel(x, y)
        switch rows.depth {
        case .half: break
        case .four: kernels.loadTile(from, into: tile, plane: plane, offsets: offsets, count: count)
        case .wide: kernels.loadWideTile(from, into: tile, plane: plane, offsets: offsets, count: count)
        case .three:
            kernels.widenPixels(from, into: memory.pixels, count: count)
            kernels.loadTile(memory.pixels, into: tile, plane: plane, offsets: offsets, count: count)
        case .gray:
            kernels.spreadGray(from.assumingMemoryBound(to: UInt8.self), into: memory.pixels, count: count)
            kernels.loadTile(memory.pixels, into: tile, plane: plane, offsets: offsets, count: count)
        }
    }

    /// Reads pixels that may lie outside of the picture, where the outermost ones are repeated.
    /// - Parameter planes: 4 for the fourth sample of wide pixels too.
    func loadExtended(
        _ rows: PixelRows, x: Int, y: Int, count: Int, into tile: UnsafeMutablePointer<Float>, _ memory: WorkerMemory,
        planes: Int = 3
    ) {
        let row = min(max(0, y), height - 1)
        // The pixels that exist; of a piece that is wholly outside, the nearest one, put at its end.
        let first = min(max(0, x), width - 1, max(0, x + count - 1))
        let place = min(max(0, first - x), count - 1)
        let length = max(1, min(width - first, count - place))
        load(rows, x: first, y: row, count: length, into: tile + place, memory)
        if planes > 3 {
            kernels.loadWidePlane(
                rows.pixel(first, row), into: tile + place + 3 * WorkerMemory.plane, place: places.fourth, count: length
            )
        }
        for plane in 0..<planes {
            let values = tile + plane * WorkerMemory.plane
            values.update(repeating: values[place], count: place)
            let end = place + length
            (values + end).update(repeating: values[end - 1], count: count - end)
        }
    }

    /// Writes a tile into some pixels of a row.
    func store(
        _ tile: UnsafePointer<Float>, _ rows: PixelRows, x: Int, y: Int, count: Int, _ memory: WorkerMemory
    ) {
        let to = rows.pixel(x, y)
        let (plane, offsets) = (WorkerMemory.plane, places.colors)
        switch rows.depth {
        case .four: kernels.storeTile(tile, plane: plane, into: to, offsets: offsets, count: count)
        case .wide: kernels.storeWideTile(tile, plane: plane, into: to, offsets: offsets, count: count)
        case .three:
            kernels.storeTile(tile, plane: plane, into: memory.pixels, offsets: offsets, count: count)
            kernels.narrowPixels(memory.pixels, into: to, count: count)
        case .gray: kernels.storeGray(tile, plane: plane, into: to.assumingMemoryBound(to: UInt8.self), count: count)
        case .half: break
        }
    }

    /// The samples of a pixel that are copied.
    enum Samples {
        case fourth, colors, all
    }

    /// Copies samples of pixels of four samples. Other pixels have no fourth one, and stay as they are.
    func copy(
        _ samples: Samples, _ from: UnsafeRawPointer, _ depth: PixelRows.Depth, into rows: PixelRows, x: Int, y: Int,
        count: Int
    ) {
        let to = rows.pixel(x, y)
        let (fourth, wideFourth) = (places.fourthMask, places.wideFourthMask)
        let mask = samples == .all ? .max : samples == .fourth ? fourth : ~fourth
        let wideMask = samples == .all ? .max : samples == .fourth ? wideFourth : ~wideFourth
        switch (depth, rows.depth) {
        case (.four, .four) where samples == .all: to.copyMemory(from: from, byteCount: 4 * count)
        case (.wide, .wide) where samples == .all: to.copyMemory(from: from, byteCount: 8 * count)
        case (.four, .four): kernels.mergePixels(from, into: to, mask: mask, count: count)
        case (.wide, .wide): kernels.mergeWidePixels(from, into: to, mask: wideMask, count: count)
        case (.wide, .four): kernels.mergeNarrowed(from, into: to, mask: mask, count: count)
        case (.four, .wide): kernels.mergeWidened(from, into: to, mask: wideMask, count: count)
        default: break
        }
    }
}
