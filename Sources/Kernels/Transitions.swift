// SPDX-License-Identifier: LGPL-2.1-or-later
// Row kernels of transitions between two images.

extension RowKernels {
    /// Computes the weight of the new image for each pixel: (edge − threshold) · slope / 2¹⁶, rounded and limited to
    /// 0…255. A pixel begins to change when the position of the transition, `edge`, reaches the threshold of the pixel.
    /// - Parameters:
    ///   - thresholds: `count` thresholds.
    ///   - edge: the current position of the transition, 0…131071.
    ///   - softness: 1…65535. If `edge` exceeds the threshold of a pixel by this value, the pixel has changed
    ///     completely.
    ///   - slope: 255 · 2¹⁶ / softness.
    ///   - weights: `count` bytes.
    @inline(never)
    package func weighThresholds(
        _ thresholds: UnsafePointer<UInt16>, edge: Int32, softness: Int32, slope: Int32,
        into weights: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            let passed = edge &- Int32(truncatingIfNeeded: thresholds[i])
            let positive = passed < 0 ? 0 : passed
            let limited = positive < softness ? positive : softness
            let weight = (limited &* slope &+ 32768) >> 16
            weights[i] = UInt8(truncatingIfNeeded: weight < 255 ? weight : 255)
            i &+= 1
        }
    }

    /// Adds a row of bytes to the sums of columns, and subtracts another row of bytes from the sums.
    /// - Parameters:
    ///   - sums: `count` sums, changed in place.
    ///   - added: `count` bytes.
    ///   - removed: `count` bytes.
    @inline(never)
    package func slideSums(
        _ sums: UnsafeMutablePointer<UInt32>, adding added: UnsafePointer<UInt8>,
        removing removed: UnsafePointer<UInt8>,
        count: Int
    ) {
        var i = 0
        while i < count {
            sums[i] = sums[i] &+ UInt32(truncatingIfNeeded: added[i]) &- UInt32(truncatingIfNeeded: removed[i])
            i &+= 1
        }
    }

    /// Computes means from sums: sum · factor / 2²², rounded to the nearest integer.
    /// - Parameters:
    ///   - sums: `count` sums.
    ///   - factor: 2²² divided by the number of bytes in a sum. sum · factor must be less than 2³².
    ///   - bytes: `count` bytes.
    @inline(never)
    package func meansOfSums(
        _ sums: UnsafePointer<UInt32>, factor: UInt32, into bytes: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        var i = 0
        while i < count {
            bytes[i] = UInt8(truncatingIfNeeded: (sums[i] &* factor &+ (1 << 21)) >> 22)
            i &+= 1
        }
    }

    /// Interpolates between two bytes of a row for each output value. The output is 256 times the interpolated byte.
    /// - Parameters:
    ///   - bytes: the row of bytes.
    ///   - offsets: `count` values 256 · i + w. i is the index of the first byte (below 2²⁴). w is the weight of the
    ///     second byte, in units of 1/256.
    ///   - neighbours: `count` indices of the second byte.
    ///   - line: `count` output values.
    @inline(never)
    package func resampleRow(
        _ bytes: UnsafePointer<UInt8>, offsets: UnsafePointer<UInt32>, neighbours: UnsafePointer<UInt32>,
        into line: UnsafeMutablePointer<UInt16>, count: Int
    ) {
        var i = 0
        while i < count {
            let offset = offsets[i]
            let first = Int32(truncatingIfNeeded: bytes[Int(truncatingIfNeeded: offset >> 8)])
            let second = Int32(truncatingIfNeeded: bytes[Int(truncatingIfNeeded: neighbours[i])])
            let share = Int32(truncatingIfNeeded: offset & 255)
            line[i] = UInt16(truncatingIfNeeded: first &* 256 &+ (second &- first) &* share)
            i &+= 1
        }
    }

    /// Interpolates between two rows, and mixes the result with a third row. The error of each byte is less than 0.52.
    /// - Parameters:
    ///   - first: the first row: `count` byte values, multiplied by 256.
    ///   - second: the second row: `count` byte values, multiplied by 256.
    ///   - fraction: the weight of the second row relative to the first row, in units of 1/256, 0…255.
    ///   - bytes: the third row: `count` bytes.
    ///   - weight: the weight of the third row, in units of 1/255.
    ///   - output: `count` bytes. Must not overlap an input.
    @inline(never)
    package func mixLines(
        _ first: UnsafePointer<UInt16>, _ second: UnsafePointer<UInt16>, fraction: UInt32,
        _ bytes: UnsafePointer<UInt8>, weight: UInt8, into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        // The weights have the unit 1/65535. So the product of a value and a weight is the high half of a 32-bit
        // product. One instruction computes the high half, rounded down.
        let complement = 255 &- UInt32(truncatingIfNeeded: weight)
        let ofThird = UInt32(truncatingIfNeeded: weight) &* 257
        let ofSecond = (complement &* 257 &* fraction &+ 128) >> 8
        let ofFirst = 65535 &- ofThird &- ofSecond
        var i = 0
        while i < count {
            let a = (UInt32(truncatingIfNeeded: first[i]) &* ofFirst) >> 16
            let b = (UInt32(truncatingIfNeeded: second[i]) &* ofSecond) >> 16
            let c = ((UInt32(truncatingIfNeeded: bytes[i]) << 8) &* ofThird) >> 16
            let sum =
                UInt16(truncatingIfNeeded: a) &+ UInt16(truncatingIfNeeded: b) &+ UInt16(truncatingIfNeeded: c) &+ 130
            output[i] = UInt8(truncatingIfNeeded: sum >> 8)
            i &+= 1
        }
    }
}
