// SPDX-License-Identifier: LGPL-2.1-or-later
// Row kernels for keying. A matte contains the weight of each pixel: 0 at the key colour, up to 255 for colours far
// from the key colour. Spill is light of the key colour on the foreground.

package import KernelTypes

extension RowKernels {
    /// Computes the matte of colours, and removes spill from the colours.
    /// - Parameters:
    ///   - red: `count` bytes.
    ///   - green: `count` bytes.
    ///   - blue: `count` bytes.
    ///   - parameters: the constants for red, green and blue samples.
    ///   - colors: output rows of `count` bytes for red, green and blue. Must not overlap an input.
    ///   - plane: the number of bytes from an output row to the next output row.
    ///   - weights: `count` bytes. The weight of the key colour is 0.
    @inline(never)
    package func keyColors(
        _ red: UnsafePointer<UInt8>, _ green: UnsafePointer<UInt8>, _ blue: UnsafePointer<UInt8>,
        parameters: KeyParameters, into colors: UnsafeMutablePointer<UInt8>, plane: Int,
        weights: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let (reds, greens, blues) = (colors, colors + plane, colors + 2 &* plane)
        var i = 0
        while i < count {
            let (r, g, b) = (asFloat(red[i]), asFloat(green[i]), asFloat(blue[i]))
            let coordinates = KeyCoordinates(r, g, b, parameters)
            let excess = coordinates.excess(parameters)
            weights[i] = UInt8(truncatingIfNeeded: coordinates.weight(parameters))
            reds[i] = UInt8(truncatingIfNeeded: byteBits(plus(r, excess, parameters.first.change)))
            greens[i] = UInt8(truncatingIfNeeded: byteBits(plus(g, excess, parameters.second.change)))
            blues[i] = UInt8(truncatingIfNeeded: byteBits(plus(b, excess, parameters.third.change)))
            i &+= 1
        }
    }

    /// Computes the matte of four-byte pixels, and removes spill from the pixels. The fourth byte does not change.
    /// - Parameters:
    ///   - pixels: `count` pixels.
    ///   - offsets: the byte positions of the colours in a pixel, all different.
    ///   - parameters: the constants for red, green and blue samples.
    ///   - output: `count` pixels. Must not overlap the input.
    ///   - weights: `count` bytes. The weight of the key colour is 0.
    @inline(never)
    package func keyPixels(
        _ pixels: UnsafeRawPointer, offsets: ChannelOffsets, parameters: KeyParameters,
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
            let coordinates = KeyCoordinates(r, g, b, parameters)
            let excess = coordinates.excess(parameters)
            weights[i] = UInt8(truncatingIfNeeded: coordinates.weight(parameters))
            let red = byteBits(plus(r, excess, parameters.first.change)) &<< toRed
            let green = byteBits(plus(g, excess, parameters.second.change)) &<< toGreen
            let blue = byteBits(plus(b, excess, parameters.third.change)) &<< toBlue
            output.storeBytes(
                of: (red | green | blue | (pixel & kept)).littleEndian, toByteOffset: i &* 4, as: UInt32.self)
            i &+= 1
        }
    }

    /// Computes the matte from two samples per pixel: blue chroma and red chroma.
    /// - Parameters:
    ///   - first: `count` bytes.
    ///   - second: `count` bytes. May be the same as `first`.
    ///   - parameters: the constants for the two samples.
    ///   - weights: `count` bytes. The weight of the key colour is 0.
    @inline(never)
    package func keySamples(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, parameters: KeyParameters,
        into weights: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let coordinates = KeyCoordinates(asFloat(first[i]), asFloat(second[i]), parameters)
            weights[i] = UInt8(truncatingIfNeeded: coordinates.weight(parameters))
            i &+= 1
        }
    }

    /// Computes the same matte as `keySamples`, from rows in which blue chroma and red chroma alternate.
    /// - Parameters:
    ///   - pairs: 2 × `count` bytes.
    ///   - parameters: the constants for the first and the second sample of each pair.
    ///   - weights: `count` bytes. The weight of the key colour is 0.
    @inline(never)
    package func keyPairs(
        _ pairs: UnsafeRawPointer, parameters: KeyParameters, into weights: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let (u, v) = floats(pairs, i)
            weights[i] = UInt8(truncatingIfNeeded: KeyCoordinates(u, v, parameters).weight(parameters))
            i &+= 1
        }
    }

    /// Removes spill from two samples per pixel: blue chroma and red chroma.
    /// - Parameters:
    ///   - first: `count` bytes.
    ///   - second: `count` bytes.
    ///   - parameters: the constants for the two samples.
    ///   - firsts: `count` output bytes for the first sample. Must not overlap an input.
    ///   - seconds: `count` output bytes for the second sample. Must not overlap an input.
    @inline(never)
    package func despillSamples(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, parameters: KeyParameters,
        into firsts: UnsafeMutablePointer<UInt8>, _ seconds: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let (u, v) = (asFloat(first[i]), asFloat(second[i]))
            let excess = KeyCoordinates(u, v, parameters).excess(parameters)
            firsts[i] = UInt8(truncatingIfNeeded: byteBits(plus(u, excess, parameters.first.change)))
            seconds[i] = UInt8(truncatingIfNeeded: byteBits(plus(v, excess, parameters.second.change)))
            i &+= 1
        }
    }

    /// Removes spill like `despillSamples`, from rows in which blue chroma and red chroma alternate.
    /// - Parameters:
    ///   - pairs: 2 × `count` bytes.
    ///   - parameters: the constants for the first and the second sample of each pair.
    ///   - output: 2 × `count` bytes. Must not overlap the input.
    @inline(never)
    package func despillPairs(
        _ pairs: UnsafeRawPointer, parameters: KeyParameters, into output: UnsafeMutableRawPointer, count: Int
    ) {
        var i = 0
        while i < count {
            let (u, v) = floats(pairs, i)
            let excess = KeyCoordinates(u, v, parameters).excess(parameters)
            let first = byteBits(plus(u, excess, parameters.first.change))
            let second = byteBits(plus(v, excess, parameters.second.change))
            output.storeBytes(
                of: UInt16(truncatingIfNeeded: first | (second << 8)).littleEndian, toByteOffset: 2 &* i,
                as: UInt16.self)
            i &+= 1
        }
    }

    /// Computes the matte from luma, with 16-bit integers.
    /// - Parameters:
    ///   - luma: `count` bytes.
    ///   - weights: `count` bytes. The weight of the key colour's luma is 0.
    @inline(never)
    package func keyLuma(
        _ luma: UnsafePointer<UInt8>, parameters: LumaKeyParameters, into weights: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        let (lower, upper, maximum) = (parameters.lower, parameters.upper, parameters.maximum)
        let (scale, slope) = (parameters.scale, UInt32(truncatingIfNeeded: parameters.slope))
        var i = 0
        while i < count {
            let level = wide(luma[i]) << 8
            let (above, below) = (difference(level, atLeastZero: upper), difference(lower, atLeastZero: level))
            let distance = lesser(above < below ? below : above, maximum) &* scale
            let product = UInt16(truncatingIfNeeded: (UInt32(truncatingIfNeeded: distance) &* slope) >> 16)
            weights[i] = narrow((product &+ 64) >> 7)
            i &+= 1
        }
    }

    /// Doubles the number of weights in a row. Replaces each weight w by two weights: (3w + previous) / 4 and (3w +
    /// next) / 4, rounded to the nearest integer. `previous` and `next` are the weights before and after w.
    /// - Parameters:
    ///   - weights: `count` bytes, and one more byte on both sides.
    ///   - output: 2 × `count` bytes.
    @inline(never)
    package func interpolateWeights(
        _ weights: UnsafePointer<UInt8>, into output: UnsafeMutableRawPointer, count: Int
    ) {
        let (before, after) = (weights - 1, weights + 1)
        var i = 0
        while i < count {
            let sum = 3 &* wide(weights[i]) &+ 2
            let first = (sum &+ wide(before[i])) >> 2
            let second = (sum &+ wide(after[i])) >> 2
            output.storeBytes(of: (first | (second << 8)).littleEndian, toByteOffset: 2 &* i, as: UInt16.self)
            i &+= 1
        }
    }
}

