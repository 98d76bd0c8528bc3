// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels that change the colours of rows.

extension RowKernels {
    /// Multiplies bytes and adds to them, rounded to the nearest of 0…255; each has its own numbers.
    /// - Parameters:
    ///   - bytes: `count` bytes, changed in place.
    ///   - factors: `count` numbers; `summands` likewise.
    @inline(never)
    package func scaleBytes(
        _ bytes: UnsafeMutablePointer<UInt8>, factors: UnsafePointer<Float>, summands: UnsafePointer<Float>, count: Int
    ) {
        var i = 0
        while i < count {
            let value = float(UInt32(truncatingIfNeeded: bytes[i])) * factors[i] + summands[i]
            bytes[i] = UInt8(truncatingIfNeeded: byteBits(value))
            i &+= 1
        }
    }

    /// Computes one sample of luma or chroma from luma and chroma, by way of red, green and blue, which are clipped to
    /// 0…255; rounded to the nearest of 0…255.
    /// - Parameters:
    ///   - luma: `count` bytes; `chromaBlue` and `chromaRed` likewise, one for each.
    ///   - numbers: the weights of luma, blue chroma and red chroma in red, and a summand; the same in green, and in
    ///     blue; then the weights of red, green and blue in the sample, and a summand: 16 in all.
    ///   - output: `count` bytes, not those of an input: otherwise the loop would not run as vector code.
    @inline(never)
    package func recolorSamples(
        _ luma: UnsafePointer<UInt8>, _ chromaBlue: UnsafePointer<UInt8>, _ chromaRed: UnsafePointer<UInt8>,
        numbers: UnsafePointer<Float>, into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let (ry, ru, rv, r) = (numbers[0], numbers[1], numbers[2], numbers[3])
        let (gy, gu, gv, g) = (numbers[4], numbers[5], numbers[6], numbers[7])
        let (by, bu, bv, b) = (numbers[8], numbers[9], numbers[10], numbers[11])
        let (ofRed, ofGreen, ofBlue, more) = (numbers[12], numbers[13], numbers[14], numbers[15])
        var i = 0
        while i < count {
            let y = float(UInt32(truncatingIfNeeded: luma[i]))
            let u = float(UInt32(truncatingIfNeeded: chromaBlue[i]))
            let v = float(UInt32(truncatingIfNeeded: chromaRed[i]))
            let red = lesser(greater(y * ry + u * ru + v * rv + r, 0), 255)
            let green = lesser(greater(y * gy + u * gu + v * gv + g, 0), 255)
            let blue = lesser(greater(y * by + u * bu + v * bv + b, 0), 255)
            output[i] = UInt8(truncatingIfNeeded: byteBits(red * ofRed + green * ofGreen + blue * ofBlue + more))
            i &+= 1
        }
    }

    /// Writes each byte twice.
    /// - Parameter output: 2 × `count` bytes.
    @inline(never)
    package func doubleBytes(_ bytes: UnsafePointer<UInt8>, into output: UnsafeMutableRawPointer, count: Int) {
        var i = 0
        while i < count {
            output.storeBytes(of: wide(bytes[i]) &* 257, toByteOffset: 2 &* i, as: UInt16.self)
            i &+= 1
        }
    }

    /// Takes the mean of two bytes of each of two rows, rounded to the nearest.
    /// - Parameters:
    ///   - first: 2 × `count` bytes; `second` likewise, and may be the same.
    ///   - output: `count` bytes.
    @inline(never)
    package func averageFours(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let a = first.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self)
            let b = second.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self)
            output[i] = narrow(((a & 255) &+ (a >> 8) &+ (b & 255) &+ (b >> 8) &+ 2) >> 2)
            i &+= 1
        }
    }
}
