// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows of mattes: how much of each pixel is not of a key's colour; and the colours without what the key has shed on them.

package import KernelTypes

extension RowKernels {
    /// Computes the matte of colours, and the colours without spill.
    /// - Parameters:
    ///   - red: `count` bytes; `green` and `blue` likewise.
    ///   - numbers: for red, green and blue.
    ///   - colors: rows of `count` bytes for red, green and blue, not those of an input.
    ///   - plane: distance between these rows.
    ///   - weights: `count` bytes: 0 where the key is.
    @inline(never)
    package func keyColors(
        _ red: UnsafePointer<UInt8>, _ green: UnsafePointer<UInt8>, _ blue: UnsafePointer<UInt8>,
        numbers: KeyNumbers, into colors: UnsafeMutablePointer<UInt8>, plane: Int,
        weights: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let (reds, greens, blues) = (colors, colors + plane, colors + 2 &* plane)
        var i = 0
        while i < count {
            let (r, g, b) = (asFloat(red[i]), asFloat(green[i]), asFloat(blue[i]))
            let place = Place(r, g, b, numbers)
            let excess = place.excess(numbers)
            weights[i] = UInt8(truncatingIfNeeded: place.weight(numbers))
            reds[i] = UInt8(truncatingIfNeeded: byteBits(plus(r, excess, numbers.first.change)))
            greens[i] = UInt8(truncatingIfNeeded: byteBits(plus(g, excess, numbers.second.change)))
            blues[i] = UInt8(truncatingIfNeeded: byteBits(plus(b, excess, numbers.third.change)))
            i &+= 1
        }
    }

    /// Computes the matte of pixels of four bytes, and the pixels without spill, whose fourth bytes stay.
    /// - Parameters:
    ///   - pixels: `count` pixels.
    ///   - offsets: places of the colours in a pixel, none twice.
    ///   - numbers: for red, green and blue.
    ///   - output: `count` pixels, not those of the input.
    ///   - weights: `count` bytes: 0 where the key is.
    @inline(never)
    package func keyPixels(
        _ pixels: UnsafeRawPointer, offsets: ChannelOffsets, numbers: KeyNumbers,
        into output: UnsafeMutableRawPointer, weights: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let (toRed, toGreen, toBlue) = ((offsets.red & 3) &* 8, (offsets.green & 3) &* 8, (offsets.blue & 3) &* 8)
        let kept = ~((UInt32(255) &<< toRed) | (UInt32(255) &<< toGreen) | (UInt32(255) &<< toBlue))
        var i = 0
        while i < count {
            let pixel = UInt32(littleEndian: pixels.loadUnaligned(fromByteOffset: i &* 4, as: UInt32.self))
            let r = float((pixel &>> toRed) & 255)
            let g = float((pixel &>> toGreen) & 255)
            let b = float((pixel &>> toBlue) & 255)
            let place = Place(r, g, b, numbers)
            let excess = place.excess(numbers)
            weights[i] = UInt8(truncatingIfNeeded: place.weight(numbers))
            let red = byteBits(plus(r, excess, numbers.first.change)) &<< toRed
            let green = byteBits(plus(g, excess, numbers.second.change)) &<< toGreen
            let blue = byteBits(plus(b, excess, numbers.third.change)) &<< toBlue
            output.storeBytes(
                of: (red | green | blue | (pixel & kept)).littleEndian, toByteOffset: i &* 4, as: UInt32.self)
            i &+= 1
        }
    }

