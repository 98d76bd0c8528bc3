// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// An effect that bends the images.
protocol WarpEffect: TransitionEffect {
    associatedtype Bend: Warp
}

extension WarpEffect {
    func draw(_ scene: Scene) {
        scene.warp(Bend(at: scene.progress, width: scene.output.width, height: scene.output.height))
    }

    func sight(of box: Rectangle, in side: TransitionSide, _ view: TransitionView) -> TransitionPainter.Sight? {
        let warp = Bend(at: view.moment.progress, width: view.frame.width, height: view.frame.height)
        return box.visiblePart { warp.isSeen(side, $0, $1) }.map { .init(box: $0) }
    }
}

/// Where the samples of a row come from. Places are in 256ths of a pixel, the first pixel's centre at 0.
final class WarpRow {
    enum Kind {
        static let old: UInt8 = 0
        static let new: UInt8 = 1
        static let mixed: UInt8 = 2
    }

    /// For each sample: whether it is one of the old image, as it is, one of the new, or computed.
    let kinds: UnsafeMutablePointer<UInt8>
    /// The new image's weight, and how much of that is white or black then.
    let weights, light, shade: UnsafeMutablePointer<UInt8>
    /// The place in both images.
    let x, y: UnsafeMutablePointer<Int32>
    private let memory: UnsafeMutableRawPointer

    init(count: Int) {
        let count = (count + 63) & ~63
        memory = .allocate(byteCount: 12 * count, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: 12 * count)
        let numbers = memory.assumingMemoryBound(to: Int32.self)
        (x, y) = (numbers, numbers + count)
        let bytes = (memory + 8 * count).assumingMemoryBound(to: UInt8.self)
        (kinds, weights, light, shade) = (bytes, bytes + count, bytes + 2 * count, bytes + 3 * count)
    }

    deinit { memory.deallocate() }
}

/// A way to bend images.
protocol Warp {
    init(at p: Double, width: Int, height: Int)

    /// Returns whether anything of an image is visible at a point of the frame.
    func isSeen(_ side: TransitionSide, _ x: Double, _ y: Double) -> Bool

    /// Fills a row: all of `kinds`, and the rest where they are `mixed`.
    /// - Parameters:
    ///   - y: centre of the row in pixels, that of the first one at 0.5.
    ///   - columns: pixels that a sample stands for.
    func fill(_ row: WarpRow, y: Float, columns: Int, count: Int)
}

extension Warp {
    /// Returns the centre of a sample in pixels.
    func center(_ index: Int, _ columns: Int) -> Float { (Float(index) + 0.5) * Float(columns) }

    /// Returns a centre in 256ths of a pixel, as rows have it.
    func place(_ center: Float) -> Int32 { Int32((center - 0.5) * 256) }
}
