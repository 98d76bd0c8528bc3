// SPDX-License-Identifier: LGPL-2.1-or-later
extension Dice {
    /// Returns valid bytes with random changes: flipped bits, extreme numbers, and parts that are removed, repeated,
    /// nested or copied from another file.
    mutating func mutated(_ good: [UInt8], with others: [[UInt8]], atMost limit: Int = 1 << 20) -> [UInt8] {
        var bytes = good
        for _ in 0..<1 + below(once(in: 4) ? 12 : 3) {
            mutate(&bytes, with: others)
            if bytes.count > limit { bytes.removeLast(bytes.count - limit) }
        }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8], with others: [[UInt8]]) {
        guard !bytes.isEmpty else {
            bytes = self.bytes(below(64))
            return
        }
        switch below(11) {
        case 0, 1:
            for _ in 0..<1 + below(8) { bytes[below(bytes.count)] ^= 1 << UInt8(below(8)) }
        case 2: for _ in 0..<1 + below(8) { bytes[below(bytes.count)] = byte() }
        case 3: bytes.removeLast(1 + below(bytes.count))
        case 4: bytes.removeSubrange(part(of: bytes))
        case 5: bytes.insert(contentsOf: bytes[part(of: bytes)], at: below(bytes.count + 1))
        case 6:
            // Nesting: repeat a part up to 4096 times.
            let part = part(of: bytes, atMost: 64)
            let times = 1 << below(13)
            bytes.replaceSubrange(part, with: Array(repeating: bytes[part], count: times).joined())
        case 7:
            let other = pick(others)
            guard !other.isEmpty else { return }
            bytes.replaceSubrange(part(of: bytes), with: other[part(of: other)])
        case 8, 9: for _ in 0..<1 + below(3) { replaceNumber(in: &bytes) }
        default: bytes.insert(contentsOf: self.bytes(1 + below(32)), at: below(bytes.count + 1))
        }
    }

    private mutating func part(of bytes: [UInt8], atMost limit: Int = .max) -> Range<Int> {
        let start = below(bytes.count)
        return start..<start + 1 + below(min(limit, bytes.count - start))
    }

    private static let numbers = [
        "0", "-1", "1", "2147483647", "-2147483648", "2147483648", "4294967295", "4294967296", "9223372036854775807",
        "-9223372036854775808", "18446744073709551616", "1e30", "-1e30", "1e400", "1e-400", "nan", "-inf", "0x7f", "1.",
        ".5", "00000000000000000000001", "", "1 1 1 1 1 1", "٣",
    ]

    private mutating func replaceNumber(in bytes: inout [UInt8]) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let start = below(bytes.count)
        guard let first = bytes[start...].firstIndex(where: digits.contains) else { return }
        let last = bytes[first...].firstIndex { !digits.contains($0) } ?? bytes.endIndex
        bytes.replaceSubrange(first..<last, with: pick(Self.numbers).utf8)
    }
}
