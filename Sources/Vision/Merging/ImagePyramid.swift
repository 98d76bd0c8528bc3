// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// An image at its original size, half of this size, a quarter, and so on. Each level is computed at its first use.
final class ImagePyramid {
    private let original: Image
    private var halves: [OwnedImage] = []

    /// - Parameter image: an image with four bytes per pixel. The caller must keep the image alive.
    init(_ image: Image) { original = image }

    /// Returns the scale of a level relative to the original: 1, 1/2, 1/4, …
    static func scale(_ level: Int) -> Double { 1 / Double(1 << min(62, max(0, level))) }

    /// Returns the level with the smallest size that is at least `scale` times the original size.
    func atLeast(_ scale: Double) -> Int {
        var level = 0
        while Self.scale(level + 1) >= scale, min(original.width, original.height) >> (level + 1) >= 4 { level += 1 }
        return level
    }

    /// Returns the level with the size nearest to `scale` times the original size.
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
