// SPDX-License-Identifier: LGPL-2.1-or-later
// Conversions between YUV and RGB: rows of luma and chroma, and rows of red, green and blue. The arithmetic uses 16-bit
// lanes. `Colorimetry` computes the weights.

package import KernelTypes

extension RowKernels {
    /// Computes the chroma terms: the contributions of chroma to red, green and blue.
    /// - Parameters:
    ///   - chromaBlue: `count` bytes.
    ///   - chromaRed: `count` bytes.
    ///   - weights: seven numbers. First four weights, multiplied by 2¹³: of red chroma in red, of red chroma in green,
    ///     of blue chroma in green, of blue chroma in blue. Then the constant terms of red, green and blue, multiplied
    ///     by 2⁵.
    ///   - terms: rows of `count` chroma terms for red, green and blue, multiplied by 2⁵.
    ///   - plane: the number of terms from a row to the next row.
    @inline(never)
    package func chromaTerms(
        _ chromaBlue: UnsafePointer<UInt8>, _ chromaRed: UnsafePointer<UInt8>, weights: UnsafePointer<Int16>,
        into terms: UnsafeMutablePointer<Int16>, plane: Int, count: Int
    ) {
        let (redInRed, redInGreen, blueInGreen, blueInBlue) = (weights[0], weights[1], weights[2], weights[3])
        let (toRed, toGreen, toBlue) = (weights[4], weights[5], weights[6])
        let (red, green, blue) = (terms, terms + plane, terms + 2 &* plane)
        var i = 0
        while i < count {
            let (u, v) = (centred(chromaBlue[i]), centred(chromaRed[i]))
            red[i] = highProduct(v, redInRed) &+ toRed
            green[i] = highProduct(v, redInGreen) &+ highProduct(u, blueInGreen) &+ toGreen
            blue[i] = highProduct(u, blueInBlue) &+ toBlue
            i &+= 1
        }
    }

    /// Computes red, green and blue from luma and chroma terms, rounded and limited to 0…255.
    /// - Parameters:
    ///   - luma: `count` bytes. If `doubled` is true, 2 × `count` bytes.
    ///   - weight: the weight of luma, multiplied by 2¹³. The kernel subtracts 128 from luma. The constant terms in
    ///     `terms` compensate for this subtraction.
    ///   - terms: the output of `chromaTerms`.
    ///   - doubled: true if two adjacent pixels share each term. The kernel then processes the two pixels as one 16-bit
    ///     integer, so that it needs no shuffle instructions.
    ///   - colors: rows of red, green and blue bytes, with the length of `luma`.
    ///   - plane: the number of elements from a row to the next row, in `terms` and in `colors`.
    @inline(never)
    package func lumaToColors(
        _ luma: UnsafePointer<UInt8>, weight: Int16, terms: UnsafePointer<Int16>, doubled: Bool,
        into colors: UnsafeMutablePointer<UInt8>, plane: Int, count: Int
    ) {
        let (reds, greens, blues) = (terms, terms + plane, terms + 2 &* plane)
        var i = 0
        if doubled {
            let (pairs, red) = (UnsafeRawPointer(luma), UnsafeMutableRawPointer(colors))
            let (green, blue) = (red + plane, red + 2 &* plane)
            while i < count {
                let (first, second) = centredPair(pairs, i)
                let (a, b) = (highProduct(first, weight), highProduct(second, weight))
                put(pair(clippedWord((a &+ reds[i]) >> 5), clippedWord((b &+ reds[i]) >> 5)), i, red)
                put(pair(clippedWord((a &+ greens[i]) >> 5), clippedWord((b &+ greens[i]) >> 5)), i, green)
                put(pair(clippedWord((a &+ blues[i]) >> 5), clippedWord((b &+ blues[i]) >> 5)), i, blue)
                i &+= 1
            }
        } else {
            while i < count {
                let y = highProduct(centred(luma[i]), weight)
                colors[i] = clipped((y &+ reds[i]) >> 5)
                colors[i &+ plane] = clipped((y &+ greens[i]) >> 5)
                colors[i &+ 2 &* plane] = clipped((y &+ blues[i]) >> 5)
                i &+= 1
            }
        }
    }

    /// Computes luma from red, green and blue, rounded to the nearest integer.
    /// - Parameters:
    ///   - colors: rows of `count` red, green and blue bytes.
    ///   - plane: the number of bytes from a row in `colors` to the next row.
    ///   - weights: the weights of red, green and blue, multiplied by 2¹⁴. Then the constant term, multiplied by 2⁶.
    ///   - luma: `count` bytes.
    @inline(never)
    package func colorsToLuma(
        _ colors: UnsafePointer<UInt8>, plane: Int, weights: UnsafePointer<Int16>,
        into luma: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let (ofRed, ofGreen, ofBlue, summand) = (weights[0], weights[1], weights[2], weights[3])
        var i = 0
        while i < count {
            let red = highProduct(centred(colors[i]), ofRed)
            let green = highProduct(centred(colors[i &+ plane]), ofGreen)
            let blue = highProduct(centred(colors[i &+ 2 &* plane]), ofBlue)
            luma[i] = clipped((red &+ green &+ blue &+ summand) >> 6)
            i &+= 1
        }
    }

