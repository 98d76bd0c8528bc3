// SPDX-License-Identifier: LGPL-2.1-or-later
extension JSONValue {
    /// Parses JSON (RFC 8259). The outermost value must be an object (table). If a name appears twice, the last value
    /// is used.
    package init(reading bytes: [UInt8], limits: ParsingLimits) throws(ParsingError) {
        var reader = JSONReader(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...], limits)
        self = try reader.root()
        guard isTable else { throw ParsingError("not a JSON object") }
    }
}

extension String {
    /// Parses a JSON string in quotes. Returns nil for any other content.
    package init?(json: String) {
        var reader = JSONReader(Array(json.utf8)[...], ParsingLimits(depth: 0, values: 1))
        guard let text = try? reader.root().text else { return nil }
        self = text
    }
}

struct JSONReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var budget: ParsingBudget

    init(_ bytes: ArraySlice<UInt8>, _ limits: ParsingLimits) {
        self.bytes = bytes
        position = bytes.startIndex
        budget = ParsingBudget(limits)
    }

    mutating func root() throws(ParsingError) -> JSONValue {
        let value = try value(depth: 0)
        guard next() == nil else { throw wrong("text after the end of the JSON value") }
        return value
    }

    private func wrong(_ what: String) -> ParsingError {
        ParsingError("line \(1 + bytes[..<position].count { $0 == UInt8(ascii: "\n") }): \(what)")
    }

    /// Skips blanks, and returns the next byte without consuming it.
    private mutating func next() -> UInt8? {
        while position < bytes.endIndex, bytes[position].isBlank { position += 1 }
        return position < bytes.endIndex ? bytes[position] : nil
    }

    /// Skips blanks. If the next byte is `character`, consumes the byte and returns true.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(ParsingError) -> JSONValue {
        try budget.take(atDepth: depth)
        switch next() {
        case UInt8(ascii: "{"): return try table(depth)
        case UInt8(ascii: "["): return try list(depth)
        case UInt8(ascii: "\""): return .text(try text())
        default: return try word()
        }
    }

    private mutating func list(_ depth: Int) throws(ParsingError) -> JSONValue {
        position += 1
        var list: [JSONValue] = []
        if take("]") { return .list(list) }
        repeat { list.append(try value(depth: depth + 1)) } while take(",")
        guard take("]") else { throw wrong("missing , or ]") }
        return .list(list)
    }

    private mutating func table(_ depth: Int) throws(ParsingError) -> JSONValue {
        position += 1
        var table = TableBuilder()
        if take("}") { return table.value }
        repeat {
            guard next() == UInt8(ascii: "\"") else { throw wrong("missing key in quotes") }
            let key = try text()
            guard take(":") else { throw wrong("missing :") }
            table.set(key, try value(depth: depth + 1))
        } while take(",")
        guard take("}") else { throw wrong("missing , or }") }
        return table.value
    }

    /// Reads a number, or `true`, `false` or `null`.
    private mutating func word() throws(ParsingError) -> JSONValue {
        let word = bytes[position...].prefix(400).prefix { byte in
            byte.digit != nil || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || "+-.".utf8.contains(byte)
        }
        position += word.count
        let text = String(decoding: word, as: UTF8.self)
        switch text {
        case "true", "false": return .truth(text == "true")
        case "null": return .null
        default: break
        }
        if let whole = Self.whole(word) { return .whole(whole) }
        guard let first = word.first, first.digit != nil || first == UInt8(ascii: "-"),
            Self.isNumber(word), let number = Double(text)
        else { throw wrong("not a JSON value") }
        return Int64(text).map { .whole($0) } ?? JSONValue(number)
    }

    /// Returns true if `word` has the JSON syntax of a number. This check is necessary because `Double` accepts other
    /// syntax, too.
    private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
        var remaining = word
        /// Consumes digits, and returns the number of digits.
        func digits() -> Int {
            let digits = remaining.prefix { $0.digit != nil }
            remaining = remaining[digits.endIndex...]
            return digits.count
        }
        if remaining.first == UInt8(ascii: "-") { remaining = remaining.dropFirst() }
        let hasZero = remaining.first == UInt8(ascii: "0")
        let count = digits()
        guard count > 0, !hasZero || count == 1 else { return false }
        if remaining.first == UInt8(ascii: ".") {
            remaining = remaining.dropFirst()
            guard digits() > 0 else { return false }
        }
        if let byte = remaining.first, byte | 0x20 == UInt8(ascii: "e") {
            remaining = remaining.dropFirst()
            if let sign = remaining.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                remaining = remaining.dropFirst()
            }
            guard digits() > 0 else { return false }
        }
        return remaining.isEmpty
    }

    /// Parses an integer with at most 18 digits and without an exponent. Returns nil for any other word. This is faster
    /// than parsing a `Double`, and most numbers in messages and training sets are such integers.
    private static func whole(_ word: ArraySlice<UInt8>) -> Int64? {
        let digits = word.first == UInt8(ascii: "-") ? word.dropFirst() : word
        guard let first = digits.first, digits.count <= 18, digits.allSatisfy({ $0.digit != nil }),
            first != UInt8(ascii: "0") || digits.count == 1
        else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int64($1.digit ?? 0) }
        return digits.count < word.count ? -number : number
    }

    private mutating func text() throws(ParsingError) -> String {
        position += 1
        var text: [UInt8] = []
        while position < bytes.endIndex {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                try budget.take(text: text.count)
                guard let text = String(validating: text, as: UTF8.self) else { throw wrong("a string is not UTF-8") }
                return text
            case UInt8(ascii: "\\"): text += Array(String(Character(try escape())).utf8)
            case 0..<0x20: throw wrong("a string contains a control character")
            default: text.append(byte)
            }
        }
        throw wrong("missing quote at the end of a string")
    }

    /// Parses an escape sequence, starting after the backslash.
    private mutating func escape() throws(ParsingError) -> Unicode.Scalar {
        guard position < bytes.endIndex else { throw wrong("missing quote at the end of a string") }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var unit = try hexadecimal()
            if 0xD800..<0xDC00 ~= unit, bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) {
                position += 2
                let low = try hexadecimal()
                guard 0xDC00..<0xE000 ~= low else { throw wrong("incomplete surrogate pair") }
                unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(unit) else { throw wrong("incomplete surrogate pair") }
            return scalar
        default: throw wrong("unknown escape sequence")
        }
    }

    private mutating func hexadecimal() throws(ParsingError) -> UInt32 {
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw wrong("\\u needs four hexadecimal digits") }
        position += 4
        return number
    }
}

/// Collects the members of a JSON object in order. If a name appears twice, the last value is used.
struct TableBuilder {
    private var members: [(name: String, value: JSONValue)] = []
    private var indices: [String: Int] = [:]

    var value: JSONValue { .table(members) }

    mutating func set(_ name: String, _ value: JSONValue) {
        if let index = indices[name] {
            members[index].value = value
        } else {
            indices[name] = members.count
            members.append((name, value))
        }
    }
}
