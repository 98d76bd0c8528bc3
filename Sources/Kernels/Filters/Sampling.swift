// SPDX-License-Identifier: LGPL-2.1-or-later
// Bilinear sampling at arbitrary positions of an image. A kernel with scalar instructions collects the pixels around
// each position; a second kernel with vector instructions interpolates between them.
//
// A position consists of two numbers. The first number is the index of the pixel to the upper left of the position. The
// second number has 16 bits: the distance of the position from this pixel to the right (low byte) and downwards (high
// byte), in 1/256 pixel.

extension RowKernels {
    /// Copies the pixels at the given indices.
    /// - Parameter indices: `count` indices of pixels.
    @inline(never)
    package func copyPixels(
        _ picture: UnsafeRawPointer, sixteenBit: Bool, indices: UnsafePointer<UInt32>,
        into output: UnsafeMutableRawPointer, count: Int
    ) {
        @inline(__always) func copy<Word: PixelWord>(_: Word.Type) {
            var i = 0
            while i < count {
                Word(picture, Int(truncatingIfNeeded: indices[i])).put(i, output)
                i &+= 1
            }
        }
        if sixteenBit { copy(UInt64.self) } else { copy(UInt32.self) }
    }

    /// Collects for each position two adjacent four-byte pixels of the upper row and two of the lower row.
    /// - Parameters:
    ///   - stride: distance between rows, in bytes.
    ///   - upper, lower: `count` pairs of pixels.
    @inline(never)
    package func collectPairs(
        _ picture: UnsafeRawPointer, stride: Int, indices: UnsafePointer<UInt32>, upper: UnsafeMutableRawPointer,
        lower: UnsafeMutableRawPointer, count: Int
    ) {
        var i = 0
        while i < count {
            let from = picture + 4 &* Int(truncatingIfNeeded: indices[i])
            upper.storeBytes(of: from.loadUnaligned(as: UInt64.self), toByteOffset: 8 &* i, as: UInt64.self)
            lower.storeBytes(of: (from + stride).loadUnaligned(as: UInt64.self), toByteOffset: 8 &* i, as: UInt64.self)
            i &+= 1
        }
    }
}

/// Interpolates two channels of two pixels at once. Each result has 16 bits and is 256 times the level.
@inline(__always)
private func mixedChannels(_ a: UInt32, _ b: UInt32, _ weight: UInt32) -> UInt32 {
    (a & 0xFF_00FF) &* (256 &- weight) &+ (b & 0xFF_00FF) &* weight
}

extension RowKernels {
    /// Interpolates between the collected four-byte pixels by the distances of each position. The output has bytes or
    /// 16-bit samples, rounded.
    @inline(never)
    package func mixPairs(
        _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, distances: UnsafePointer<UInt16>,
        into output: UnsafeMutableRawPointer, sixteenBit: Bool, count: Int
    ) {
        /// Passes the four interpolated samples of each pixel to `put`, each with 24 bits.
        @inline(__always) func mix(_ put: (Int, _ first: UInt32, _ second: UInt32, _ third: UInt32, UInt32) -> Void) {
            var i = 0
            while i < count {
                let distance = UInt32(truncatingIfNeeded: distances[i])
                let (right, down) = (distance & 255, distance >> 8)
                let left = 256 &- right
                let (a, b) = (UInt32(upper, 2 &* i), UInt32(upper, 2 &* i &+ 1))
                let (c, d) = (UInt32(lower, 2 &* i), UInt32(lower, 2 &* i &+ 1))
                let (evenLeft, evenRight) = (mixedChannels(a, c, down), mixedChannels(b, d, down))
                let (oddLeft, oddRight) = (mixedChannels(a >> 8, c >> 8, down), mixedChannels(b >> 8, d >> 8, down))
                put(
                    i, (evenLeft & 0xFFFF) &* left &+ (evenRight & 0xFFFF) &* right,
                    (oddLeft & 0xFFFF) &* left &+ (oddRight & 0xFFFF) &* right,
                    (evenLeft >> 16) &* left &+ (evenRight >> 16) &* right,
                    (oddLeft >> 16) &* left &+ (oddRight >> 16) &* right)
                i &+= 1
            }
        }
        if sixteenBit {
            mix { i, first, second, third, fourth in
                ((first &+ 128) >> 8 | ((second &+ 128) << 8) & 0xFFFF_0000).put(2 &* i, output)
                ((third &+ 128) >> 8 | ((fourth &+ 128) << 8) & 0xFFFF_0000).put(2 &* i &+ 1, output)
            }
        } else {
            mix { i, first, second, third, fourth in
                let low = (first &+ 0x8000) >> 16 | ((second &+ 0x8000) >> 8) & 0xFF00
                let high = (third &+ 0x8000) & 0xFF_0000 | ((fourth &+ 0x8000) << 8) & 0xFF00_0000
                (low | high).put(i, output)
            }
        }
    }
}

