// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
internal import KernelTypes

extension Blender {
    /// Computes the matte of a picture, and takes the key's spill off it, in place.
    /// - Parameter matte: GRAY8, as large as the picture, else nothing happens.
    package func key(_ picture: Image, by key: Keyer, matte: Image) {
        guard matte.format.isGray, matte.width == picture.width, matte.height == picture.height else { return }
        let bytes = picture.format.bytesPerPixel
        for y in 0..<picture.height {
            for x in stride(from: 0, to: picture.width, by: KeyingRoom.width) {
                let count = min(KeyingRoom.width, picture.width - x)
                let pixels = picture.row(y) + x * bytes
                let without = keying.key(
                    pixels, of: picture.format, by: key, weights: matte.row(y) + x, count: count, kernels)
                pixels.update(from: without, count: count * bytes)
            }
        }
    }

    /// Draws a keyed picture over a colour of which something may be seen through: Porter and Duff's "over", not
    /// premultiplied.
    /// - Parameters:
    ///   - output: with alpha, its colours in the same places as the picture's, else nothing happens. The common part is
    ///     drawn.
    ///   - usesAlpha: whether the picture's alpha, if it has one, counts.
    package func draw(_ picture: Image, keyedBy key: Keyer, over color: Color, into output: Image, usesAlpha: Bool) {
        guard let alpha = output.format.alpha, output.format.hasColors(as: picture.format) else { return }
        let common = picture.bounds.intersection(output.bounds)
        let below = Float(max(0, min(1, color.opacity)))
        let levels = [
            (output.format.red, Float(color.red)), (output.format.green, Float(color.green)),
            (output.format.blue, Float(color.blue)),
        ]
        let ownAlpha = usesAlpha ? picture.format.alpha : nil
        for y in 0..<common.height {
            for x in stride(from: 0, to: common.width, by: KeyingRoom.width) {
                let count = min(KeyingRoom.width, common.width - x)
                let (from, to, weights) = (picture.row(y) + 4 * x, output.row(y) + 4 * x, keying.weights(0))
                let pixels = keying.key(from, of: picture.format, by: key, weights: weights, count: count, kernels)
                if let ownAlpha {
                    kernels.extractByte(at: ownAlpha, of: from, into: keying.weights(1), count: count)
                    kernels.multiplyWeights(weights, by: keying.weights(1), opacity: 1, count: count)
                }
                for i in 0..<count {
                    let weight = Float(weights[i]) / 255
                    let rest = (1 - weight) * below
                    let sum = weight + rest
                    for (place, level) in levels {
                        let mixed = sum > 0 ? (weight * Float(pixels[4 * i + place]) + rest * level) / sum : level
                        to[4 * i + place] = byte(Double(mixed))
                    }
                    to[4 * i + alpha] = byte(Double(255 * sum))
                }
            }
        }
    }
}
