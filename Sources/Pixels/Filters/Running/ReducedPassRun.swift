internal import KernelTypes

/// Pictures of half the size, of half that, and so on. They extend beyond the borders until only the border's pixels
/// are repeated: pixel j is made of the pixels 2j − 4 and 2j − 3 of the picture before, and of two more to each side.
final class Pyramid {
    private(set) var levels: [Surface] = []
    private var size = (width: 0, height: 0)

    /// Makes room for the smaller pictures of one of some size.
    func prepare(width: Int, height: Int, count: Int) {
        if size != (width, height) { (levels, size) = ([], (width, height)) }
        while levels.count < count {
            let last = levels.last.map { ($0.width, $0.height) } ?? (width, height)
            levels.append(Surface(width: Self.half(last.0), height: Self.half(last.1)))
        }
    }

    private static func half(_ count: Int) -> Int { (count + 6) / 2 + 1 }

    /// Pixels before the first that the first pixel of the half is made of.
    static let before = 6
}

extension FrameRun {
    /// Blurs a picture at a smaller size. The result stays at half the size, as the location `half`.
    func run(_ pass: ReducedPass, pool: WorkerPool, strips: StripMemory, _ memories: [WorkerMemory]) {
        var from = rows(pass.source)
        var size = (width, height)
        for level in pyramid.levels.prefix(pass.levels) {
            let to = level.rows(isWide: true)
            pool.run(units: (level.height + 15) / 16) { worker, unit in
                for y in unit * 16..<min(level.height, (unit + 1) * 16) {
                    reduce(from, size, into: to, width: level.width, y, memories[worker])
                }
            }
            (from, size) = (to, (level.width, level.height))
        }
        guard let last = pyramid.levels.prefix(pass.levels).last else { return }
        let small = FrameRun(self, on: last)
        let blur = LinePass(
            filter: pass.filter, direction: .acrossAndDown, source: .frame, destination: .frame, allSamples: true,
            description: "")
        small.run(blur, pool: pool, strips: strips, memories)
        for index in (0..<max(0, pass.levels - 1)).reversed() {
            let (near, to) = (pyramid.levels[index + 1], pyramid.levels[index])
            let (from, rows) = (near.rows(isWide: true), to.rows(isWide: true))
            pool.run(units: (to.height + 15) / 16) { worker, unit in
                for y in unit * 16..<min(to.height, (unit + 1) * 16) {
                    for x in stride(from: 0, to: to.width, by: WorkerMemory.tile) {
                        let count = min(WorkerMemory.tile, to.width - x)
                        let pixels = enlarge(from, x: x, y: y, count: count, memories[worker])
                        rows.pixel(x, y).copyMemory(from: pixels, byteCount: 8 * count)
                    }
                }
            }
        }
    }

    /// One row of a picture of half the size.
    private func reduce(
        _ from: PixelRows, _ size: (width: Int, height: Int), into to: PixelRows, width: Int, _ y: Int,
        _ memory: WorkerMemory
    ) {
        let before = Pyramid.before
        func row(_ index: Int) -> UnsafeMutableRawPointer {
            from.pixel(0, min(size.height - 1, max(0, 2 * y - before + index)))
        }
        let start = memory.lines(8 * (2 * width + 4)) + 8 * before
        if from.depth == .wide {
            kernels.reduceDown(
                inner: row(2), row(3), middle: row(1), row(4), outer: row(0), row(5), into: start, count: size.width)
        } else {
            func bytes(_ index: Int) -> UnsafePointer<UInt8> {
                UnsafePointer(row(index).assumingMemoryBound(to: UInt8.self))
            }
            kernels.reduceBytesDown(
                inner: bytes(2), bytes(3), middle: bytes(1), bytes(4), outer: bytes(0), bytes(5),
                into: start.assumingMemoryBound(to: UInt16.self), count: 4 * size.width)
        }
        let line = (start - 8 * before).bindMemory(to: UInt64.self, capacity: 2 * width + 4)
        let end = before + size.width
        line.update(repeating: line[before], count: before)
        (line + end).update(repeating: line[end - 1], count: 2 * width + 4 - end)
        kernels.reduceAcross(line, into: to.pixel(0, y), count: width)
    }

    /// Some pixels of a row of the picture that a smaller one was made of.
    /// - Parameter x: even.
    func enlarge(_ from: PixelRows, x: Int, y: Int, count: Int, _ memory: WorkerMemory) -> UnsafeMutableRawPointer {
        let (row, column) = (y / 2 + 2, x / 2 + 2)
        let nearer = y % 2 == 0 ? -1 : 1
        let pairs = (count + 1) / 2
        kernels.enlargeDown(
            from.pixel(column - 1, row), from.pixel(column - 1, row + nearer), from.pixel(column - 1, row - nearer),
            into: memory.collected, count: pairs + 2)
        kernels.enlargeAcross(memory.collected, into: memory.pixels, count: pairs)
        return memory.pixels
    }
}
