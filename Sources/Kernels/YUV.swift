// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows of luma and chroma as rows of red, green and blue, and back, in 16-bit lanes. `Imaging/YUVWeights` has the numbers.

package import KernelTypes

extension RowKernels {
    /// Computes what chroma adds to red, green and blue.
    /// - Parameters:
    ///   - chromaBlue: `count` bytes; `chromaRed` likewise.
    ///   - weights: of red chroma in red and green, of blue chroma in green and blue, times 2¹³; the three summands,
    ///     times 2⁵.
    ///   - doubled: whether each sample stands for two pixels.
    ///   - terms: rows of `count`, or 2 × `count`, summands for red, green and blue, times 2⁵.
    ///   - plane: distance between these rows.
    @inline(never)
    package func chromaTerms(
        _ chromaBlue: UnsafePointer<UInt8>, _ chromaRed: UnsafePointer<UInt8>, weights: UnsafePointer<Int16>,
        doubled: Bool, into terms: UnsafeMutablePointer<Int16>, plane: Int, count: Int
    ) {
        let (redInRed, redInGreen, blueInGreen, blueInBlue) = (weights[0], weights[1], weights[2], weights[3])
        let (toRed, toGreen, toBlue) = (weights[4], weights[5], weights[6])
        let (red, green, blue) = (terms, terms + plane, terms + 2 &* plane)
        var i = 0
        if doubled {
            let (reds, greens) = (UnsafeMutableRawPointer(red), UnsafeMutableRawPointer(green))
            let blues = UnsafeMutableRawPointer(blue)
            while i < count {
                let (u, v) = (centred(chromaBlue[i]), centred(chromaRed[i]))
                put(twice(highProduct(v, redInRed) &+ toRed), i, reds)
                put(twice(highProduct(v, redInGreen) &+ highProduct(u, blueInGreen) &+ toGreen), i, greens)
                put(twice(highProduct(u, blueInBlue) &+ toBlue), i, blues)
                i &+= 1
            }
        } else {
            while i < count {
                let (u, v) = (centred(chromaBlue[i]), centred(chromaRed[i]))
                red[i] = highProduct(v, redInRed) &+ toRed
                green[i] = highProduct(v, redInGreen) &+ highProduct(u, blueInGreen) &+ toGreen
                blue[i] = highProduct(u, blueInBlue) &+ toBlue
                i &+= 1
            }
        }
    }

    /// Computes red, green and blue of luma and what chroma adds, rounded to the nearest of 0…255.
    /// - Parameters:
    ///   - luma: `count` bytes.
    ///   - weight: of luma, times 2¹³; half of its range is in the summands of `terms`.
    ///   - terms: as `chromaTerms` makes them.
    ///   - colors: rows of `count` bytes for red, green and blue.
    ///   - plane: distance between the rows of `terms` and between those of `colors`.
    @inline(never)
    package func lumaToColors(
        _ luma: UnsafePointer<UInt8>, weight: Int16, terms: UnsafePointer<Int16>,
        into colors: UnsafeMutablePointer<UInt8>, plane: Int, count: Int
    ) {
        var i = 0
        while i < count {
            let y = highProduct(centred(luma[i]), weight)
            colors[i] = clipped((y &+ terms[i]) >> 5)
            colors[i &+ plane] = clipped((y &+ terms[i &+ plane]) >> 5)
            colors[i &+ 2 &* plane] = clipped((y &+ terms[i &+ 2 &* plane]) >> 5)
            i &+= 1
        }
    }

    /// Computes luma of red, green and blue, rounded to the nearest.
    /// - Parameters:
    ///   - colors: rows of `count` bytes for red, green and blue.
    ///   - plane: distance between these rows.
    ///   - weights: of the three, times 2¹⁴; the summand, times 2⁶.
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

