// SPDX-License-Identifier: LGPL-2.1-or-later
// The separable blend modes. b is the background and f is the foreground. The range of b and f is 0…1 in the comments
// and 0…255 in the code. "W3C" is Compositing and Blending Level 1, §10.

/// The mode `average`: (b + f) / 2, where b is the background and f is the foreground.
enum Average: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { narrow((wide(b) &+ wide(f) &+ 1) >> 1) }
}

/// The mode `multiply`: b · f (W3C), where b is the background and f is the foreground.
enum Multiply: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { dividedBy255(wide(b) &* wide(f)) }
}

/// The mode `screen`: 1 − (1 − b)(1 − f) (W3C), where b is the background and f is the foreground.
enum Screen: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { ~Multiply.blend(~b, ~f) }
}

/// The mode `normal`: f (W3C), where f is the foreground.
enum Normal: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { f }
}

/// The mode `darken`: min(b, f) (W3C), where b is the background and f is the foreground.
enum Darken: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { lesser(b, f) }
}

/// The mode `lighten`: max(b, f) (W3C), where b is the background and f is the foreground.
enum Lighten: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { greater(b, f) }
}

/// The mode `hard-light` (W3C) for the background b and the foreground f. If f ≤ ½, multiply(b, 2f). Otherwise
/// screen(b, 2f − 1).
enum HardLight: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        let dark = f < 128
        let product = dividedBy255((dark ? wide(b) : wide(~b)) &* (dark ? wide(f) : wide(~f)) &* 2)
        return dark ? product : ~product
    }
}

/// The mode `overlay` (W3C) for the background b and the foreground f. If b ≤ ½, multiply(f, 2b). Otherwise screen(f,
/// 2b − 1). This is the mode `hard-light` with b and f exchanged.
enum Overlay: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { HardLight.blend(f, b) }
}

/// The mode `difference`: |b − f| (W3C), where b is the background and f is the foreground.
enum Difference: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { greater(b, f) &- lesser(b, f) }
}

/// The mode `exclusion`: b + f − 2bf (W3C), where b is the background and f is the foreground.
enum Exclusion: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        dividedBy255(wide(b) &* wide(~f) &+ wide(~b) &* wide(f))
    }
}

/// The mode `soft-light` (W3C) for the background b and the foreground f. If f ≤ ½, b − (1 − 2f) b (1 − b). Otherwise b
/// + (2f − 1)(D(b) − b). D(b) is ((16b − 12) b + 4) b if b ≤ ¼, and √b otherwise.
///
/// The code computes b + (2f − 1) · b (1 − b) · e. If f ≤ ½, e is 1. If f > ½, e is (D(b) − b) / (b (1 − b)), which
/// falls from 3 to ½ when b rises. The code approximates e by a cubic polynomial of (255 b − 128) / 128, plus a
/// multiple of m², where m is max(0, 80 − 255 b). The coefficients give the smallest maximum error. The result differs
/// from the exact value by at most 0.7 / 255, including the last rounding.
///
/// The signs, the order of the operations and the bounds in `lesser` and `greater` make LLVM use 16-bit products of
/// signed 16-bit integers. Otherwise LLVM uses 32-bit lanes, which take three times as long. Values exceed the bounds
/// only if b is 0 or 1. In these cases, b (1 − b) is 0, so the bounds do not change the result.
enum SoftLight: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        let x = wide(b)
        let y = wide(f)
        let u = Int16(bitPattern: (x << 8) ^ 0x8000)  // (255 b − 128) / 128, in units of 2⁻¹⁵
        let line = greater(highProduct(20326, u) &- 18044, -28200)  // linear polynomial, in units of −2⁻¹⁵
        let square = lesser(highProduct(line, u) &+ 9941, 24000)  // quadratic polynomial, in units of −2⁻¹⁴
        let below = difference(80, atLeastZero: x)
        let more = greater(Int16(bitPattern: (below &* below) &- 1454) &- highProduct(square, u), -4400)  // e − 1
        let isLight = Int16(bitPattern: 0 &- (y >> 7))  // all bits 1 if f > ½, else 0
        let e = (more & isLight) &+ 8258  // in units of 2⁻¹³ · 65025 / 65536

        let spread = highProduct(Int16(bitPattern: (x &* (255 &- x)) << 1), e)  // b (1 − b) · e, in units of 2⁻¹⁴
        let change = highProduct(spread, Int16(bitPattern: (y << 8) &- 32640))  // change of the byte, in units of 2⁻⁵
        return narrow(((x << 5) &+ 16 &+ UInt16(bitPattern: change)) >> 5)
    }
}

// MARK: - Sums

/// The mode `add`: b + f, at most 1, where b is the background and f is the foreground.
enum Add: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { sum(b, atMost255: f) }
}

/// The mode `subtract`: b − f, at least 0, where b is the background and f is the foreground.
enum Subtract: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { difference(b, atLeastZero: f) }
}

/// The mode `grain-extract`: b − f + 128/255, limited to 0…1, where b is the background and f is the foreground.
enum GrainExtract: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        clipped(Int16(bitPattern: wide(b) &- wide(f) &+ 128))
    }
}

/// The mode `grain-merge`: b + f − 128/255, limited to 0…1, where b is the background and f is the foreground.
enum GrainMerge: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        clipped(Int16(bitPattern: wide(b) &+ wide(f) &- 128))
    }
}

/// The mode `linear-burn`: b + f − 1, at least 0, where b is the background and f is the foreground.
enum LinearBurn: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { difference(b, atLeastZero: ~f) }
}

/// The mode `linear-light`: b + 2f − 1, limited to 0…1, where b is the background and f is the foreground.
enum LinearLight: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        clipped(Int16(bitPattern: wide(b) &+ wide(f) &+ wide(f) &- 255))
    }
}

/// The mode `pin-light` for the background b and the foreground f. If f ≤ ½, min(b, 2f). Otherwise max(b, 2f − 1).
enum PinLight: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 {
        f < 128 ? lesser(b, f &+ f) : greater(b, f &+ f &+ 1)
    }
}

/// The mode `hard-mix`: 1 if b + f ≥ 1, else 0, where b is the background and f is the foreground.
enum HardMix: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { b >= ~f ? 255 : 0 }
}

/// The mode `negation`: 1 − |1 − b − f|, where b is the background and f is the foreground.
enum Negation: SeparableMode {
    @inline(__always)
    static func blend(_ b: UInt8, _ f: UInt8) -> UInt8 { ~Difference.blend(~b, f) }
}
