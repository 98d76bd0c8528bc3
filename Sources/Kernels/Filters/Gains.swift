// Gains of channels, and what white balances are worked out from.

/// Multiplies bytes by gains: rounded to the nearest, at most 255.
/// - Parameters:
///   - bytes: `count` bytes, changed in place.
///   - gains: for each byte, 2¹⁴ times its gain, below 4 · 2¹⁴; bytes with 2¹⁴ stay.
@inline(never)
package func multiplyBytes(_ bytes: UnsafeMutablePointer<UInt8>, by gains: UnsafePointer<UInt16>, count: Int) {
    var i = 0
    while i < count {
        // 64 times the product, which the high half of 16 x 16 bits holds; rounding it down first changes nothing.
        let value = UInt32(truncatingIfNeeded: wide(bytes[i]) << 8)
        let product = UInt16(truncatingIfNeeded: (value &* UInt32(truncatingIfNeeded: gains[i])) >> 16)
        let rounded = (product &+ 32) >> 6
        bytes[i] = narrow(rounded > 255 ? 255 : rounded)
        i &+= 1
    }
}

/// Adds each byte of some pixels of four bytes to the sum of its place.
/// - Parameter sums: four sums.
@inline(never)
package func addPixels(_ pixels: UnsafeRawPointer, to sums: UnsafeMutablePointer<UInt64>, count: Int) {
    // Two 16-bit sums in each word, which overflow after 257 pixels.
    var (even, odd) = (UInt64(0), UInt64(0))
    var (even2, odd2) = (UInt64(0), UInt64(0))
    var i = 0
    while i < count {
        let word = pixel(pixels, i)
        even &+= UInt64(truncatingIfNeeded: word & 255)
        odd &+= UInt64(truncatingIfNeeded: (word >> 8) & 255)
        even2 &+= UInt64(truncatingIfNeeded: (word >> 16) & 255)
        odd2 &+= UInt64(truncatingIfNeeded: word >> 24)
        i &+= 1
    }
    sums[0] &+= even
    sums[1] &+= odd
    sums[2] &+= even2
    sums[3] &+= odd2
}
