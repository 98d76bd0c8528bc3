// SPDX-License-Identifier: LGPL-2.1-or-later
/// A JSON value (RFC 8259). Property lists are also converted to this type.
///
///     let value = JSONValue.table([("name", .text("Ada")), ("age", .whole(36))])
///     value.line             // {"name":"Ada","age":36}
///     value["age"]?.integer  // 36
package enum JSONValue: Sendable {
    /// Null. When parsing property lists, this case also replaces values that do not exist in JSON, such as dates and
    /// infinite numbers.
    case null
    case truth(Bool)
    case whole(Int64)
    /// A number from 0 to 2⁶⁴ − 1, for example a time in nanoseconds. It may be too large for the case `whole`.
    case count(UInt64)
    /// A number that `JSONWriter` rounds to six digits after the decimal point. An infinite number or NaN is written as
    /// null.
    case real(Double)
    /// A number that `JSONWriter` does not round. The parsers use this case for numbers that are not integers.
    case exact(Double)
    case text(String)
    case list([JSONValue])
    /// The members of an object, in the order of the text. Each name appears only once.
    case table([(name: String, value: JSONValue)])

    /// - Parameter number: the value becomes `whole` if `number` is an integer, and null if `number` is infinite or
    ///   NaN.
    init(_ number: Double) {
        self = Int64(exactly: number).map { .whole($0) } ?? (number.isFinite ? .exact(number) : .null)
    }

    /// The value as one line of JSON, without a line break at the end.
    package var line: String {
        var writer = JSONWriter()
        writer.write(self)
        return writer.text
    }
}

extension JSONValue: Equatable {
    /// Two values are equal if their JSON texts are equal. The order of an object's members does not matter.
    package static func == (left: JSONValue, right: JSONValue) -> Bool { left.sorted.line == right.sorted.line }

    private var sorted: JSONValue {
        switch self {
        case .list(let items): .list(items.map(\.sorted))
        case .table(let members): .table(members.sorted { $0.name < $1.name }.map { ($0.name, $0.value.sorted) })
        case .null, .truth, .whole, .count, .real, .exact, .text: self
        }
    }
}

// MARK: - Contents

extension JSONValue {
    /// The member with this name, if the value is a JSON object. Nil if the member is missing or null.
    package subscript(name: String) -> JSONValue? {
        guard case .table(let members) = self, let value = members.first(where: { $0.name == name })?.value else {
            return nil
        }
        if case .null = value { return nil }
        return value
    }

    package var isTable: Bool { if case .table = self { true } else { false } }

    package var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    package var truth: Bool? {
        guard case .truth(let isTrue) = self else { return nil }
        return isTrue
    }

    package var list: [JSONValue]? {
        guard case .list(let list) = self else { return nil }
        return list
    }

    /// The number if this is the case `whole` and the number fits into `Int`; otherwise nil.
    package var integer: Int? {
        guard case .whole(let number) = self else { return nil }
        return Int(exactly: number)
    }

    /// The number as a `Double`, rounded if necessary. A text is parsed as a number. Nil for any other value, or if the
    /// text is not a number.
    package var number: Double? {
        switch self {
        case .whole(let number): Double(number)
        case .count(let number): Double(number)
        case .real(let number), .exact(let number): number
        case .text(let text): Double(text)
        case .null, .truth, .list, .table: nil
        }
    }

    /// The number, if it is an integer. A text of digits is parsed as an integer: JavaScript sends integers above 2⁵³
    /// as texts, because its numbers are not exact above 2⁵³.
    package var whole: Int64? {
        switch self {
        case .whole(let number): number
        case .count(let number): Int64(exactly: number)
        case .real(let number), .exact(let number): Int64(exactly: number)
        case .text(let text): Int64(text)
        case .null, .truth, .list, .table: nil
        }
    }

    /// The number like `whole`, but for numbers from 0 to 2⁶⁴ − 1.
    package var count: UInt64? {
        switch self {
        case .count(let number): number
        case .real(let number), .exact(let number): UInt64(exactly: number)
        case .text(let text): UInt64(text)
        case .whole, .null, .truth, .list, .table: whole.flatMap { UInt64(exactly: $0) }
        }
    }
}
