// SPDX-License-Identifier: LGPL-2.1-or-later
// Arithmetic functions that the kernels share.

/// Converts a byte to a 16-bit integer with the same value.
@inline(__always)
func wide(_ value: UInt8) -> UInt16 { UInt16(truncatingIfNeeded: value) }

/// Returns the low byte of a 16-bit integer.
@inline(__always)
func narrow(_ value: UInt16) -> UInt8 { UInt8(truncatingIfNeeded: value) }

/// Returns `value / 255`, rounded to the nearest integer. Exact for 0…65025.
@inline(__always)
func dividedBy255(_ value: UInt16) -> UInt8 {
    let t = value &+ 128
    return narrow((t &+ (t >> 8)) >> 8)
}

/// Returns `min(255, max(0, value))`.
@inline(__always)
func clipped(_ value: Int16) -> UInt8 {
    let positive = value < 0 ? 0 : value
    return UInt8(truncatingIfNeeded: positive > 255 ? 255 : positive)
}

@inline(__always)
func lesser(_ a: UInt8, _ b: UInt8) -> UInt8 { a < b ? a : b }

@inline(__always)
func lesser(_ a: UInt16, _ b: UInt16) -> UInt16 { a < b ? a : b }

@inline(__always)
func greater(_ a: UInt8, _ b: UInt8) -> UInt8 { a < b ? b : a }

@inline(__always)
func lesser(_ a: Int16, _ b: Int16) -> Int16 { a < b ? a : b }

@inline(__always)
func greater(_ a: Int16, _ b: Int16) -> Int16 { a < b ? b : a }

/// Returns `max(1, value)`, but without a comparison. The compiler would merge a comparison with a constant and other
/// comparisons into slow branches.
@inline(__always)
func atLeastOne(_ value: UInt8) -> UInt8 { value &+ narrow((wide(value) &- 1) >> 15) }

/// Returns `max(0, a − b)`.
@inline(__always)
func difference(_ a: UInt8, atLeastZero b: UInt8) -> UInt8 { greater(a, b) &- b }

/// Returns `max(0, a − b)`.
@inline(__always)
func difference(_ a: UInt16, atLeastZero b: UInt16) -> UInt16 { (a < b ? b : a) &- b }

/// Returns `min(255, a + b)`.
@inline(__always)
func sum(_ a: UInt8, atMost255 b: UInt8) -> UInt8 { a &+ lesser(b, ~a) }

/// Returns `a · b / 65536`, rounded down.
@inline(__always)
func highProduct(_ a: Int16, _ b: Int16) -> Int16 {
    Int16(truncatingIfNeeded: (Int32(truncatingIfNeeded: a) &* Int32(truncatingIfNeeded: b)) >> 16)
}

/// Returns `sum + a · b`. If the processor has a fused multiply-add instruction, the result is rounded once, otherwise
/// twice.
@inline(__always)
func plus(_ sum: Float, _ a: Float, _ b: Float) -> Float {
    #if FUSED || arch(arm64)
        sum.addingProduct(a, b)
    #else
        sum + a * b
    #endif
}

/// A constant for fast rounding. If this constant is added to a float of 0…2²², the low bits of the sum's bit pattern
/// are the nearest integer.
@inline(__always)
var roundingBias: Float { 8_388_608 }

/// Converts an integer below 2²⁴ to a float. The function first converts it to Int32, because every processor has an
/// instruction to convert Int32 to a float.
@inline(__always)
func float(_ value: UInt32) -> Float { Float(Int32(truncatingIfNeeded: value)) }
