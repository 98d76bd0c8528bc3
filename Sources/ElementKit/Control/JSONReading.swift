// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

extension JSONValue {
    /// Reads JSON whose outermost value is a table, in UTF-8. Members that are null are left out.
    /// - Returns: nil for anything else, for null in a list, and for what is beyond the limits.
    package init?(reading bytes: [UInt8], limits: ParsingLimits) {
        guard let stored = try? StoredValue(reading: bytes, limits: limits), case .table = stored else { return nil }
        self.init(stored)
    }

    private init?(_ stored: StoredValue) {
        switch stored {
        case .text(let text): self = .text(text)
        case .whole(let number): self = .whole(Int64(number))
        case .real(let number): self = .exact(number)
        case .truth(let isTrue): self = .truth(isTrue)
        case .list(let list):
            var values: [JSONValue] = []
            for item in list {
                guard let value = JSONValue(item) else { return nil }
                values.append(value)
            }
            self = .list(values)
        case .table(let table):
            self = .table(table.compactMap { name, value in JSONValue(value).map { (name, $0) } })
        case .other: return nil
        }
    }

    /// The member of a table; nil if there is none.
    package subscript(name: String) -> JSONValue? {
        guard case .table(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

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

    /// The number, as near as a `Double` gets; also of a text that is nothing but a number.
    package var number: Double? {
        switch self {
        case .whole(let number): Double(number)
        case .count(let number): Double(number)
        case .real(let number), .exact(let number): number
        case .text(let text): Double(text)
        case .truth, .list, .table: nil
        }
    }

    /// The number if it is whole; also of a text that is nothing but digits: JavaScript has whole numbers up to 2⁵³ alone.
    package var whole: Int64? {
        switch self {
        case .whole(let number): number
        case .count(let number): Int64(exactly: number)
        case .real(let number), .exact(let number): Int64(exactly: number)
        case .text(let text): Int64(text)
        case .truth, .list, .table: nil
        }
    }

    /// The same for numbers that are not negative, up to 2⁶⁴ - 1.
    package var count: UInt64? {
        switch self {
        case .count(let number): number
        case .real(let number), .exact(let number): UInt64(exactly: number)
        case .text(let text): UInt64(text)
        case .whole, .truth, .list, .table: whole.flatMap { UInt64(exactly: $0) }
        }
    }

    /// The largest whole number that JavaScript tells from its neighbours.
    private static let largestExact: UInt64 = 1 << 53

    /// Creates a number, or a text of digits where JavaScript could not hold it.
    init(exactly number: Int64) {
        self = number.magnitude <= Self.largestExact ? .whole(number) : .text("\(number)")
    }

    init(exactly number: UInt64) {
        self = number <= Self.largestExact ? .count(number) : .text("\(number)")
    }
}
