// SPDX-License-Identifier: LGPL-2.1-or-later
internal import KernelTypes

/// A series of images. Each image has about half the width and height of the previous image. Horizontally and
/// vertically, pixel j is computed from the pixels 2j − 6 to 2j − 1 of the previous image. Outside of an image, its
/// border pixels are repeated. Further pixels at the right and bottom are not stored, because they would be computed
/// from repeated border pixels only.
final class Pyramid {
    private(set) var levels: [Surface] = []
    private var size = (width: 0, height: 0)

    /// Allocates `count` smaller images for a full-size image of this size.
    func prepare(width: Int, height: Int, count: Int) {
        if size != (width, height) { (levels, size) = ([], (width, height)) }
        while levels.count < count {
            let last = levels.last.map { ($0.width, $0.height) } ?? (width, height)
            levels.append(Surface(width: Self.half(last.0), height: Self.half(last.1)))
        }
    }

    private static func half(_ count: Int) -> Int { (count + 6) / 2 + 1 }

    /// Number of repeated pixels before the border of an image. Pixel 0 of the next smaller image is computed from
    /// these pixels.
    static let before = 6
}

extension ReducedPass: FilterPass {
    func run(on frame: FrameRun) {
        let surfaces = frame.pyramid.levels.prefix(levels)
        var (from, size) = (frame.rows(input), (frame.width, frame.height))
        for level in surfaces {
            let to = level.rows(sixteenBit: true)
            frame.share(level.height) { rows, memory in
                for y in rows { frame.reduce(from, size, into: to, width: level.width, y, memory) }
            }
            (from, size) = (to, (level.width, level.height))
        }
        guard let last = surfaces.last else { return }
        LinePass(
            filter: filter, direction: .acrossAndDown, input: .frame, output: .frame, allSamples: true, description: ""
        ).run(on: FrameRun(frame, on: last))
        for (near, far) in zip(surfaces, surfaces.dropFirst()).reversed() {
            let (from, to) = (far.rows(sixteenBit: true), near.rows(sixteenBit: true))
            frame.share(near.height) { rows, memory in
                for y in rows {
                    for x in stride(from: 0, to: near.width, by: WorkerMemory.tile) {
                        let count = min(WorkerMemory.tile, near.width - x)
                        let pixels = frame.enlarge(from, x: x, y: y, count: count, memory)
                        to.pixel(x, y).copyMemory(from: pixels, byteCount: 8 * count)
                    }
                }
            }
        }
    }
}

extension FrameRun {
    /// Computes one row of an image with half the width and height of the image `from`.
    fileprivate func reduce(
        _ from: PixelRows, _ size: (width: Int, height: Int), into to: PixelRows, width: Int, _ y: Int,
        _ memory: WorkerMemory
    ) {
        let before = Pyramid.before
        let rows = SixRows { UnsafeRawPointer(from.pixel(0, min(size.height - 1, max(0, 2 * y - before + $0)))) }
        let start = memory.lines(8 * (2 * width + 4)) + 8 * before
        kernels.reduceDown(rows, sixteenBit: from.depth == .sixteenBit, into: start, count: size.width)
        let line = (start - 8 * before).bindMemory(to: UInt64.self, capacity: 2 * width + 4)
        let end = before + size.width
        line.update(repeating: line[before], count: before)
        (line + end).update(repeating: line[end - 1], count: 2 * width + 4 - end)
        kernels.reduceAcross(line, into: to.pixel(0, y), count: width)
    }

    /// Computes pixels of a row by enlarging an image with half the width and height.
    /// - Parameter x: the first column, an even number.
    func enlarge(_ from: PixelRows, x: Int, y: Int, count: Int, _ memory: WorkerMemory) -> UnsafeMutableRawPointer {
        let (row, nearer, pairs) = (y / 2 + 2, y % 2 == 0 ? -1 : 1, (count + 1) / 2)
        // Compute the address here. For rows of `FilterLocation.half`, `PixelRows.pixel` is not valid.
        func pixels(_ row: Int) -> UnsafeRawPointer {
            UnsafeRawPointer(from.base + (row * from.stride + 8 * (x / 2 + 1)))
        }
        kernels.enlargeDown(
            pixels(row), pixels(row + nearer), pixels(row - nearer), into: memory.collected, count: pairs + 2)
        kernels.enlargeAcross(memory.collected, into: memory.pixels, count: pairs)
        return memory.pixels
    }
}