// MARK: - Pixels of 16-bit samples

extension RowKernels {
    /// Collects for each position four pixels with 16-bit samples: upper left, upper right, lower left and lower right.
    /// - Parameters:
    ///   - stride: distance between rows, in bytes.
    ///   - output: four rows of pixels, each `row` bytes long.
    @inline(never)
    package func collectSquares(
        _ picture: UnsafeRawPointer, stride: Int, indices: UnsafePointer<UInt32>, into output: UnsafeMutableRawPointer,
        row: Int, count: Int
    ) {
        var i = 0
        while i < count {
            let upper = picture + 8 &* Int(truncatingIfNeeded: indices[i])
            let lower = upper + stride
            let to = output + 8 &* i
            to.storeBytes(of: upper.loadUnaligned(as: UInt64.self), as: UInt64.self)
            to.storeBytes(
                of: upper.loadUnaligned(fromByteOffset: 8, as: UInt64.self), toByteOffset: row, as: UInt64.self)
            to.storeBytes(of: lower.loadUnaligned(as: UInt64.self), toByteOffset: 2 &* row, as: UInt64.self)
            to.storeBytes(
                of: lower.loadUnaligned(fromByteOffset: 8, as: UInt64.self), toByteOffset: 3 &* row, as: UInt64.self)
            i &+= 1
        }
    }

    /// Repeats the distances of each position for the four 16-bit samples of its pixel, in 1/65536 pixel.
    /// - Parameters:
    ///   - right, down: four distances for each of `count` pixels.
    @inline(never)
    package func replicateDistances(
        _ distances: UnsafePointer<UInt16>, right: UnsafeMutableRawPointer, down: UnsafeMutableRawPointer, count: Int
    ) {
        var i = 0
        while i < count {
            let distance = UInt64(truncatingIfNeeded: distances[i])
            fourTimes((distance & 255) << 8).put(i, right)
            fourTimes(distance & 0xFF00).put(i, down)
            i &+= 1
        }
    }
}

@inline(__always)
private func fourTimes(_ value: UInt64) -> UInt64 {
    let two = value | (value << 16)
    return two | (two << 32)
}

extension RowKernels {
    /// Interpolates between the pixels that `collectSquares` collected. The error is at most 3/256 of a byte's level.
    /// - Parameters:
    ///   - samples: four rows of samples at distances of `row` samples.
    ///   - output: `count` samples.
    ///   - count: number of samples, four for each pixel.
    @inline(never)
    package func mixSquares(
        _ samples: UnsafePointer<UInt16>, row: Int, right: UnsafePointer<UInt16>, down: UnsafePointer<UInt16>,
        into output: UnsafeMutablePointer<UInt16>, count: Int
    ) {
        var i = 0
        while i < count {
            let (a, b) = (samples[i], samples[i &+ row])
            let (c, d) = (samples[i &+ 2 &* row], samples[i &+ 3 &* row])
            let (across, below) = (right[i], down[i])
            let left = a &- part(a, below) &+ part(c, below)
            let other = b &- part(b, below) &+ part(d, below)
            output[i] = left &- part(left, across) &+ part(other, across)
            i &+= 1
        }
    }

    /// Replaces each sample by the mean of the sample and its counterpart in `others`.
    @inline(never)
    package func average(_ samples: UnsafeMutablePointer<UInt16>, with others: UnsafePointer<UInt16>, count: Int) {
        var i = 0
        while i < count {
            let sum = UInt32(truncatingIfNeeded: samples[i]) &+ UInt32(truncatingIfNeeded: others[i])
            samples[i] = UInt16(truncatingIfNeeded: (sum &+ 1) >> 1)
            i &+= 1
        }
    }
}