    /// Computes chroma from the mean colour of the pixels that share a chroma sample, rounded and limited to 0…255.
    /// - Parameters:
    ///   - first: rows of red, green and blue bytes. There is one pixel per chroma sample. If `doubled` is true, there
    ///     are two pixels per chroma sample.
    ///   - second: the second row of pixels that share chroma, or `first`. The kernel uses `second` only if `doubled`
    ///     is true.
    ///   - plane: the number of bytes from a colour row to the next colour row.
    ///   - weights: the weights of red, green and blue in blue chroma, then in red chroma, multiplied by 2¹⁵. Then the
    ///     constant term, multiplied by 2⁶.
    ///   - doubled: true if two adjacent pixels share a chroma sample.
    ///   - chromaBlue: `count` bytes.
    ///   - chromaRed: `count` bytes.
    @inline(never)
    package func colorsToChroma(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, plane: Int, weights: UnsafePointer<Int16>,
        doubled: Bool, into chromaBlue: UnsafeMutablePointer<UInt8>, _ chromaRed: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        let matrix = ChromaMatrix(weights)
        let (green, blue) = (first + plane, first + 2 &* plane)
        var i = 0
        if doubled, first != second {
            let (otherGreen, otherBlue) = (second + plane, second + 2 &* plane)
            while i < count {
                let sample = matrix.chroma(
                    sumOfFour(first, second, i), sumOfFour(green, otherGreen, i), sumOfFour(blue, otherBlue, i))
                chromaBlue[i] = sample.blue
                chromaRed[i] = sample.red
                i &+= 1
            }
        } else if doubled {
            while i < count {
                let sample = matrix.chroma(sumOfTwo(first, i), sumOfTwo(green, i), sumOfTwo(blue, i))
                chromaBlue[i] = sample.blue
                chromaRed[i] = sample.red
                i &+= 1
            }
        } else {
            while i < count {
                let sample = matrix.chroma(fourTimes(first[i]), fourTimes(green[i]), fourTimes(blue[i]))
                chromaBlue[i] = sample.blue
                chromaRed[i] = sample.red
                i &+= 1
            }
        }
    }
}

/// Returns (sample − 128) · 2⁸, a signed 16-bit integer.
@inline(__always)
private func centred(_ sample: UInt8) -> Int16 { Int16(bitPattern: (wide(sample) << 8) ^ 0x8000) }

/// Returns (sample − 128) · 2⁸ for two adjacent luma samples.
@inline(__always)
private func centredPair(_ bytes: UnsafeRawPointer, _ index: Int) -> (Int16, Int16) {
    let both = word(bytes, index)
    return (Int16(bitPattern: (both << 8) ^ 0x8000), Int16(bitPattern: (both & 0xFF00) ^ 0x8000))
}

/// Returns a pair of bytes as a 16-bit integer. The byte at `2 index` becomes the low byte, and the byte at `2 index +
/// 1` becomes the high byte.
@inline(__always)
private func word(_ bytes: UnsafeRawPointer, _ index: Int) -> UInt16 {
    UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self))
}

@inline(__always)
private func put(_ pair: UInt16, _ index: Int, _ bytes: UnsafeMutableRawPointer) {
    bytes.storeBytes(of: pair.littleEndian, toByteOffset: 2 &* index, as: UInt16.self)
}

/// Joins two values of 0…255 into one 16-bit integer. `first` becomes the low byte.
@inline(__always)
private func pair(_ first: UInt16, _ second: UInt16) -> UInt16 { first | (second << 8) }

/// Returns `min(255, max(0, value))`.
@inline(__always)
private func clippedWord(_ value: Int16) -> UInt16 { UInt16(bitPattern: lesser(greater(value, 0), 255)) }

/// Returns 2⁵ times the sum of four bytes: the bytes at `2 index` and `2 index + 1` of two rows.
@inline(__always)
private func sumOfFour(_ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, _ index: Int) -> Int16 {
    let (a, b) = (word(first, index), word(second, index))
    return Int16(bitPattern: ((a & 255) &+ (a >> 8) &+ (b & 255) &+ (b >> 8)) << 5)
}

/// Returns 2⁶ times the sum of the bytes at `2 index` and `2 index + 1`. This equals `sumOfFour` for two equal rows.
@inline(__always)
private func sumOfTwo(_ row: UnsafePointer<UInt8>, _ index: Int) -> Int16 {
    let both = word(row, index)
    return Int16(bitPattern: ((both & 255) &+ (both >> 8)) << 6)
}

/// Returns `value` · 2⁷. This equals `sumOfFour` for four equal bytes.
@inline(__always)
private func fourTimes(_ value: UInt8) -> Int16 { Int16(bitPattern: wide(value) << 7) }

/// The weights of red, green and blue in the chroma samples.
private struct ChromaMatrix {
    let ofRed: (blue: Int16, red: Int16)
    let ofGreen: (blue: Int16, red: Int16)
    let ofBlue: (blue: Int16, red: Int16)
    let summand: Int16

    @inline(__always)
    init(_ weights: UnsafePointer<Int16>) {
        (ofRed, ofGreen, ofBlue) = ((weights[0], weights[3]), (weights[1], weights[4]), (weights[2], weights[5]))
        summand = weights[6]
    }

    /// Returns the chroma of a mean colour. `red`, `green` and `blue` are sums of four pixels, multiplied by 2⁵.
    @inline(__always)
    func chroma(_ red: Int16, _ green: Int16, _ blue: Int16) -> (blue: UInt8, red: UInt8) {
        let u = highProduct(red, ofRed.blue) &+ highProduct(green, ofGreen.blue) &+ highProduct(blue, ofBlue.blue)
        let v = highProduct(red, ofRed.red) &+ highProduct(green, ofGreen.red) &+ highProduct(blue, ofBlue.red)
        return (clipped((u &+ summand) >> 6), clipped((v &+ summand) >> 6))
    }
}