    /// Computes chroma of the mean of the pixels that share it, rounded to the nearest of 0…255.
    /// - Parameters:
    ///   - first: rows of bytes for red, green and blue: one for each sample, or two if `doubled`; `second` likewise, of
    ///     the other row of pixels that share chroma, or the same again.
    ///   - plane: distance between these rows.
    ///   - weights: of red, green and blue in blue chroma, then in red chroma, times 2¹⁵; the summand, times 2⁶.
    ///   - doubled: whether each sample stands for two pixels side by side.
    ///   - chromaBlue: `count` bytes; `chromaRed` likewise.
    @inline(never)
    package func colorsToChroma(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, plane: Int, weights: UnsafePointer<Int16>,
        doubled: Bool, into chromaBlue: UnsafeMutablePointer<UInt8>, _ chromaRed: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        let (redInBlue, greenInBlue, blueInBlue) = (weights[0], weights[1], weights[2])
        let (redInRed, greenInRed, blueInRed, summand) = (weights[3], weights[4], weights[5], weights[6])
        var i = 0
        if doubled {
            while i < count {
                let red = sumOfFour(first, second, i)
                let green = sumOfFour(first + plane, second + plane, i)
                let blue = sumOfFour(first + 2 &* plane, second + 2 &* plane, i)
                let u = highProduct(red, redInBlue) &+ highProduct(green, greenInBlue) &+ highProduct(blue, blueInBlue)
                let v = highProduct(red, redInRed) &+ highProduct(green, greenInRed) &+ highProduct(blue, blueInRed)
                chromaBlue[i] = clipped((u &+ summand) >> 6)
                chromaRed[i] = clipped((v &+ summand) >> 6)
                i &+= 1
            }
        } else {
            while i < count {
                let red = sumOfTwo(first[i], second[i])
                let green = sumOfTwo(first[i &+ plane], second[i &+ plane])
                let blue = sumOfTwo(first[i &+ 2 &* plane], second[i &+ 2 &* plane])
                let u = highProduct(red, redInBlue) &+ highProduct(green, greenInBlue) &+ highProduct(blue, blueInBlue)
                let v = highProduct(red, redInRed) &+ highProduct(green, greenInRed) &+ highProduct(blue, blueInRed)
                chromaBlue[i] = clipped((u &+ summand) >> 6)
                chromaRed[i] = clipped((v &+ summand) >> 6)
                i &+= 1
            }
        }
    }

    /// Splits pairs of bytes.
    /// - Parameters:
    ///   - pairs: 2 × `count` bytes.
    ///   - first: `count` bytes: the first of each pair; `second` likewise.
    @inline(never)
    package func splitPairs(
        _ pairs: UnsafeRawPointer, into first: UnsafeMutablePointer<UInt8>, _ second: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        var i = 0
        while i < count {
            let pair = UInt16(littleEndian: pairs.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self))
            first[i] = narrow(pair)
            second[i] = narrow(pair >> 8)
            i &+= 1
        }
    }

    /// Joins bytes to pairs, the reverse of `splitPairs`.
    @inline(never)
    package func joinPairs(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, into pairs: UnsafeMutableRawPointer, count: Int
    ) {
        var i = 0
        while i < count {
            pairs.storeBytes(
                of: (wide(first[i]) | (wide(second[i]) << 8)).littleEndian, toByteOffset: 2 &* i, as: UInt16.self)
            i &+= 1
        }
    }

    /// Replaces bytes by others where a weight is above 0.
    /// - Parameters:
    ///   - bytes: `count` bytes, changed in place; `others` and `weights` likewise.
    @inline(never)
    package func replace(
        _ bytes: UnsafeMutablePointer<UInt8>, by others: UnsafePointer<UInt8>, where weights: UnsafePointer<UInt8>,
        count: Int
    ) {
        var i = 0
        while i < count {
            let isSeen: UInt8 = weights[i] == 0 ? 0 : 255
            bytes[i] ^= (bytes[i] ^ others[i]) & isSeen
            i &+= 1
        }
    }

    /// Returns in each byte whether one of the weights that share a sample is above 0.
    /// - Parameters:
    ///   - first: `count` weights, or 2 × `count` if `doubled`; `second` likewise, and may be the same.
    ///   - output: `count` bytes: 0 where all are 0.
    @inline(never)
    package func joinWeights(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, doubled: Bool,
        into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        if doubled {
            let (firsts, seconds) = (UnsafeRawPointer(first), UnsafeRawPointer(second))
            while i < count {
                let a = firsts.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self)
                let both = a | seconds.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self)
                output[i] = narrow(both | (both >> 8))
                i &+= 1
            }
        } else {
            while i < count {
                output[i] = first[i] | second[i]
                i &+= 1
            }
        }
    }
}

