// SPDX-License-Identifier: LGPL-2.1-or-later
// The modes that divide. A division takes longer than everything else in a mode, so these are done in two passes over
// scratch memory that stays in the first-level cache: the terms of the division, in byte lanes; the quotients, in
// 32-bit lanes that hold four bytes each, so that nothing is shuffled. The normal mode's foreground is the result.

/// A blend mode that divides, in each colour channel.
protocol QuotientMode {
    /// Numerator and denominator of the division.
    /// - Returns: a denominator of 1…255, and a numerator that makes `quotient` at most 255.
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8)

    /// The blended value, 0…255, before it is rounded.
    static func quotient(_ numerator: Float, _ denominator: Float) -> Float
}

extension QuotientMode {
    /// Factor that moves halves up, so that they are rounded up, and moves no other quotient across a half: those are
    /// at least 1 / (2 · 255) away from it.
    @inline(__always)
    static var lift: Float { 1 + 1 / 262_144 }

    @inline(__always)
    static func quotient(_ numerator: Float, _ denominator: Float) -> Float {
        numerator * (255 * lift) / denominator
    }
}

/// b / f; 0 where b = 0, else 1 where f = 0
enum Divide: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8) {
        let denominator = atLeastOne(f)
        return (lesser(b, denominator), denominator)
    }
}

/// b / (1 − f); 0 where b = 0, else 1 where f = 1 (W3C)
enum ColorDodge: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8) { Divide.terms(b, ~f) }
}

/// 1 − (1 − b) / f; 1 where b = 1, else 0 where f = 0 (W3C)
enum ColorBurn: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8) {
        let denominator = atLeastOne(f)
        return (difference(denominator, atLeastZero: ~b), denominator)
    }
}

/// f ≤ ½: color-burn(b, 2f), else color-dodge(b, 2f − 1)
enum VividLight: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8) {
        let isDark = f < 128
        let denominator = atLeastOne(isDark ? f &+ f : ~f &+ ~f)
        return (isDark ? difference(denominator, atLeastZero: ~b) : lesser(b, denominator), denominator)
    }
}

/// b² / (1 − f); 1 where f = 1
enum Reflect: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8) {
        let denominator = atLeastOne(~f)
        let isFull = denominator &+ f  // 0 where f = 1, else 255
        return (b | ~isFull, denominator)
    }

    @inline(__always)
    static func quotient(_ numerator: Float, _ denominator: Float) -> Float {
        lesser(numerator * (numerator * lift) / denominator, 255)
    }
}

/// reflect with b and f exchanged
enum Glow: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt8, denominator: UInt8) { Reflect.terms(f, b) }

    @inline(__always)
    static func quotient(_ numerator: Float, _ denominator: Float) -> Float {
        Reflect.quotient(numerator, denominator)
    }
}

/// Computes a row of a mode that divides.
/// - Parameter scratch: 2 × `count` bytes and 6 more, aligned to 4.
/// - Returns: the `count` results, within the scratch memory.
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

/// Returns the rounded quotient of the lowest bytes.
@inline(__always)
func quotient<Mode: QuotientMode>(_ mode: Mode.Type, _ numerator: UInt32, _ denominator: UInt32) -> UInt32 {
    (Mode.quotient(float(numerator & 255), float(denominator & 255)) + roundingBias).bitPattern & 255
}
