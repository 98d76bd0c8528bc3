// The modes that divide. A division takes longer than all else in a mode, so these are done in three passes over scratch
// memory that stays in the first-level cache: terms in 16-bit lanes, quotients in 32-bit lanes, bytes again.

/// A blend mode that is, in each colour channel, one number divided by another.
protocol QuotientMode {
    /// The numerator and the denominator of the blended value, 0…255.
    /// - Returns: a denominator of 1…255 and a numerator of 0…255 times that, for the result is not clipped.
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt16, denominator: UInt8)
}

/// b / f; 0 where b = 0, else 1 where f = 0
enum Divide: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt16, denominator: UInt8) {
        let denominator = atLeastOne(f)
        return (wide(lesser(b, denominator)) &* 255, denominator)
    }
}

/// b / (1 − f); 0 where b = 0, else 1 where f = 1 (W3C)
enum ColorDodge: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt16, denominator: UInt8) { Divide.terms(b, ~f) }
}

/// 1 − (1 − b) / f; 1 where b = 1, else 0 where f = 0 (W3C)
enum ColorBurn: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt16, denominator: UInt8) {
        let denominator = atLeastOne(f)
        return (wide(difference(denominator, atLeastZero: ~b)) &* 255, denominator)
    }
}

/// f ≤ ½: color-burn(b, 2f), else color-dodge(b, 2f − 1)
enum VividLight: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt16, denominator: UInt8) {
        let isDark = f < 128
        let denominator = atLeastOne(isDark ? f &+ f : ~f &+ ~f)
        let numerator = isDark ? difference(denominator, atLeastZero: ~b) : lesser(b, denominator)
        return (wide(numerator) &* 255, denominator)
    }
}

/// b² / (1 − f); 1 where f = 1
enum Reflect: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt16, denominator: UInt8) {
        let denominator = atLeastOne(~f)
        let most = wide(denominator) &* 255
        let whereFull = wide(difference(f, atLeastZero: 254)) << 8  // 1 where f = 1, even where b = 0
        let square = (wide(b) &* wide(b)) | whereFull
        return (square < most ? square : most, denominator)
    }
}

/// reflect with b and f exchanged
enum Glow: QuotientMode {
    @inline(__always)
    static func terms(_ b: UInt8, _ f: UInt8) -> (numerator: UInt16, denominator: UInt8) { Reflect.terms(f, b) }
}

/// Computes a row of a quotient mode.
/// - Parameter scratch: 5 × `count` bytes and 6 more, aligned to 4.
/// - Returns: the `count` results, within the scratch memory.
@inline(never)
func quotients<Mode: QuotientMode>(
    _ mode: Mode.Type, _ background: UnsafeMutablePointer<UInt8>, _ foreground: UnsafePointer<UInt8>,
    scratch: UnsafeMutableRawPointer, count: Int
) -> UnsafePointer<UInt8> {
    let results = scratch.bindMemory(to: UInt8.self, capacity: count)
    var i = 0
    while i < count {
        let (numerator, denominator) = Mode.terms(background[i], foreground[i])
        let q = Float(Int32(truncatingIfNeeded: numerator)) / Float(Int32(truncatingIfNeeded: denominator))
        results[i] = UInt8(truncatingIfNeeded: (q + roundingBias).bitPattern)
        i &+= 1
    }
    return UnsafePointer(results)
}

/// Divides pairs of 16-bit numbers and rounds the quotients, which must be at most 255, to the nearest, halves up. The
/// denominators are 1…255. Both divisions of a pair are done by one: a / b = a · d / (b · d).
@inline(__always)
func dividePairs(
    _ numerators: UnsafeRawPointer, by denominators: UnsafeRawPointer, into results: UnsafeMutableRawPointer, count: Int
) {
    var i = 0
    while i < count {
        let n = numerators.load(fromByteOffset: i &* 4, as: UInt32.self)
        let d = denominators.load(fromByteOffset: i &* 4, as: UInt32.self)
        let first = float(n & 0xFFFF) / float(d & 0xFFFF) + roundingBias
        let second = float(n >> 16) / float(d >> 16) + roundingBias
        let both = (first.bitPattern & 0xFF) | ((second.bitPattern & 0xFF) << 8)
        results.storeBytes(of: UInt16(truncatingIfNeeded: both), toByteOffset: i &* 2, as: UInt16.self)
        i &+= 1
    }
}