extension RowKernels {
    /// Joins red, green and blue to pixels of four bytes.
    /// - Parameters:
    ///   - red: `count` bytes; `green` and `blue` likewise.
    ///   - offsets: places of the colours in a pixel, none twice; the other byte becomes 255.
    ///   - pixels: `count` pixels.
    @inline(never)
    package func joinColors(
        _ red: UnsafePointer<UInt8>, _ green: UnsafePointer<UInt8>, _ blue: UnsafePointer<UInt8>,
        offsets: ChannelOffsets, into pixels: UnsafeMutableRawPointer, count: Int
    ) {
        let (toRed, toGreen, toBlue) = ((offsets.red & 3) &* 8, (offsets.green & 3) &* 8, (offsets.blue & 3) &* 8)
        let filled = ~((UInt32(255) &<< toRed) | (UInt32(255) &<< toGreen) | (UInt32(255) &<< toBlue))
        var i = 0
        while i < count {
            let (r, g) = (
                UInt32(truncatingIfNeeded: red[i]) &<< toRed, UInt32(truncatingIfNeeded: green[i]) &<< toGreen
            )
            put(r | g | (UInt32(truncatingIfNeeded: blue[i]) &<< toBlue) | filled, i, pixels)
            i &+= 1
        }
    }

    /// Narrows samples of 10 bits to bytes, rounded.
    /// - Parameters:
    ///   - words: `count` little-endian words of 16 bits.
    ///   - shift: bits by which they are larger than bytes.
    ///   - bytes: as many.
    @inline(never)
    package func narrowWords(
        _ words: UnsafeRawPointer, shift: UInt16, into bytes: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let half = UInt16(1) &<< (shift &- 1)
        var i = 0
        while i < count {
            let word = UInt16(littleEndian: words.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self))
            let rounded = (word < 65535 &- half ? word &+ half : 65535) &>> shift
            bytes[i] = narrow(rounded > 255 ? 255 : rounded)
            i &+= 1
        }
    }

    /// Widens bytes to samples of 10 bits where a weight is above 0; other samples stay.
    /// - Parameters:
    ///   - bytes: `count`; `weights` likewise.
    ///   - shift: bits by which words are larger than bytes.
    ///   - words: `count` little-endian words of 16 bits.
    @inline(never)
    package func widenBytes(
        _ bytes: UnsafePointer<UInt8>, shift: UInt16, where weights: UnsafePointer<UInt8>,
        into words: UnsafeMutableRawPointer, count: Int
    ) {
        var i = 0
        while i < count {
            let old = UInt16(littleEndian: words.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self))
            let isSeen: UInt16 = weights[i] == 0 ? 0 : 65535
            let new = old ^ ((old ^ (wide(bytes[i]) &<< shift)) & isSeen)
            words.storeBytes(of: new.littleEndian, toByteOffset: 2 &* i, as: UInt16.self)
            i &+= 1
        }
    }
}

/// Returns a chroma sample less 128, times 2⁸.
@inline(__always)
private func centred(_ sample: UInt8) -> Int16 { Int16(bitPattern: (wide(sample) << 8) ^ 0x8000) }

/// Returns a 16-bit lane twice.
@inline(__always)
private func twice(_ value: Int16) -> UInt32 {
    let one = UInt32(truncatingIfNeeded: UInt16(bitPattern: value))
    return one | (one << 16)
}

/// Returns the sum of the pixels `2 index` and `2 index + 1` of two rows, times 2⁵.
@inline(__always)
private func sumOfFour(_ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, _ index: Int) -> Int16 {
    let a = UnsafeRawPointer(first).loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self)
    let b = UnsafeRawPointer(second).loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self)
    return Int16(bitPattern: ((a & 255) &+ (a >> 8) &+ (b & 255) &+ (b >> 8)) << 5)
}

/// Returns the sum of two pixels, twice, times 2⁵.
@inline(__always)
private func sumOfTwo(_ first: UInt8, _ second: UInt8) -> Int16 {
    Int16(bitPattern: (wide(first) &+ wide(second)) << 6)
}
