// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels for curves: tables and polynomials that map levels to levels.

/// Number of table entries per byte level.
@inline(__always)
private var stepsPerLevel: Float { 64 }

extension RowKernels {
    /// Limits each value of a plane to 0…255, and replaces the value by the nearest entry of a table.
    /// - Parameters:
    ///   - table: 255 · 64 + 1 values, for 0…255 in steps of 1/64.
    ///   - ofRoot: if true, the table is indexed by 255 · √(v / 255) instead of the value v.
    ///   - indices: scratch memory for `count` indices. The kernel first computes all indices by vector instructions,
    ///     and then looks up the entries. This is faster than a single loop.
    @inline(never)
    package func applyTable(
        _ table: UnsafePointer<Float>, ofRoot: Bool, to plane: UnsafeMutablePointer<Float>,
        indices: UnsafeMutablePointer<UInt16>, count: Int
    ) {
        var i = ofRoot ? 0 : count
        while i < count {
            plane[i] = (limited(plane[i]) * 255).squareRoot()
            i &+= 1
        }
        i = 0
        while i < count {
            indices[i] = UInt16(truncatingIfNeeded: (limited(plane[i]) * stepsPerLevel + roundingBias).bitPattern)
            i &+= 1
        }
        // Copy the values as integers, because processors can store more integers than floats at the same time.
        let (from, to) = (UnsafeRawPointer(table), UnsafeMutableRawPointer(plane))
        i = 0
        while i < count {
            let bits = from.load(fromByteOffset: 4 &* Int(truncatingIfNeeded: indices[i]), as: UInt32.self)
            to.storeBytes(of: bits, toByteOffset: 4 &* i, as: UInt32.self)
            i &+= 1
        }
    }

    /// Limits each value v of a plane to 0…255, and replaces v by a polynomial of 2x − 1. x is v / 255. If `ofRoot` is
    /// true, x is √(v / 255).
    /// - Parameters:
    ///   - coefficients: 16 coefficients. The first coefficient is the constant term.
    ///   - degree: the degree of the polynomial, at most 15.
    @inline(never)
    package func applyPolynomial(
        _ coefficients: UnsafePointer<Float>, degree: Int, ofRoot: Bool, to plane: UnsafeMutablePointer<Float>,
        count: Int
    ) {
        let (c0, c1, c2, c3) = (coefficients[0], coefficients[1], coefficients[2], coefficients[3])
        let (c4, c5, c6, c7) = (coefficients[4], coefficients[5], coefficients[6], coefficients[7])
        let (c8, c9, c10, c11) = (coefficients[8], coefficients[9], coefficients[10], coefficients[11])
        let (c12, c13, c14, c15) = (coefficients[12], coefficients[13], coefficients[14], coefficients[15])
        // Add pairs of terms, then pairs of these sums. The processor can then compute independent products in
        // parallel.
        @inline(__always) func low(_ t: Float, _ t2: Float, _ t4: Float) -> Float {
            plus(plus(plus(c0, c1, t), plus(c2, c3, t), t2), plus(plus(c4, c5, t), plus(c6, c7, t), t2), t4)
        }
        @inline(__always) func eighth(_ t: Float) -> Float {
            let t2 = t * t
            let t4 = t2 * t2
            return plus(low(t, t2, t4), c8, t4 * t4)
        }
        @inline(__always) func fifteenth(_ t: Float) -> Float {
            let t2 = t * t
            let t4 = t2 * t2
            let third = plus(plus(c8, c9, t), plus(c10, c11, t), t2)
            let last = plus(plus(c12, c13, t), plus(c14, c15, t), t2)
            return plus(low(t, t2, t4), plus(third, last, t4), t4 * t4)
        }
        @inline(__always) func apply(_ polynomial: (Float) -> Float) {
            var i = 0
            if ofRoot {
                while i < count {
                    plane[i] = polynomial(2 * (limited(plane[i]) * (1 / 255)).squareRoot() - 1)
                    i &+= 1
                }
            } else {
                while i < count {
                    plane[i] = polynomial(limited(plane[i]) * (2 / 255) - 1)
                    i &+= 1
                }
            }
        }
        if degree > 8 { apply(fifteenth) } else { apply(eighth) }
    }

    /// Replaces pairs of bytes by table entries. A four-byte pixel has two pairs. Pairs need half as many look-ups as
    /// single bytes.
    /// - Parameter tables: two tables of 65536 entries each. The first table is for the first two bytes of a pixel, and
    ///   the second table is for the last two bytes.
    @inline(never)
    package func lookUpPairs(_ pixels: UnsafeMutableRawPointer, in tables: UnsafePointer<UInt16>, count: Int) {
        var i = 0
        while i < count {
            let word = UInt32(pixels, i)
            let low = UInt32(truncatingIfNeeded: tables[Int(truncatingIfNeeded: word & 0xFFFF)])
            let high = UInt32(truncatingIfNeeded: tables[65536 &+ Int(truncatingIfNeeded: word >> 16)])
            (low | (high << 16)).put(i, pixels)
            i &+= 1
        }
    }

    /// Computes byte · gain + offset for each byte, limited to 0…255. The result is rounded to the nearest integer.
    /// Values near a half may be rounded in the wrong direction.
    /// - Parameters:
    ///   - bytes: `count` bytes, changed in place.
    ///   - flips: one flag per byte. If the flag is 255, the kernel replaces the byte b by 255 − b before the
    ///     multiplication. Otherwise the flag is 0.
    ///   - gains: for each byte, the gain times 2⁸⁺ˢ. The gain is at most 4.
    ///   - offsets: for each byte, the offset times 2ˢ, plus 2ˢ⁻¹ for rounding. The sums must fit into 16 bits.
    ///   - shift: s, the number of fractional bits in the sums. s is 4 or 5, or 6 if all offsets are 0. With 6,
    ///     products are rounded exactly.
    @inline(never)
    package func scaleBytes(
        _ bytes: UnsafeMutablePointer<UInt8>, flips: UnsafePointer<UInt8>, gains: UnsafePointer<UInt16>,
        offsets: UnsafePointer<Int16>, shift: Int16, count: Int
    ) {
        var i = 0
        while i < count {
            let value = UInt32(truncatingIfNeeded: wide(bytes[i] ^ flips[i]) << 8)
            let product = UInt16(truncatingIfNeeded: (value &* UInt32(truncatingIfNeeded: gains[i])) >> 16)
            // Limit the product to 255 · 2⁷ = 32640, so that it fits into a signed 16-bit integer. With the shift 6,
            // larger products become 255 anyway. With smaller shifts, no product is larger.
            let limited = Int16(truncatingIfNeeded: product < 32640 ? product : 32640)
            bytes[i] = clipped((limited &+ offsets[i]) &>> shift)
            i &+= 1
        }
    }
}
