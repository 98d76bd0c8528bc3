// SPDX-License-Identifier: LGPL-2.1-or-later

extension RowKernels {
    /// Swaps the pixels of two rows.
    /// - Parameters:
    ///   - first, second: two rows of `count` pixels. They must not overlap.
    ///   - reversed: true to swap the first pixel of `first` with the last pixel of `second`, and so on.
    ///   - mask: the bits of a pixel to swap.
    @inline(never)
    package func exchange(
        _ first: UnsafeMutableRawPointer, _ second: UnsafeMutableRawPointer, reversed: Bool, mask: UInt32, count: Int
    ) {
        @inline(__always) func exchange(_ other: (Int) -> Int) {
            var i = 0
            while i < count {
                let j = other(i)
                let (a, b) = (UInt32(first, i), UInt32(second, j))
                let change = (a ^ b) & mask
                (a ^ change).put(i, first)
                (b ^ change).put(j, second)
                i &+= 1
            }
        }
        if reversed { exchange { count &- 1 &- $0 } } else { exchange { $0 } }
    }
}
