// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
internal import KernelTypes

extension Blender {
    /// Computes the matte of an image, and removes spill from the image in place.
    /// - Parameter matte: the output, a GRAY8 image of the same size. For other formats or sizes, the method does
    ///   nothing.
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

    /// Computes the matte of an image, without changing the image.
    /// - Parameter matte: the output, a GRAY8 image of the same size. For other formats or sizes, the method does
    ///   nothing.
    func computeMatte(of picture: Image, by key: Keyer, into matte: Image) {
        guard matte.format.isGray, matte.width == picture.width, matte.height == picture.height else { return }
        let bytes = picture.format.bytesPerPixel
        for y in 0..<picture.height {
            for x in stride(from: 0, to: picture.width, by: KeyingRoom.width) {
                _ = keying.key(
                    picture.row(y) + x * bytes, of: picture.format, by: key, weights: matte.row(y) + x,
                    count: min(KeyingRoom.width, picture.width - x), kernels)
            }
        }
    }

    /// Draws a keyed image over a constant colour, which may be translucent. The method uses Porter and Duff's operator
    /// "over" with straight alpha.
    /// - Parameters:
    ///   - output: an image with alpha and with the same order of colour channels as `picture`. Other outputs do not
    ///     change. If the sizes differ, only the common part is drawn.
    ///   - weights: a GRAY8 image of the same size as `picture`, which scales the opacity of the pixels.
    ///   - usesAlpha: true to use the alpha of `picture`, if it has alpha.
    package func draw(
        _ picture: Image, keyedBy key: Keyer, over color: Color, into output: Image, weights other: Image? = nil,
        usesAlpha: Bool
    ) {
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
                if let other, other.format.isGray, other.bounds.intersection(common) == common {
                    kernels.multiplyWeights(weights, by: other.row(y) + x, opacity: 1, count: count)
                }
                for i in 0..<count {
                    let weight = Float(weights[i]) / 255
                    let backgroundWeight = (1 - weight) * below
                    let sum = weight + backgroundWeight
                    for (channel, level) in levels {
                        let mixed =
                            sum > 0 ? (weight * Float(pixels[4 * i + channel]) + backgroundWeight * level) / sum : level
                        to[4 * i + channel] = byte(Double(mixed))
                    }
                    to[4 * i + alpha] = byte(Double(255 * sum))
                }
            }
        }
    }
}
