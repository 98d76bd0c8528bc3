// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows of weights: one byte for each pixel, or one for each byte of the pixel.

extension RowKernels {
    /// Extracts one byte of each pixel of four.
    /// - Parameters:
    ///   - pixels: `count` pixels of four bytes.
    ///   - offset: the byte's place in the pixel, 0…3.
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

    /// Returns the bits that are set in every one of `count` pixels of four bytes, first byte lowest.
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

    /// weights × factors / 255 × opacity, rounded to the nearest.
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

    /// weights × opacity, rounded to the nearest.
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

    /// Gives each byte of a pixel of four its pixel's weight, or 0 where the byte is to stay.
    /// - Parameters:
    ///   - weights: `count` bytes.
    ///   - mask: four bytes, first in memory lowest: 255 for colours, 0 for the byte that stays.
    ///   - output: 4 × `count` bytes.
    @inline(never)
    package func spreadWeights(
        _ weights: UnsafePointer<UInt8>, mask: UInt32, into output: UnsafeMutableRawPointer, count: Int
    ) {
        var i = 0
        while i < count {
            let one = UInt32(truncatingIfNeeded: weights[i])
            let two = one | (one << 8)
            let four = (two | (two << 16)) & mask
            output.storeBytes(of: four.littleEndian, toByteOffset: i &* 4, as: UInt32.self)
            i &+= 1
        }
    }

    /// Gives each byte of a pixel of three its pixel's weight.
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

    /// Returns bounds of some weights: the bits that all have and the bits that any has. So a least of 255 means that
    /// all are 255, and a most of 0 that all are 0.
    @inline(never)
    package func rangeOfWeights(_ weights: UnsafePointer<UInt8>, count: Int) -> (least: UInt8, most: UInt8) {
        var least: UInt8 = 255
        var most: UInt8 = 0
        var i = 0
        while i < count {
            least &= weights[i]
            most |= weights[i]
            i &+= 1
        }
        return (least, most)
    }

    /// Lowers weights to those of a soft ellipse: at distance r from its centre, in half axes, t² (3 − 2t) with
    /// t = (1 − r) / softness, clipped to 0…1.
    /// - Parameters:
    ///   - weights: `count` bytes, changed in place.
    ///   - x: the first pixel's place along the first axis, in half axes; `y` likewise.
    ///   - stepX: distance between pixels along the first axis; `stepY` likewise.
    ///   - softness: above 0.
    @inline(never)
    package func limitToEllipse(
        _ weights: UnsafeMutablePointer<UInt8>, x: Float, stepX: Float, y: Float, stepY: Float, softness: Float,
        count: Int
    ) {
        let scale = 1 / softness
        var i = 0
        while i < count {
            let place = Float(Int32(truncatingIfNeeded: i))
            let (p, q) = (x + place * stepX, y + place * stepY)
            let t = lesser(greater((1 - (p * p + q * q).squareRoot()) * scale, 0), 1)
            let weight = UInt8(truncatingIfNeeded: (t * t * (3 - 2 * t) * 255 + roundingBias).bitPattern)
            weights[i] = lesser(weights[i], weight)
            i &+= 1
        }
    }
}
