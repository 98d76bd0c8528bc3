// The separable modes. b is the background, f the foreground; in the comments 0…1, in the code 0…255.
// "W3C" is Compositing and Blending Level 1, §10.

/// (b + f) / 2
enum Average: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { narrow((wide(b) &+ wide(f) &+ 1) >> 1) }
}

/// b · f (W3C)
enum Multiply: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { dividedBy255(wide(b) &* wide(f)) }
}

/// 1 − (1 − b)(1 − f) (W3C)
enum Screen: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { ~Multiply.blend(~b, ~f) }
}

/// f (W3C)
enum Normal: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { f }
}

/// min(b, f) (W3C)
enum Darken: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { lesser(b, f) }
}

/// max(b, f) (W3C)
enum Lighten: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { greater(b, f) }
}

/// f ≤ ½: multiply(b, 2f), else screen(b, 2f − 1) (W3C)
enum HardLight: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        let dark = f < 128
        let product = dividedBy255((dark ? wide(b) : wide(~b)) &* (dark ? wide(f) : wide(~f)) &* 2)
        return dark ? product : ~product
    }
}

/// hard-light with b and f exchanged (W3C)
enum Overlay: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { HardLight.blend(f, b) }
}

/// |b − f| (W3C)
enum Difference: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { greater(b, f) &- lesser(b, f) }
}

/// b + f − 2bf (W3C)
enum Exclusion: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        dividedBy255(wide(b) &* wide(~f) &+ wide(~b) &* wide(f))
    }
}

/// f ≤ ½: b − (1 − 2f) b (1 − b), else b + (2f − 1)(D(b) − b), where D(b) = ((16b − 12) b + 4) b for b ≤ ¼, else √b (W3C)
///
/// Here it is b + (2f − 1) · b (1 − b) · e, where e is 1 for f ≤ ½, else (D(b) − b) / (b (1 − b)), which falls from 3 to
/// ½ and is approximated by a cubic of u = 256 b − 128 and the square of max(0, 80 − 255 b): fitted for the least
/// greatest error of the result, which is 0.7 of 255 before rounding, all 16-bit steps included.
///
/// Every `lesser` and `greater` below has a bound that is reached at b = 0 at most, where it does not matter. They keep
/// LLVM from merging a sum with the product after it in 32-bit lanes, which took three times as long.
enum SoftLight: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        let u = Int16(bitPattern: wide(b ^ 128) << 8)
        // Times 2¹⁵, and half of that after each product with u · 2¹⁵.
        let cubic = lesser(highProduct(-10163, u) &+ 9022, 14100)
        let square = lesser(highProduct(cubic, u) &- 4970, -2960)
        let below = wide(difference(80, atLeastZero: b))
        let sum = highProduct(square, u) &+ Int16(bitPattern: 3403 &+ ((below &* below) >> 1))
        let e = UInt16(bitPattern: greater(sum, 1900))  // times 2¹² · 65536 / 65025

        let isDark = f < 128
        let spread = highProduct((wide(b) &* wide(~b)) << 2, isDark ? 4130 : e)  // times 2¹⁴
        let slope = wide(isDark ? ~(f &+ f) : f &+ f &+ 1) << 8  // |2f − 1|, times 255 · 2⁸
        let change = highProduct(spread, slope)  // times 255 · 2⁶
        return narrow(((wide(b) << 6) &+ 32 &+ (isDark ? 0 &- change : change)) >> 6)
    }
}

// MARK: - Sums

/// b + f
enum Add: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { sum(b, atMost255: f) }
}

/// b − f
enum Subtract: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { difference(b, atLeastZero: f) }
}

/// b − f + 128/255
enum GrainExtract: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        clipped(Int16(bitPattern: wide(b) &- wide(f) &+ 128))
    }
}

/// b + f − 128/255
enum GrainMerge: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        clipped(Int16(bitPattern: wide(b) &+ wide(f) &- 128))
    }
}

/// b + f − 1
enum LinearBurn: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { difference(b, atLeastZero: ~f) }
}

/// b + 2f − 1
enum LinearLight: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        clipped(Int16(bitPattern: wide(b) &+ wide(f) &+ wide(f) &- 255))
    }
}

/// f ≤ ½: min(b, 2f), else max(b, 2f − 1)
enum PinLight: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        f < 128 ? lesser(b, f &+ f) : greater(b, f &+ f &+ 1)
    }
}

/// 1 where b + f ≥ 1, else 0
enum HardMix: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { b >= ~f ? 255 : 0 }
}

/// 1 − |1 − b − f|
enum Negation: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { ~Difference.blend(~b, f) }
}
