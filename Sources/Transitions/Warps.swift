// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// An effect that distorts the images.
protocol WarpEffect: TransitionEffect {
    associatedtype Bend: Warp
}

extension WarpEffect {
    func draw(_ scene: Scene) {
        scene.warp(Bend(at: scene.progress, width: scene.output.width, height: scene.output.height))
    }

    func sight(of box: Rectangle, in side: TransitionSide, _ view: TransitionView) -> TransitionPainter.Sight? {
        let warp = Bend(at: view.moment.progress, width: view.frame.width, height: view.frame.height)
        return box.visiblePart { warp.isVisible(side, $0, $1) }.map { .init(box: $0) }
    }
}

/// The parameters for computing the samples of a distorted row.
final class WarpRow {
    enum Kind {
        static let old: UInt8 = 0
        static let new: UInt8 = 1
        static let mixed: UInt8 = 2
    }

    /// For each sample, a value of `Kind`: copied from the old image, copied from the new image, or computed from both
    /// images.
    let kinds: UnsafeMutablePointer<UInt8>
    /// Weights of each sample of the kind `mixed`. `weights` is the weight of the new image. The mixture of both images
    /// is then mixed with white (weight `light`) and with black (weight `shade`).
    let weights, light, shade: UnsafeMutablePointer<UInt8>
    /// For each sample of the kind `mixed`, the position in both images, in 1/256 pixel. The centre of the first pixel
    /// is 0.
    let x, y: UnsafeMutablePointer<Int32>
    private let memory: UnsafeMutableRawPointer

    init(count: Int) {
        let count = (count + 63) & ~63
        memory = .allocate(byteCount: 12 * count, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: 12 * count)
        let coordinates = memory.assumingMemoryBound(to: Int32.self)
        (x, y) = (coordinates, coordinates + count)
        let bytes = (memory + 8 * count).assumingMemoryBound(to: UInt8.self)
        (kinds, weights, light, shade) = (bytes, bytes + count, bytes + 2 * count, bytes + 3 * count)
    }

    deinit { memory.deallocate() }
}

protocol Warp {
    init(at p: Double, width: Int, height: Int)

    func isVisible(_ side: TransitionSide, _ x: Double, _ y: Double) -> Bool

    /// Computes a row. `kinds` receives values for all samples. The other arrays receive values for samples of the kind
    /// `mixed`.
    /// - Parameters:
    ///   - y: vertical centre of the row in pixels. The centre of the first row is 0.5.
    ///   - columns: number of pixels that a sample covers.
    func fill(_ row: WarpRow, y: Float, columns: Int, count: Int)
}

extension Warp {
    /// Returns the horizontal centre of sample `index`, in pixels.
    func center(_ index: Int, _ columns: Int) -> Float { (Float(index) + 0.5) * Float(columns) }

    /// Converts a position in pixels to 1/256 pixel, relative to the centre of the first pixel.
    func fixedPosition(_ center: Float) -> Int32 { Int32((center - 0.5) * 256) }
}
