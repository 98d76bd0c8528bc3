// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels of four bytes that change places.

extension RowKernels {
    /// Exchanges the pixels of two rows.
    /// - Parameters:
    ///   - first, second: `count` pixels each, that do not overlap.
    ///   - reversed: whether the first pixel of one row is exchanged with the last one of the other, and so on.
    ///   - mask: the bits of a pixel that are exchanged.
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
