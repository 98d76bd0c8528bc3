// SPDX-License-Identifier: LGPL-2.1-or-later
/// A value of JSON (RFC 8259), to be written on one line.
package enum JSONValue: Sendable, Equatable {
    case text(String)
    case whole(Int64)
    /// For times, which may be larger than `whole` holds.
    case count(UInt64)
    /// Written with six digits after the point at most; what is not finite is written as null.
    case real(Double)
    /// Written with as many digits as it takes to read the same number again.
    case exact(Double)
    case truth(Bool)
    case list([JSONValue])
    /// Members in the order in which they are written.
    case table([(name: String, value: JSONValue)])

    package static func == (one: JSONValue, other: JSONValue) -> Bool { one.line == other.line }

    /// The value as a line, without an end of line.
    package var line: String {
        var line = ""
        write(to: &line)
        return line
    }

    private func write(to line: inout String) {
        switch self {
        case .text(let text): Self.write(text, to: &line)
        case .whole(let number): line += "\(number)"
        case .count(let number): line += "\(number)"
        case .real(let number): line += Self.text(number)
        case .exact(let number): line += number.isFinite ? "\(number)" : "null"
        case .truth(let isTrue): line += isTrue ? "true" : "false"
        case .list(let values):
            line += "["
            for (index, value) in values.enumerated() {
                if index > 0 { line += "," }
                value.write(to: &line)
            }
            line += "]"
        case .table(let members):
            line += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { line += "," }
                Self.write(member.name, to: &line)
                line += ":"
                member.value.write(to: &line)
            }
            line += "}"
        }
    }

    private static func text(_ number: Double) -> String {
        guard number.isFinite else { return "null" }
        let rounded = (number * 1e6).rounded() / 1e6
        guard rounded.isFinite, rounded.magnitude < 1e15 else { return "\(number)" }
        if let whole = Int64(exactly: rounded) { return "\(whole)" }
        return "\(rounded)"
    }

    /// Writes a text in quotes. Whatever a reader might take for the end of a line or of the text is escaped.
    private static func write(_ text: String, to line: inout String) {
        line += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": line += "\\\""
            case "\\": line += "\\\\"
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: line.unicodeScalars.append(scalar)
            }
        }
        line += "\""
    }
}
