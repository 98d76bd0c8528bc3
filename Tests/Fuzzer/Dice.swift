// SPDX-License-Identifier: LGPL-2.1-or-later
import TestSupport

/// The random choices of a case. They depend only on the seed of the case.
struct Dice {
    private var random: Random

    init(seed: UInt64) { random = Random(seed: seed) }

    /// Returns a number in 0 ..< `count`. Returns 0 if `count` is not positive.
    mutating func below(_ count: Int) -> Int { count > 0 ? Int(random.next() >> 16) % count : 0 }

    /// Returns true with the probability 1 / `count`.
    mutating func once(in count: Int) -> Bool { below(count) == 0 }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    mutating func bits() -> UInt64 { random.next() }

    mutating func byte() -> UInt8 { random.byte() }

    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    // MARK: - Numbers

    private static let ends: [Int64] = [
        0, 1, -1, 2, 255, 256, 65535, 65536, 1 << 24, 1 << 30, 0x7FFF_FFFF, 0x8000_0000, -0x8000_0000, 0xFFFF_FFFF,
        1 << 32, 1 << 53, .max, .min,
    ]

    /// In most cases returns a small number, otherwise a number near the limit of an integer type.
    mutating func integer() -> Int64 {
        switch below(4) {
        case 0: pick(Self.ends)
        case 1: Int64(bitPattern: bits())
        default: Int64(below(260)) - 20
        }
    }

    mutating func int32() -> Int32 { Int32(truncatingIfNeeded: integer()) }
    mutating func uint32() -> UInt32 { UInt32(truncatingIfNeeded: integer()) }

    private static let strange: [Double] = [
        .nan, .signalingNaN, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
        -.greatestFiniteMagnitude, 1e9, -1e9, 1e18, 9.3e18, -1e19, 1e-30,
    ]

    mutating func double() -> Double {
        switch below(4) {
        case 0: pick(Self.strange)
        case 1: Double(integer())
        default: Double(below(3001)) / 1000 - 1
        }
    }

    // MARK: - Texts

    private static let texts = [
        "", " ", "none", "0", "-1", "NaN", "1e400", "true", "a,b", "%d", "%s%n", "%05d", "'", "\"", "\\", "a\nb", "\t",
        "😀", "e\u{301}", "\u{200F}", "\u{FFFF}", "<b>", "&amp;", "$(x)", "`x`", ";", "|", "->", "=", "#fff", "..",
        "face", "Ada", "name=\"x\"", "[1,2]", "{}", "(", "a\u{1}b",
    ]

    /// Returns a text without slashes and zero bytes.
    mutating func text() -> String {
        switch below(8) {
        case 0: String(repeating: pick(Self.texts), count: 1 << below(13))
        case 1: (0..<below(9)).reduce("") { text, _ in text + pick(Self.texts) }
        case 2:
            String(
                decoding: bytes(below(40)).filter { $0 != 0 && $0 != UInt8(ascii: "/") }, as: UTF8.self)
        default: pick(Self.texts)
        }
    }
}
