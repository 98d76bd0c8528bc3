// SPDX-License-Identifier: LGPL-2.1-or-later
// The blend modes that divide. A division takes longer than all other operations of a mode. So the code makes two
// passes over scratch memory that stays in the first-level cache. The first pass computes the operands of the
// divisions, byte by byte. The second pass computes the quotients, four bytes per 32-bit lane. So the code needs no
// shuffle instructions. The caller then blends the quotients as the foreground of the mode `normal`.

/// A blend mode that divides in each colour channel.
protocol QuotientMode {
    /// Returns the operands of the division for the background b and the foreground f. The denominator is 1…255. The
    /// numerator is limited so that `quotient` is at most 255.
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8)

    /// Returns the blended value, 0…255, before rounding.
    static func quotient(_ numerator: Float, _ denominator: Float) -> Float
}

extension QuotientMode {
    /// A factor slightly above 1 for quotients. With this factor, quotients that are exactly a half are rounded up.
    /// Other quotients differ from a half by at least 1 / (2 · 255), so the factor does not change their rounding.
    @inline(__always)
    static var lift: Float { 1 + 1 / 262_144 }

    @inline(__always)
    static func quotient(_ numerator: Float, _ denominator: Float) -> Float {
        numerator * (255 * lift) / denominator
    }
}

/// The mode `divide`: b / f, where b is the background and f is the foreground. If b = 0, the result is 0. Otherwise,
/// if f = 0, the result is 1.
enum Divide: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8) {
        let denominator = atLeastOne(f)
        return (lesser(b, denominator), denominator)
    }
}

/// The mode `color-dodge`: b / (1 − f) (W3C), where b is the background and f is the foreground. If b = 0, the result
/// is 0. Otherwise, if f = 1, the result is 1.
enum ColorDodge: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8) { Divide.terms(b, ~f) }
}

/// The mode `color-burn`: 1 − (1 − b) / f (W3C), where b is the background and f is the foreground. If b = 1, the
/// result is 1. Otherwise, if f = 0, the result is 0.
enum ColorBurn: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8) {
        let denominator = atLeastOne(f)
        return (difference(denominator, atLeastZero: ~b), denominator)
    }
}

/// The mode `vivid-light` for the background b and the foreground f. If f ≤ ½, color-burn(b, 2f). Otherwise
/// color-dodge(b, 2f − 1).
enum VividLight: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8) {
        let isDark = f < 128
        let denominator = atLeastOne(isDark ? f &+ f : ~f &+ ~f)
        return (isDark ? difference(denominator, atLeastZero: ~b) : lesser(b, denominator), denominator)
    }
}

/// The mode `reflect`: b² / (1 − f), where b is the background and f is the foreground. If f = 1, the result is 1.
enum Reflect: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8) {
        let denominator = atLeastOne(~f)
        let isFull = denominator &+ f  // 0 if the foreground is 255, otherwise 255
        return (b | ~isFull, denominator)
    }

    @inline(__always)
    static func quotient(_ numerator: Float, _ denominator: Float) -> Float {
        lesser(numerator * (numerator * lift) / denominator, 255)
    }
}

/// The mode `glow`: f² / (1 − b), where b is the background and f is the foreground. If b = 1, the result is 1. This is
/// the mode `reflect` with b and f exchanged.
enum Glow: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8) { Reflect.terms(f, b) }

    @inline(__always)
    static func quotient(_ numerator: Float, _ denominator: Float) -> Float {
        Reflect.quotient(numerator, denominator)
    }
}

/// Computes the blended values of a row for a mode that divides.
/// - Parameter scratch: 2 × `count` + 6 bytes, aligned to 4 bytes.
/// - Returns: the address of the `count` results in `scratch`.
@inline(never)
func quotients<Mode: QuotientMode>(
    _ mode: Mode.Type, _ background: UnsafeMutablePointer<UInt8>, _ foreground: UnsafePointer<UInt8>,
    scratch: UnsafeMutableRawPointer, count: Int
) -> UnsafePointer<UInt8> {
    let words = (count &+ 3) >> 2
    let numerators = scratch.bindMemory(to: UInt8.self, capacity: 8 &* words)
    let denominators = numerators + 4 &* words
    var i = 0
    while i < count {
        let (numerator, denominator) = Mode.terms(background[i], foreground[i])
        numerators[i] = numerator
        denominators[i] = denominator
        i &+= 1
    }
    let divisors = scratch + 4 &* words
    i = 0
    while i < words {
        let n = scratch.load(fromByteOffset: 4 &* i, as: UInt32.self)
        let d = divisors.load(fromByteOffset: 4 &* i, as: UInt32.self)
        let result =
            quotient(mode, n, d) | (quotient(mode, n >> 8, d >> 8) << 8)
            | (quotient(mode, n >> 16, d >> 16) << 16) | (quotient(mode, n >> 24, d >> 24) << 24)
        scratch.storeBytes(of: result, toByteOffset: 4 &* i, as: UInt32.self)
        i &+= 1
    }
    return UnsafePointer(numerators)
}

/// Divides the lowest byte of `numerator` by the lowest byte of `denominator` (see `QuotientMode.quotient`), and
/// rounds.
@inline(__always)
func quotient<Mode: QuotientMode>(_ mode: Mode.Type, _ numerator: UInt32, _ denominator: UInt32) -> UInt32 {
    (Mode.quotient(float(numerator & 255), float(denominator & 255)) + roundingBias).bitPattern & 255
}
