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
            let key = keyed(r, g, b, numbers)
            weights[i] = UInt8(truncatingIfNeeded: key.weight)
            reds[i] = UInt8(truncatingIfNeeded: byteBits(plus(r, key.excess, numbers.first.change)))
            greens[i] = UInt8(truncatingIfNeeded: byteBits(plus(g, key.excess, numbers.second.change)))
            blues[i] = UInt8(truncatingIfNeeded: byteBits(plus(b, key.excess, numbers.third.change)))
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
            let key = keyed(r, g, b, numbers)
            weights[i] = UInt8(truncatingIfNeeded: key.weight)
            let red = byteBits(plus(r, key.excess, numbers.first.change)) &<< toRed
            let green = byteBits(plus(g, key.excess, numbers.second.change)) &<< toGreen
            let blue = byteBits(plus(b, key.excess, numbers.third.change)) &<< toBlue
            output.storeBytes(
                of: (red | green | blue | (pixel & kept)).littleEndian, toByteOffset: i &* 4, as: UInt32.self)
            i &+= 1
        }
    }

    /// Computes the matte of two samples of each pixel, blue and red chroma, and these without spill.
    /// - Parameters:
    ///   - first: `count` bytes; `second` likewise, and may be the same.
    ///   - numbers: for these two.
    ///   - firsts: `count` bytes, not those of an input; `seconds` likewise.
    ///   - weights: `count` bytes: 0 where the key is.
    @inline(never)
    package func keySamples(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, numbers: KeyNumbers,
        into firsts: UnsafeMutablePointer<UInt8>, _ seconds: UnsafeMutablePointer<UInt8>,
        weights: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let (u, v) = (asFloat(first[i]), asFloat(second[i]))
            let key = keyed(u, v, 0, numbers)
            weights[i] = UInt8(truncatingIfNeeded: key.weight)
            firsts[i] = UInt8(truncatingIfNeeded: byteBits(plus(u, key.excess, numbers.first.change)))
            seconds[i] = UInt8(truncatingIfNeeded: byteBits(plus(v, key.excess, numbers.second.change)))
            i &+= 1
        }
    }

    /// Computes what `keySamples` does, of samples in pairs.
    /// - Parameters:
    ///   - pairs: 2 × `count` bytes.
    ///   - numbers: for the first and second of each pair.
    ///   - output: 2 × `count` bytes, not those of the input.
    ///   - weights: `count` bytes: 0 where the key is.
    @inline(never)
    package func keyPairs(
        _ pairs: UnsafeRawPointer, numbers: KeyNumbers, into output: UnsafeMutableRawPointer,
        weights: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let pair = UInt16(littleEndian: pairs.loadUnaligned(fromByteOffset: 2 &* i, as: UInt16.self))
            let (u, v) = (asFloat(narrow(pair)), asFloat(narrow(pair >> 8)))
            let key = keyed(u, v, 0, numbers)
            weights[i] = UInt8(truncatingIfNeeded: key.weight)
            let first = byteBits(plus(u, key.excess, numbers.first.change))
            let second = byteBits(plus(v, key.excess, numbers.second.change))
            output.storeBytes(
                of: UInt16(truncatingIfNeeded: first | (second << 8)).littleEndian, toByteOffset: 2 &* i,
                as: UInt16.self)
            i &+= 1
        }
    }

    /// Computes the matte of luma: |along + luma · share − place| · slope + offset, rounded to the nearest of 0…255.
    /// - Parameters:
    ///   - luma: `count` bytes.
    ///   - numbers: for luma as the first of two samples.
    ///   - weights: `count` bytes: 0 where the key is.
    @inline(never)
    package func keyLuma(
        _ luma: UnsafePointer<UInt8>, numbers: KeyNumbers, into weights: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let place = (numbers.place - numbers.along) * numbers.slope
        let share = 0 - numbers.first.along * numbers.slope
        var i = 0
        while i < count {
            let missing = plus(place, asFloat(luma[i]), share)
            weights[i] = UInt8(truncatingIfNeeded: byteBits(greater(missing, 0 - missing) + numbers.offset))
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

/// Computes the weight of a pixel, in the low bits of a word, and by how much it has too much of the key's colour.
@inline(__always)
private func keyed(_ a: Float, _ b: Float, _ c: Float, _ key: KeyNumbers) -> (weight: UInt32, excess: Float) {
    let along = plus(plus(plus(key.along, a, key.first.along), b, key.second.along), c, key.third.along)
    let across = plus(plus(plus(key.across, a, key.first.across), b, key.second.across), c, key.third.across)
    let missing = key.place - along
    let short = greater(missing, missing * key.beyond)
    let distance = plus(across * across, short, short).squareRoot()
    let side = greater(across, 0 - across)
    return (byteBits(plus(key.offset, distance, key.slope)), greater(along - side * key.aside, 0))
}
