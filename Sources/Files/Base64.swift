// SPDX-License-Identifier: LGPL-2.1-or-later

// Base64 without Foundation. Foundation would add several megabytes to the plugin.

private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
private let padding = UInt8(ascii: "=")

/// Returns bytes as Base64 on one line, with padding (RFC 4648, section 4).
package func base64(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        for digit in 0..<4 {
            text.append(digit <= group.count ? alphabet[bits >> (18 - 6 * digit) & 63] : padding)
        }
    }
    return String(decoding: text, as: UTF8.self)
}

/// Decodes Base64 (RFC 4648, section 4). Returns nil if the text contains invalid characters, such as spaces, or has no
/// padding.
package func bytes(base64 text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    let significant = digits.count - digits.suffix(2).count { $0 == padding }
    guard digits.count.isMultiple(of: 4) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3)
    var (bits, count) = (0, 0)
    for digit in digits[..<significant] {
        guard let value = value(of: digit) else { return nil }
        bits = (bits << 6 | value) & 0xFFFF
        count += 6
        guard count >= 8 else { continue }
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return bytes
}

private func value(of digit: UInt8) -> Int? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
}
