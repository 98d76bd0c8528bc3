// SPDX-License-Identifier: LGPL-2.1-or-later
// Row kernels for weights: one byte per pixel, or one byte per byte of a pixel.

extension RowKernels {
    /// Extracts one byte of each four-byte pixel.
    /// - Parameters:
    ///   - pixels: `count` pixels of four bytes.
    ///   - offset: index of the byte in the pixel, 0…3.
    ///   - output: `count` bytes.
    @inline(never)
    package func extractByte(
        at offset: Int, of pixels: UnsafeRawPointer, into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let shift = UInt32(truncatingIfNeeded: offset &* 8)
        var i = 0
        while i < count {
            let pixel = UInt32(littleEndian: pixels.loadUnaligned(fromByteOffset: i &* 4, as: UInt32.self))
            output[i] = UInt8(truncatingIfNeeded: pixel &>> shift)
            i &+= 1
        }
    }

    /// Returns the bitwise AND of all `count` four-byte pixels. The first byte of a pixel is the lowest byte of the
    /// result.
    @inline(never)
    package func commonBits(of pixels: UnsafeRawPointer, count: Int) -> UInt32 {
        var bits = UInt32.max
        var i = 0
        while i < count {
            bits &= pixels.loadUnaligned(fromByteOffset: i &* 4, as: UInt32.self)
            i &+= 1
        }
        return UInt32(littleEndian: bits)
    }

    /// Computes weight × factor / 255 × opacity for each weight, rounded to the nearest integer.
    /// - Parameters:
    ///   - weights: `count` bytes, changed in place.
    ///   - factors: `count` bytes.
    ///   - opacity: 0…1.
    @inline(never)
    package func multiplyWeights(
        _ weights: UnsafeMutablePointer<UInt8>, by factors: UnsafePointer<UInt8>, opacity: Float, count: Int
    ) {
        let scale = opacity / 255
        var i = 0
        while i < count {
            let product = Int32(truncatingIfNeeded: wide(weights[i]) &* wide(factors[i]))
            weights[i] = UInt8(truncatingIfNeeded: (Float(product) * scale + roundingBias).bitPattern)
            i &+= 1
        }
    }

    /// Computes weight × opacity for each weight, rounded to the nearest integer.
    /// - Parameters:
    ///   - weights: `count` bytes, changed in place.
    ///   - opacity: 0…1.
    @inline(never)
    package func scaleWeights(_ weights: UnsafeMutablePointer<UInt8>, opacity: Float, count: Int) {
        var i = 0
        while i < count {
            let weight = Float(Int32(truncatingIfNeeded: weights[i]))
            weights[i] = UInt8(truncatingIfNeeded: (weight * opacity + roundingBias).bitPattern)
            i &+= 1
        }
    }

    /// Copies the weight of each four-byte pixel to the bytes of the pixel. Writes 0 for bytes that must not change.
    /// - Parameters:
    ///   - weights: `count` bytes.
    ///   - mask: four bytes. 255 for a colour, 0 for a byte that must not change. The first byte in memory is the
    ///     lowest byte of `mask`.
    ///   - output: 4 × `count` bytes.
    @inline(never)
    package func spreadWeights(
        _ weights: UnsafePointer<UInt8>, mask: UInt32, into output: UnsafeMutableRawPointer, count: Int
    ) {
        var i = 0
        while i < count {
            let weight = UInt32(truncatingIfNeeded: weights[i])
            let pair = weight | (weight << 8)
            let four = (pair | (pair << 16)) & mask
            output.storeBytes(of: four.littleEndian, toByteOffset: i &* 4, as: UInt32.self)
            i &+= 1
        }
    }

    /// Copies the weight of each three-byte pixel to the three bytes of the pixel.
    /// - Parameters:
    ///   - weights: `count` bytes.
    ///   - output: 3 × `count` bytes.
    @inline(never)
    package func spreadWeights(
        _ weights: UnsafePointer<UInt8>, into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let weight = weights[i]
            output[i &* 3] = weight
            output[i &* 3 &+ 1] = weight
            output[i &* 3 &+ 2] = weight
            i &+= 1
        }
    }

    /// Returns the bitwise AND of all weights (`minimum`) and the bitwise OR of all weights (`maximum`). So `minimum`
    /// is 255 only if all weights are 255, and `maximum` is 0 only if all weights are 0.
    @inline(never)
    package func rangeOfWeights(_ weights: UnsafePointer<UInt8>, count: Int) -> (minimum: UInt8, maximum: UInt8) {
        var minimum: UInt8 = 255
        var maximum: UInt8 = 0
        var i = 0
        while i < count {
            minimum &= weights[i]
            maximum |= weights[i]
            i &+= 1
        }
        return (minimum, maximum)
    }

    /// Limits weights to a soft ellipse. The limit of a pixel is t² (3 − 2t) · 255. t is (1 − r) / softness, limited to
    /// 0…1. r is the distance of the pixel from the centre: 0 at the centre, and 1 on the ellipse.
    /// - Parameters:
    ///   - weights: `count` bytes, changed in place.
    ///   - x: the coordinate of the first pixel along the first axis, as a fraction of the half axis.
    ///   - stepX: the change of `x` per pixel.
    ///   - y: the coordinate of the first pixel along the second axis, as a fraction of the half axis.
    ///   - stepY: the change of `y` per pixel.
    ///   - softness: a value above 0.
    @inline(never)
    package func limitToEllipse(
        _ weights: UnsafeMutablePointer<UInt8>, x: Float, stepX: Float, y: Float, stepY: Float, softness: Float,
        count: Int
    ) {
        let scale = 1 / softness
        var i = 0
        while i < count {
            let column = Float(Int32(truncatingIfNeeded: i))
            let (p, q) = (x + column * stepX, y + column * stepY)
            let t = lesser(greater((1 - (p * p + q * q).squareRoot()) * scale, 0), 1)
            let weight = UInt8(truncatingIfNeeded: (t * t * (3 - 2 * t) * 255 + roundingBias).bitPattern)
            weights[i] = lesser(weights[i], weight)
            i &+= 1
        }
    }
}