    /// Computes the matte of two samples of each pixel, blue and red chroma.
    /// - Parameters:
    ///   - first: `count` bytes; `second` likewise, and may be the same.
    ///   - numbers: for these two.
    ///   - weights: `count` bytes: 0 where the key is.
    @inline(never)
    package func keySamples(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, numbers: KeyNumbers,
        into weights: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let place = Place(asFloat(first[i]), asFloat(second[i]), numbers)
            weights[i] = UInt8(truncatingIfNeeded: place.weight(numbers))
            i &+= 1
        }
    }

    /// Computes what `keySamples` does, of samples in pairs.
    /// - Parameters:
    ///   - pairs: 2 × `count` bytes.
    ///   - numbers: for the first and second of each pair.
    ///   - weights: `count` bytes: 0 where the key is.
    @inline(never)
    package func keyPairs(
        _ pairs: UnsafeRawPointer, numbers: KeyNumbers, into weights: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let (u, v) = floats(pairs, i)
            weights[i] = UInt8(truncatingIfNeeded: Place(u, v, numbers).weight(numbers))
            i &+= 1
        }
    }

    /// Takes the spill off two samples of each pixel, blue and red chroma.
    /// - Parameters:
    ///   - first: `count` bytes; `second` likewise.
    ///   - numbers: for these two.
    ///   - firsts: `count` bytes, not those of an input; `seconds` likewise.
    @inline(never)
    package func despillSamples(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, numbers: KeyNumbers,
        into firsts: UnsafeMutablePointer<UInt8>, _ seconds: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let (u, v) = (asFloat(first[i]), asFloat(second[i]))
            let excess = Place(u, v, numbers).excess(numbers)
            firsts[i] = UInt8(truncatingIfNeeded: byteBits(plus(u, excess, numbers.first.change)))
            seconds[i] = UInt8(truncatingIfNeeded: byteBits(plus(v, excess, numbers.second.change)))
            i &+= 1
        }
    }

    /// Does what `despillSamples` does, to samples in pairs.
    /// - Parameters:
    ///   - pairs: 2 × `count` bytes.
    ///   - numbers: for the first and second of each pair.
    ///   - output: 2 × `count` bytes, not those of the input.
    @inline(never)
    package func despillPairs(
        _ pairs: UnsafeRawPointer, numbers: KeyNumbers, into output: UnsafeMutableRawPointer, count: Int
    ) {
        var i = 0
        while i < count {
            let (u, v) = floats(pairs, i)
            let excess = Place(u, v, numbers).excess(numbers)
            let first = byteBits(plus(u, excess, numbers.first.change))
            let second = byteBits(plus(v, excess, numbers.second.change))
            output.storeBytes(
                of: UInt16(truncatingIfNeeded: first | (second << 8)).littleEndian, toByteOffset: 2 &* i,
                as: UInt16.self)
            i &+= 1
        }
    }

    /// Computes the matte of luma, in 16-bit lanes.
    /// - Parameters:
    ///   - luma: `count` bytes.
    ///   - weights: `count` bytes: 0 where the key is.
    @inline(never)
    package func keyLuma(
        _ luma: UnsafePointer<UInt8>, numbers: LumaKeyNumbers, into weights: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let (lower, upper, most) = (numbers.lower, numbers.upper, numbers.most)
        let (scale, slope) = (numbers.scale, UInt32(truncatingIfNeeded: numbers.slope))
        var i = 0
        while i < count {
            let level = wide(luma[i]) << 8
            let (above, below) = (difference(level, atLeastZero: upper), difference(lower, atLeastZero: level))
            let distance = lesser(above < below ? below : above, most) &* scale
            let product = UInt16(truncatingIfNeeded: (UInt32(truncatingIfNeeded: distance) &* slope) >> 16)
            weights[i] = narrow((product &+ 64) >> 7)
            i &+= 1
        }
    }

    /// Computes two weights for each of a row, a quarter of the way to the one before and to the one after it, rounded to
    /// the nearest.
    /// - Parameters:
    ///   - weights: `count` bytes, and one more on both sides.
    ///   - output: 2 × `count` bytes.
    @inline(never)
    package func interpolateWeights(
        _ weights: UnsafePointer<UInt8>, into output: UnsafeMutableRawPointer, count: Int
    ) {
        let (before, after) = (weights - 1, weights + 1)
        var i = 0
        while i < count {
            let most = 3 &* wide(weights[i]) &+ 2
            let first = (most &+ wide(before[i])) >> 2
            let second = (most &+ wide(after[i])) >> 2
            output.storeBytes(of: (first | (second << 8)).littleEndian, toByteOffset: 2 &* i, as: UInt16.self)
            i &+= 1
        }
    }
}

@inline(__always)
private func asFloat(_ value: UInt8) -> Float { float(UInt32(truncatingIfNeeded: value)) }

/// Returns a pair of bytes.
@inline(__always)
private func floats(_ pairs: UnsafeRawPointer, _ index: Int) -> (Float, Float) {
    let pair = UInt16(littleEndian: pairs.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self))
    return (asFloat(narrow(pair)), asFloat(narrow(pair >> 8)))
}

/// Where a pixel's chroma, or its luma, lies along the key's and across it.
private struct Place {
    let along: Float
    let across: Float

    @inline(__always)
    init(_ a: Float, _ b: Float, _ key: KeyNumbers) {
        along = plus(plus(key.along, a, key.first.along), b, key.second.along)
        across = plus(plus(key.across, a, key.first.across), b, key.second.across)
    }

    @inline(__always)
    init(_ a: Float, _ b: Float, _ c: Float, _ key: KeyNumbers) {
        let ofTwo = Place(a, b, key)
        along = plus(ofTwo.along, c, key.third.along)
        across = plus(ofTwo.across, c, key.third.across)
    }

    /// Computes the pixel's weight, in the low bits of a word.
    @inline(__always)
    func weight(_ key: KeyNumbers) -> UInt32 {
        let missing = key.place - along
        let short = greater(missing, missing * key.beyond)
        let distance = plus(across * across, short, short).squareRoot()
        return byteBits(plus(key.offset, distance, key.slope))
    }

    /// Computes by how much the pixel has too much of the key's colour.
    @inline(__always)
    func excess(_ key: KeyNumbers) -> Float {
        // Not the maximum of a difference and 0: see `byteBits`.
        let limit = greater(across, 0 - across) * key.aside
        return greater(along, limit) - limit
    }
}
