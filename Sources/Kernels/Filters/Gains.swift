// Gains of channels.

extension RowKernels {
    /// Multiplies bytes by gains: rounded to the nearest, at most 255.
    /// - Parameters:
    ///   - bytes: `count` bytes, changed in place.
    ///   - gains: for each byte 2¹⁴ times its gain, below 4 · 2¹⁴; bytes with 2¹⁴ stay.
    @inline(never)
    package func multiplyBytes(_ bytes: UnsafeMutablePointer<UInt8>, by gains: UnsafePointer<UInt16>, count: Int) {
        var i = 0
        while i < count {
            // 64 times the product, as the high half of 16 x 16 bits; rounding this down changes nothing.
            let value = UInt32(truncatingIfNeeded: wide(bytes[i]) << 8)
            let product = UInt16(truncatingIfNeeded: (value &* UInt32(truncatingIfNeeded: gains[i])) >> 16)
            let rounded = (product &+ 32) >> 6
            bytes[i] = narrow(rounded > 255 ? 255 : rounded)
            i &+= 1
        }
    }
}
