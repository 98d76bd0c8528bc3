// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels that multiply, recolour and average the bytes of rows.

extension RowKernels {
    /// Computes byte · factor + summand for each byte, rounded and limited to 0…255.
    /// - Parameters:
    ///   - bytes: `count` bytes, changed in place.
    ///   - factors: `count` factors.
    ///   - summands: `count` summands.
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

    /// Computes one sample of luma or chroma for each pixel after a colour change. First computes the changed red,
    /// green and blue from luma and chroma, limited to 0…255. Then computes the new sample from these colours, rounded
    /// and limited to 0…255.
    /// - Parameters:
    ///   - luma: `count` bytes.
    ///   - chromaBlue: `count` bytes, one sample per pixel.
    ///   - chromaRed: `count` bytes, one sample per pixel.
    ///   - coefficients: 16 values. For red, then green, then blue: the weights of luma, blue chroma and red chroma,
    ///     and a constant term. Then for the new sample: the weights of red, green and blue, and a constant term.
    ///   - output: `count` bytes. Must not overlap an input, so that LLVM can vectorise the loop.
    @inline(never)
    package func recolorSamples(
        _ luma: UnsafePointer<UInt8>, _ chromaBlue: UnsafePointer<UInt8>, _ chromaRed: UnsafePointer<UInt8>,
        coefficients: UnsafePointer<Float>, into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let (ry, ru, rv, r) = (coefficients[0], coefficients[1], coefficients[2], coefficients[3])
        let (gy, gu, gv, g) = (coefficients[4], coefficients[5], coefficients[6], coefficients[7])
        let (by, bu, bv, b) = (coefficients[8], coefficients[9], coefficients[10], coefficients[11])
        let (ofRed, ofGreen, ofBlue, more) = (coefficients[12], coefficients[13], coefficients[14], coefficients[15])
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

    /// Averages squares of 2 × 2 bytes, rounded to the nearest integer.
    /// - Parameters:
    ///   - first: the upper row, 2 × `count` bytes.
    ///   - second: the lower row, 2 × `count` bytes. May be the same as `first`.
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