@inline(__always)
private func asFloat(_ value: UInt8) -> Float { float(UInt32(truncatingIfNeeded: value)) }

/// Returns the two bytes of a pair as floats.
@inline(__always)
private func floats(_ pairs: UnsafeRawPointer, _ index: Int) -> (Float, Float) {
    let pair = UInt16(littleEndian: pairs.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self))
    return (asFloat(narrow(pair)), asFloat(narrow(pair >> 8)))
}

/// The coordinates of a pixel relative to the key colour (see `KeyParameters`). `along` is the coordinate in the
/// direction of the key colour, and `across` is the coordinate perpendicular to this direction.
private struct KeyCoordinates {
    let along: Float
    let across: Float

    @inline(__always)
    init(_ a: Float, _ b: Float, _ key: KeyParameters) {
        along = plus(plus(key.along, a, key.first.along), b, key.second.along)
        across = plus(plus(key.across, a, key.first.across), b, key.second.across)
    }

    @inline(__always)
    init(_ a: Float, _ b: Float, _ c: Float, _ key: KeyParameters) {
        let ofTwo = KeyCoordinates(a, b, key)
        along = plus(ofTwo.along, c, key.third.along)
        across = plus(ofTwo.across, c, key.third.across)
    }

    /// Returns the pixel's weight in the matte, 0…255: 0 for the key colour.
    @inline(__always)
    func weight(_ key: KeyParameters) -> UInt32 {
        let missing = key.position - along
        let short = greater(missing, missing * key.beyond)
        let distance = plus(across * across, short, short).squareRoot()
        return byteBits(plus(key.offset, distance, key.slope))
    }

    /// Returns the pixel's spill: how much of the key colour to remove, at least 0.
    @inline(__always)
    func excess(_ key: KeyParameters) -> Float {
        // Do not write max(along − limit, 0), because the compiler would use slower instructions (see `byteBits`).
        let limit = greater(across, 0 - across) * key.aside
        return greater(along, limit) - limit
    }
}
