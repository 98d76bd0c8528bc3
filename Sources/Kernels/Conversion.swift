// SPDX-License-Identifier: LGPL-2.1-or-later
// Conversions between the samples of frames and pixels of four bytes, here B G R A. Rows may be of any length.

extension RowKernels {
    /// Puts the bytes of pixels into another order.
    /// - Parameters:
    ///   - pixels: `count` pixels of four bytes.
    ///   - order: index of the old pixel's byte, 0…3, for each byte of the new one; the first byte's is lowest.
    ///   - bits: set in each new pixel, first byte lowest.
    ///   - output: `count` pixels of four bytes; may be `pixels`.
    @inline(never)
    package func reorderPixels(
        _ pixels: UnsafeRawPointer, order: UInt32, bits: UInt32, into output: UnsafeMutableRawPointer, count: Int
    ) {
        let (first, second) = ((order & 3) &* 8, ((order >> 8) & 3) &* 8)
        let (third, fourth) = (((order >> 16) & 3) &* 8, ((order >> 24) & 3) &* 8)
        var i = 0
        while i < count {
            let pixel = word(i, pixels)
            let low = ((pixel &>> first) & 255) | (((pixel &>> second) & 255) << 8)
            let high = (((pixel &>> third) & 255) << 16) | (((pixel &>> fourth) & 255) << 24)
            put(low | high | bits, i, output)
            i &+= 1
        }
    }

    /// Makes opaque pixels of grey bytes.
    /// - Parameters:
    ///   - gray: `count` bytes.
    ///   - output: `count` pixels of four bytes.
    @inline(never)
    package func grayToPixels(_ gray: UnsafePointer<UInt8>, into output: UnsafeMutableRawPointer, count: Int) {
        var i = 0
        while i < count {
            let one = UInt32(truncatingIfNeeded: gray[i])
            put(one | (one << 8) | (one << 16) | 0xFF00_0000, i, output)
            i &+= 1
        }
    }

    /// Makes opaque B G R A of luma and chroma, rounded to the nearest of 0…255.
    /// - Parameters:
    ///   - luma: `count` bytes; `chromaBlue` and `chromaRed` likewise, one for each pixel.
    ///   - weights: of luma in all three; of blue chroma in blue and green; of red chroma in green and red; the
    ///     summands of blue, green and red.
    ///   - output: `count` pixels of four bytes.
    @inline(never)
    package func yuvToPixels(
        _ luma: UnsafePointer<UInt8>, _ chromaBlue: UnsafePointer<UInt8>, _ chromaRed: UnsafePointer<UInt8>,
        weights: UnsafePointer<Float>, into output: UnsafeMutableRawPointer, count: Int
    ) {
        let (ofLuma, blueInBlue, blueInGreen) = (weights[0], weights[1], weights[2])
        let (redInGreen, redInRed) = (weights[3], weights[4])
        let (toBlue, toGreen, toRed) = (weights[5], weights[6], weights[7])
        var i = 0
        while i < count {
            let y = float(UInt32(truncatingIfNeeded: luma[i])) * ofLuma
            let u = float(UInt32(truncatingIfNeeded: chromaBlue[i]))
            let v = float(UInt32(truncatingIfNeeded: chromaRed[i]))
            let blue = byteBits(y + u * blueInBlue + toBlue)
            let green = byteBits(y + u * blueInGreen + v * redInGreen + toGreen)
            let red = byteBits(y + v * redInRed + toRed)
            put(blue | (green << 8) | (red << 16) | 0xFF00_0000, i, output)
            i &+= 1
        }
    }

    /// Computes a weighted sum of the first three bytes of each pixel, rounded to the nearest of 0…255.
    /// - Parameters:
    ///   - pixels: `count` pixels of four bytes.
    ///   - weights: of the three bytes, and a summand.
    ///   - output: `count` bytes.
    @inline(never)
    package func weighPixels(
        _ pixels: UnsafeRawPointer, weights: UnsafePointer<Float>, into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let (first, second, third, more) = (weights[0], weights[1], weights[2], weights[3])
        var i = 0
        while i < count {
            let pixel = word(i, pixels)
            let sum =
                float(pixel & 255) * first + float((pixel >> 8) & 255) * second + float((pixel >> 16) & 255) * third
                + more
            output[i] = UInt8(truncatingIfNeeded: byteBits(sum))
            i &+= 1
        }
    }

    /// Takes the mean of two pixels of each of two rows, byte by byte, rounded to the nearest.
    /// - Parameters:
    ///   - first: 2 × `count` pixels of four bytes; `second` likewise, and may be the same.
    ///   - output: `count` pixels.
    @inline(never)
    package func averageQuads(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int
    ) {
        let bytes: UInt64 = 0x00FF_00FF_00FF_00FF
        var i = 0
        while i < count {
            let a = UInt64(littleEndian: first.loadUnaligned(fromByteOffset: 8 &* i, as: UInt64.self))
            let b = UInt64(littleEndian: second.loadUnaligned(fromByteOffset: 8 &* i, as: UInt64.self))
            let even = (a & bytes) &+ (b & bytes)
            let odd = ((a >> 8) & bytes) &+ ((b >> 8) & bytes)
            let low = ((even &+ (even >> 32) &+ 0x0002_0002) >> 2) & 0x00FF_00FF
            let high = ((odd &+ (odd >> 32) &+ 0x0002_0002) >> 2) & 0x00FF_00FF
            put(UInt32(truncatingIfNeeded: low | (high << 8)), i, output)
            i &+= 1
        }
    }

    /// Multiplies the first three bytes of each pixel and adds to them, rounded to the nearest of 0…255; the fourth
    /// stays. Dark pixels, for which (first + 2 second + third) / 4 times a number is below 1, are instead multiplied
    /// by one factor: the share of the other result is the square of that product.
    /// - Parameters:
    ///   - pixels: `count` pixels of four bytes, changed in place.
    ///   - numbers: three factors; the three products' summands; the factor for dark pixels; the number for darkness.
    @inline(never)
    package func scalePixels(_ pixels: UnsafeMutableRawPointer, numbers: UnsafePointer<Float>, count: Int) {
        let (dark, number) = (numbers[6], numbers[7] * 0.25)
        let (f0, f1, f2) = (numbers[0] - dark, numbers[1] - dark, numbers[2] - dark)
        let (s0, s1, s2) = (numbers[3], numbers[4], numbers[5])
        var i = 0
        while i < count {
            let pixel = word(i, pixels)
            let (a, b, c) = (float(pixel & 255), float((pixel >> 8) & 255), float((pixel >> 16) & 255))
            let light = lesser((a + 2 * b + c) * number, 1)
            let share = light * light
            let first = byteBits(a * dark + (a * f0 + s0) * share)
            let second = byteBits(b * dark + (b * f1 + s1) * share)
            let third = byteBits(c * dark + (c * f2 + s2) * share)
            put(first | (second << 8) | (third << 16) | (pixel & 0xFF00_0000), i, pixels)
            i &+= 1
        }
    }
}

/// Rounds to the nearest of 0…255, in the low bits of a word. It is clipped after a constant was added, since of the maximum
/// or minimum of it and a constant, to which another is added, the compiler would make a comparison and a choice.
@inline(__always)
func byteBits(_ value: Float) -> UInt32 {
    lesser(greater(value + roundingBias, roundingBias), 255 + roundingBias).bitPattern & 255
}
