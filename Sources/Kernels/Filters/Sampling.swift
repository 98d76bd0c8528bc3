// SPDX-License-Identifier: LGPL-2.1-or-later
// Bilinear interpolation at any positions of an image. One kernel, with scalar instructions, collects the pixels around
// each position. Another kernel, with vector instructions, interpolates between these pixels.
//
// A position consists of two numbers. The first number is the index of a pixel. This pixel is the upper left one of the
// four pixels around the position. The second number has 16 bits. Its low byte is the offset of the position to the
// right of the pixel, and its high byte is the offset downwards, in units of 1/256 pixel.

extension RowKernels {
    /// Copies the pixels with the given indices.
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

    /// For each position, collects two adjacent pixels of the upper row and two adjacent pixels of the lower row. A
    /// pixel has four bytes.
    /// - Parameters:
    ///   - stride: the number of bytes from a row to the next row.
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

/// Interpolates between byte 0 of `a` and byte 0 of `b`, and between byte 2 of `a` and byte 2 of `b`. The weight of `b`
/// is `weight` / 256. Each result has 16 bits: 256 times the interpolated byte.
@inline(__always)
private func mixedChannels(_ a: UInt32, _ b: UInt32, _ weight: UInt32) -> UInt32 {
    (a & 0xFF_00FF) &* (256 &- weight) &+ (b & 0xFF_00FF) &* weight
}

extension RowKernels {
    /// Interpolates between the pixels that `collectPairs` collected. The output has bytes or 16-bit samples, rounded
    /// to the nearest integer.
    @inline(never)
    package func mixPairs(
        _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, distances: UnsafePointer<UInt16>,
        into output: UnsafeMutableRawPointer, sixteenBit: Bool, count: Int
    ) {
        /// Interpolates the four samples of each pixel, and passes them to `put`. The unit of the passed samples is
        /// 1/65536 of a byte level.
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
    /// For each position, collects four pixels with 16-bit samples: upper left, upper right, lower left and lower
    /// right.
    /// - Parameters:
    ///   - stride: the number of bytes from a row to the next row.
    ///   - output: four rows of pixels. Each row has `row` bytes.
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

    /// Splits the offsets of each position (see the top of this file) into two arrays: offsets to the right and offsets
    /// down. Each offset is repeated four times, once for each sample of a pixel. The unit of the output is 1/65536
    /// pixel.
    /// - Parameters:
    ///   - right, down: 4 · `count` offsets.
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
    /// Interpolates between the pixels that `collectSquares` collected. The error is at most 3/256 of a byte level.
    /// - Parameters:
    ///   - samples: four rows of samples, `row` samples apart.
    ///   - output: `count` samples.
    ///   - count: the number of samples, four per pixel.
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

    /// Replaces each sample by the mean of two samples: this sample, and the sample of `others` at the same index.
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
