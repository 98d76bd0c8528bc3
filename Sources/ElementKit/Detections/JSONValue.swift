// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

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
        var writer = JSONWriter()
        writer.write(self)
        return writer.text
    }
}

extension JSONWriter {
    package mutating func write(_ value: JSONValue) {
        switch value {
        case .text(let text): write(text)
        case .whole(let number): write(number)
        case .count(let number): write(number)
        case .real(let number): write(number)
        case .exact(let number): writeExact(number)
        case .truth(let isTrue): write(isTrue)
        case .list(let values): list { for value in values { $0.write(value) } }
        case .table(let members):
            table {
                for member in members {
                    $0.name(any: member.name)
                    $0.write(member.value)
                }
            }
        }
    }
}
