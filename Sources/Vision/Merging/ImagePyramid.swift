// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A picture in its own size, half of it, and so on, each computed when it is first used.
final class ImagePyramid {
    private let original: Image
    private var halves: [OwnedImage] = []

    /// - Parameter image: the picture, of four bytes a pixel; the caller keeps it alive.
    init(_ image: Image) { original = image }

    /// Returns the size of a level relative to the original.
    static func scale(_ level: Int) -> Double { 1 / Double(1 << min(62, max(0, level))) }

    /// Returns the smallest level of at least `scale` times the original's size.
    func atLeast(_ scale: Double) -> Int {
        var level = 0
        while Self.scale(level + 1) >= scale, min(original.width, original.height) >> (level + 1) >= 4 { level += 1 }
        return level
    }

    /// Returns the level whose size is nearest to `scale` times the original's.
    func nearest(to scale: Double) -> Int { atLeast(scale / 2.0.squareRoot()) }

    subscript(level: Int) -> Image {
        while halves.count < level {
            let half = OwnedImage(original.format)
            half.halve(halves.last?.image ?? original)
            halves.append(half)
        }
        return level > 0 ? halves[level - 1].image : original
    }
}
