// SPDX-License-Identifier: LGPL-2.1-or-later
// Curves.

/// Steps of a curve's table to one level of a byte: bytes' levels coincide with entries.
@inline(__always)
private var stepsPerLevel: Float { 64 }

extension RowKernels {
    /// Replaces each value of a plane, clipped, by the nearest entry of a table.
    /// - Parameters:
    ///   - table: 255 · 64 + 1 values, for 0…255 in steps of 1/64.
    ///   - ofRoot: whether the steps are those of the root, 255 · √(v / 255).
    ///   - indices: scratch for `count` indices. Finding them first and looking them up afterwards is faster than doing
    ///     both at once: the former is done by vector instructions.
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
        // As integers, of which processors store more at once.
        let (from, to) = (UnsafeRawPointer(table), UnsafeMutableRawPointer(plane))
        i = 0
        while i < count {
            let bits = from.load(fromByteOffset: 4 &* Int(truncatingIfNeeded: indices[i]), as: UInt32.self)
            to.storeBytes(of: bits, toByteOffset: 4 &* i, as: UInt32.self)
            i &+= 1
        }
    }

    /// Replaces each value v of a plane, clipped, by a polynomial of 2x − 1, where x is v / 255 or the root of that.
    /// - Parameters:
    ///   - coefficients: 16 numbers, the constant first.
    ///   - degree: of the last that is not 0, at most 15.
    @inline(never)
    package func applyPolynomial(
        _ coefficients: UnsafePointer<Float>, degree: Int, ofRoot: Bool, to plane: UnsafeMutablePointer<Float>,
        count: Int
    ) {
        let (c0, c1, c2, c3) = (coefficients[0], coefficients[1], coefficients[2], coefficients[3])
        let (c4, c5, c6, c7) = (coefficients[4], coefficients[5], coefficients[6], coefficients[7])
        let (c8, c9, c10, c11) = (coefficients[8], coefficients[9], coefficients[10], coefficients[11])
        let (c12, c13, c14, c15) = (coefficients[12], coefficients[13], coefficients[14], coefficients[15])
        // Pairs of terms first, then pairs of those: processors do several products at once if none depends on another.
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

    /// Replaces pairs of bytes of pixels of four bytes by entries of tables: half as many steps as for single bytes.
    /// - Parameter tables: two tables of 65536 entries, for the first two bytes and for the other two.
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

    /// Multiplies bytes and adds to them, 0…255, rounded to the nearest except for values next to a half.
    /// - Parameters:
    ///   - bytes: `count` bytes, changed in place.
    ///   - flips: for each byte 255 if it is to be taken as 255 − b, else 0.
    ///   - gains: for each byte 2⁸⁺ˢ times its gain, at most 4.
    ///   - offsets: for each byte 2ˢ times its summand, and half as much for rounding; no sum may exceed the 16 bits.
    ///   - shift: s, 4 or 5; 6 where there are only gains: products are then rounded exactly.
    @inline(never)
    package func scaleBytes(
        _ bytes: UnsafeMutablePointer<UInt8>, flips: UnsafePointer<UInt8>, gains: UnsafePointer<UInt16>,
        offsets: UnsafePointer<Int16>, shift: Int16, count: Int
    ) {
        var i = 0
        while i < count {
            let value = UInt32(truncatingIfNeeded: wide(bytes[i] ^ flips[i]) << 8)
            let product = UInt16(truncatingIfNeeded: (value &* UInt32(truncatingIfNeeded: gains[i])) >> 16)
            // No sum has to be larger to be clipped to 255 with a shift of 6; with less, none is.
            let limited = Int16(truncatingIfNeeded: product < 32640 ? product : 32640)
            bytes[i] = clipped((limited &+ offsets[i]) &>> shift)
            i &+= 1
        }
    }
}
