// SPDX-License-Identifier: LGPL-2.1-or-later
// The separable modes. b is the background and f is the foreground. Their range is 0…1 in the comments and 0…255 in the
// code. "W3C" is Compositing and Blending Level 1, §10.

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

/// If f ≤ ½, multiply(b, 2f). Otherwise screen(b, 2f − 1) (W3C).
enum HardLight: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        let dark = f < 128
        let product = dividedBy255((dark ? wide(b) : wide(~b)) &* (dark ? wide(f) : wide(~f)) &* 2)
        return dark ? product : ~product
    }
}

/// If b ≤ ½, multiply(f, 2b). Otherwise screen(f, 2b − 1) (W3C). This is the mode `hard-light` with b and f exchanged.
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

/// If f ≤ ½, b − (1 − 2f) b (1 − b). Otherwise b + (2f − 1)(D(b) − b). D(b) is ((16b − 12) b + 4) b if b ≤ ¼, and √b
/// otherwise (W3C).
///
/// The code computes b + (2f − 1) · b (1 − b) · e. If f ≤ ½, e is 1. If f > ½, e is (D(b) − b) / (b (1 − b)), which
/// falls from 3 to ½ when b rises. The code approximates e by a cubic polynomial of (255 b − 128) / 128, plus a
/// multiple of m², where m is max(0, 80 − 255 b). The coefficients give the smallest maximum error. The result differs
/// from the exact value by at most 0.7 / 255, including the last rounding.
///
/// The signs, the order of the operations and the bounds in `lesser` and `greater` make LLVM use 16-bit products of
/// signed 16-bit integers. Otherwise LLVM uses 32-bit lanes, which take three times as long. Values exceed the bounds
/// only if b is 0 or 1. There, b (1 − b) is 0.
enum SoftLight: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        let x = wide(b)
        let y = wide(f)
        let u = Int16(bitPattern: (x << 8) ^ 0x8000)  // times 2¹⁵
        let line = greater(highProduct(20326, u) &- 18044, -28200)  // times −2¹⁵
        let square = lesser(highProduct(line, u) &+ 9941, 24000)  // times −2¹⁴
        let below = difference(80, atLeastZero: x)
        let more = greater(Int16(bitPattern: (below &* below) &- 1454) &- highProduct(square, u), -4400)  // e − 1
        let isLight = Int16(bitPattern: 0 &- (y >> 7))  // all bits or none
        let e = (more & isLight) &+ 8258  // times 2¹³ · 65536 / 65025

        let spread = highProduct(Int16(bitPattern: (x &* (255 &- x)) << 1), e)  // times 2¹⁴
        let change = highProduct(spread, Int16(bitPattern: (y << 8) &- 32640))  // times 255 · 2⁵
        return narrow(((x << 5) &+ 16 &+ UInt16(bitPattern: change)) >> 5)
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

/// If f ≤ ½, min(b, 2f). Otherwise max(b, 2f − 1).
enum PinLight: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        f < 128 ? lesser(b, f &+ f) : greater(b, f &+ f &+ 1)
    }
}

/// 1 if b + f ≥ 1, else 0
enum HardMix: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { b >= ~f ? 255 : 0 }
}

/// 1 − |1 − b − f|
enum Negation: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { ~Difference.blend(~b, f) }
}
