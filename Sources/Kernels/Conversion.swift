// SPDX-License-Identifier: LGPL-2.1-or-later
// Conversions between the samples of frames and four-byte pixels in the order B G R A. Rows may have any length.

extension RowKernels {
    /// Changes the order of the bytes in pixels.
    /// - Parameters:
    ///   - pixels: `count` pixels of four bytes.
    ///   - order: four indices 0…3, one in each byte of `order`. Each index selects an input byte. The lowest byte of
    ///     `order` is for the first output byte.
    ///   - bits: bits to set in each output pixel. The lowest byte of `bits` is for the first output byte.
    ///   - output: `count` pixels of four bytes. May be the same as `pixels`.
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

    /// Converts grey bytes to opaque pixels.
    /// - Parameters:
    ///   - gray: `count` bytes.
    ///   - output: `count` pixels of four bytes.
    @inline(never)
    package func grayToPixels(_ gray: UnsafePointer<UInt8>, into output: UnsafeMutableRawPointer, count: Int) {
        var i = 0
        while i < count {
            let level = UInt32(truncatingIfNeeded: gray[i])
            put(level | (level << 8) | (level << 16) | 0xFF00_0000, i, output)
            i &+= 1
        }
    }

    /// Converts luma and chroma to opaque B G R A pixels, rounded and limited to 0…255.
    /// - Parameters:
    ///   - luma: `count` bytes.
    ///   - chromaBlue: `count` bytes, one sample per pixel.
    ///   - chromaRed: `count` bytes, one sample per pixel.
    ///   - weights: the weight of luma; the weights of blue chroma in blue and in green; the weights of red chroma in
    ///     green and in red; the constant terms of blue, green and red.
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

    /// Computes a weighted sum of the first three bytes of each pixel, rounded and limited to 0…255.
    /// - Parameters:
    ///   - pixels: `count` pixels of four bytes.
    ///   - weights: the weights of the three bytes, and a constant term to add.
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

    /// Averages squares of 2 × 2 pixels, byte by byte, rounded to the nearest integer.
    /// - Parameters:
    ///   - first: the upper row, 2 × `count` pixels of four bytes.
    ///   - second: the lower row, 2 × `count` pixels of four bytes. May be the same as `first`.
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

    /// Changes the first three bytes of each pixel to l² · (byte · factor + summand) + (1 − l²) · byte · dark, rounded
    /// and limited to 0…255. The fourth byte does not change. a, b and c are the first three bytes. l is the brightness
    /// (a + 2 b + c) / 4 divided by `full`, at most 1.
    /// - Parameters:
    ///   - pixels: `count` pixels of four bytes, changed in place.
    ///   - parameters: three factors, three summands, `dark`, and 1 / `full`. `dark` is the factor for dark pixels.
    ///     `full` is the brightness from which `dark` has no effect.
    @inline(never)
    package func scalePixels(_ pixels: UnsafeMutableRawPointer, parameters: UnsafePointer<Float>, count: Int) {
        let (dark, number) = (parameters[6], parameters[7] * 0.25)
        let (f0, f1, f2) = (parameters[0] - dark, parameters[1] - dark, parameters[2] - dark)
        let (s0, s1, s2) = (parameters[3], parameters[4], parameters[5])
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

/// Returns `value`, rounded and limited to 0…255, as an integer. The function adds the rounding constant before it
/// limits the value. If it limited the value first, the compiler would use slow comparisons instead of min and max
/// instructions.
@inline(__always)
func byteBits(_ value: Float) -> UInt32 {
    lesser(greater(value + roundingBias, roundingBias), 255 + roundingBias).bitPattern & 255
}
