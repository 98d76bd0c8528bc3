// SPDX-License-Identifier: LGPL-2.1-or-later
// Interpolation for a grid of source positions. All pixels of an output row are interpolated between the same two input
// rows. All pixels of an output column are interpolated between the same two input columns.

/// Returns `value` · `share` / 65536, rounded down.
@inline(__always)
func part(_ value: UInt16, _ share: UInt16) -> UInt16 {
    UInt16(truncatingIfNeeded: (UInt32(truncatingIfNeeded: value) &* UInt32(truncatingIfNeeded: share)) >> 16)
}

extension RowKernels {
    /// Interpolates between the samples of two rows. The output has 16-bit samples.
    /// - Parameter share: the weight of the lower row, in units of 1/256.
    @inline(never)
    package func mixRows(
        _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, sixteenBit: Bool, share: UInt16,
        into output: UnsafeMutablePointer<UInt16>, count: Int
    ) {
        var i = 0
        if sixteenBit {
            let (upper, lower) = (
                upper.assumingMemoryBound(to: UInt16.self), lower.assumingMemoryBound(to: UInt16.self)
            )
            while i < count {
                output[i] = upper[i] &- part(upper[i], share << 8) &+ part(lower[i], share << 8)
                i &+= 1
            }
        } else {
            let (upper, lower) = (upper.assumingMemoryBound(to: UInt8.self), lower.assumingMemoryBound(to: UInt8.self))
            while i < count {
                output[i] = wide(upper[i]) &* (256 &- share) &+ wide(lower[i]) &* share
                i &+= 1
            }
        }
    }

    /// For each output column, collects the two input pixels to the left and to the right of the source position. The
    /// pixels have 16-bit samples.
    /// - Parameters:
    ///   - row: interpolated samples, starting at column 0 of the image.
    ///   - columns: for each of `count` output columns, the index of the left input column.
    @inline(never)
    package func collectColumns(
        _ row: UnsafeRawPointer, columns: UnsafePointer<UInt32>, left: UnsafeMutableRawPointer,
        right: UnsafeMutableRawPointer, count: Int
    ) {
        var i = 0
        while i < count {
            let from = row + 8 &* Int(truncatingIfNeeded: columns[i])
            left.storeBytes(of: from.loadUnaligned(as: UInt64.self), toByteOffset: 8 &* i, as: UInt64.self)
            right.storeBytes(
                of: from.loadUnaligned(fromByteOffset: 8, as: UInt64.self), toByteOffset: 8 &* i, as: UInt64.self)
            i &+= 1
        }
    }

    /// Interpolates between the 16-bit samples of two columns. Writes 16-bit samples or bytes. The error before
    /// rounding is at most 2/256 of a byte level.
    /// - Parameter shares: the weight of the right column for each of `count` samples, in units of 1/65536.
    @inline(never)
    package func mixColumns(
        _ left: UnsafePointer<UInt16>, _ right: UnsafePointer<UInt16>, shares: UnsafePointer<UInt16>,
        into output: UnsafeMutableRawPointer, sixteenBit: Bool, count: Int
    ) {
        let (bytes, words) = (output.assumingMemoryBound(to: UInt8.self), output.assumingMemoryBound(to: UInt16.self))
        var i = 0
        if sixteenBit {
            while i < count {
                words[i] = left[i] &- part(left[i], shares[i]) &+ part(right[i], shares[i])
                i &+= 1
            }
        } else {
            while i < count {
                let value = left[i] &- part(left[i], shares[i]) &+ part(right[i], shares[i])
                bytes[i] = narrow((value &+ 128) >> 8)
                i &+= 1
            }
        }
    }
}
