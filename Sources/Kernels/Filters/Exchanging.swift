// Pixels of four bytes that change places.

extension RowKernels {
    /// Exchanges the pixels of two rows.
    /// - Parameters:
    ///   - first, second: `count` pixels each, that do not overlap.
    ///   - mask: the bits of a pixel that are exchanged.
    @inline(never)
    package func exchange(_ first: UnsafeMutableRawPointer, _ second: UnsafeMutableRawPointer, mask: UInt32, count: Int)
    {
        var i = 0
        while i < count {
            let (a, b) = (UInt32(first, i), UInt32(second, i))
            let change = (a ^ b) & mask
            (a ^ change).put(i, first)
            (b ^ change).put(i, second)
            i &+= 1
        }
    }

    /// Exchanges the first pixel of one row with the last of the other, and so on.
    @inline(never)
    package func exchangeReversed(
        _ first: UnsafeMutableRawPointer, _ second: UnsafeMutableRawPointer, mask: UInt32, count: Int
    ) {
        var i = 0
        while i < count {
            let j = count &- 1 &- i
            let (a, b) = (UInt32(first, i), UInt32(second, j))
            let change = (a ^ b) & mask
            (a ^ change).put(i, first)
            (b ^ change).put(j, second)
            i &+= 1
        }
    }
}
