// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows of transitions between two pictures.

extension RowKernels {
    /// Computes weights from the thresholds at which pixels begin to change: (edge − threshold) · slope / 2¹⁶, rounded to the
    /// nearest of 0…255.
    /// - Parameters:
    ///   - thresholds: `count` numbers.
    ///   - edge: 0…131071.
    ///   - softness: difference from threshold to edge at which a pixel has changed, 1…65535.
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

    /// Adds a row of bytes to sums, and takes another one away.
    /// - Parameters:
    ///   - sums: `count` numbers, changed in place.
    ///   - added: `count` bytes; `removed` likewise.
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

    /// Computes means from sums: sum · factor / 2²², rounded to the nearest.
    /// - Parameters:
    ///   - sums: `count` numbers.
    ///   - factor: 2²² / number of bytes in a sum; sum · factor is less than 2³².
    ///   - bytes: `count` of them.
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
}
