// SPDX-License-Identifier: LGPL-2.1-or-later
/// An XML element with its text and child elements.
package struct MarkupElement: Sendable {
    package let name: String
    /// The text of the element as UTF-8, without the text of child elements. If the element has child elements and the
    /// text contains only whitespace, this array is empty.
    package fileprivate(set) var text: [UInt8] = []
    package fileprivate(set) var elements: [MarkupElement] = []

    /// The first child element with this name; nil if there is none.
    package subscript(_ name: String) -> MarkupElement? { elements.first { $0.name == name } }

    /// The text without leading and trailing whitespace; nil if the text is not valid UTF-8.
    package var trimmedText: String? {
        guard let first = text.firstIndex(where: { !$0.isBlank }), let last = text.lastIndex(where: { !$0.isBlank })
        else { return "" }
        return String(validating: text[first...last], as: UTF8.self)
    }

    /// The numbers in the text of the element, which whitespace separates. Nil if the text contains anything else, or
    /// if a number is infinite or NaN.
    package var values: [Double]? {
        var values: [Double] = []
        for word in text.split(whereSeparator: \.isBlank) {
            if let short = Self.whole(word) {
                values.append(Double(short))
            } else if let number = Double(String(decoding: word, as: UTF8.self)), number.isFinite {
                values.append(number)
            } else {
                return nil
            }
        }
        return values
    }

    /// Parses an integer with at most 15 digits, which `Double` can represent exactly. Returns nil for any other text.
    private static func whole(_ word: ArraySlice<UInt8>) -> Int? {
        let isNegative = word.first == UInt8(ascii: "-")
        let digits = isNegative ? word.dropFirst() : word
        guard 1...15 ~= digits.count else { return nil }
        var number = 0
        for byte in digits {
            guard let digit = byte.digit else { return nil }
            number = 10 * number + digit
        }
        // `Int` has no −0. So return nil for −0, and the caller parses the text as `Double`.
        return isNegative ? number == 0 ? nil : -number : number
    }
}

/// The reason why a text could not be parsed: a syntax error or an exceeded limit.
package struct ParsingError: Error, Hashable, CustomStringConvertible {
    /// The error message for users. For text formats, the message contains the line number.
    package let description: String
    /// True if the text exceeded a limit (see `ParsingLimits`).
    package let isTooMuch: Bool

    init(_ description: String, isTooMuch: Bool = false) {
        (self.description, self.isTooMuch) = (description, isTooMuch)
    }
}

extension MarkupElement {
    /// Parses an XML document in UTF-8: elements, text, comments, CDATA and the predefined entities. Skips attributes,
    /// processing instructions and document types. A document type with internal declarations is an error.
    package init(reading bytes: [UInt8], limits: ParsingLimits) throws(ParsingError) {
        var reader = MarkupReader(bytes, limits)
        self = try reader.root()
    }
}

/// Parses an XML document in one pass. Open elements are in an array, so deep nesting cannot overflow the stack.
private struct MarkupReader {
    private let bytes: [UInt8]
    private let limits: ParsingLimits
    private var position: Int
    private var open: [MarkupElement] = []
    private var count = 0

    init(_ bytes: [UInt8], _ limits: ParsingLimits) {
        self.bytes = bytes
        self.limits = limits
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    mutating func root() throws(ParsingError) -> MarkupElement {
        var root: MarkupElement?
        while position < bytes.count {
            guard let closed = try step() else { continue }
            guard root == nil else { throw wrong("more than one root element") }
            root = closed
        }
        guard open.isEmpty else { throw wrong("<\(open.last?.name ?? "")> is not closed") }
        guard let root else { throw wrong("no root element") }
        return root
    }

    private func wrong(_ what: String) -> ParsingError {
        let line = 1 + bytes[..<min(position, bytes.count)].count { $0 == UInt8(ascii: "\n") }
        return ParsingError("line \(line): \(what)")
    }

    // MARK: - Steps

    /// Parses the next text or tag, or skips a comment or a declaration.
    /// - Returns: the root element, if this step has parsed its end tag.
    private mutating func step() throws(ParsingError) -> MarkupElement? {
        guard bytes[position] == UInt8(ascii: "<") else {
            try text()
            return nil
        }
        if skip("<!--") {
            try skip(past: "-->")
        } else if skip("<![CDATA[") {
            let start = position
            try skip(past: "]]>")
            try add(bytes[start..<position - 3])
        } else if skip("<?") {
            try skip(past: "?>")
        } else if skip("<!") {
            try declaration()
        } else if skip("</") {
            return try close()
        } else {
            position += 1
            return try openTag()
        }
        return nil
    }

    private mutating func text() throws(ParsingError) {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        while position < end {
            if bytes[position] == UInt8(ascii: "&") {
                try entity(before: end)
            } else {
                let stop = bytes[position..<end].firstIndex(of: UInt8(ascii: "&")) ?? end
                try add(bytes[position..<stop])
                position = stop
            }
        }
    }

    private mutating func entity(before end: Int) throws(ParsingError) {
        guard let stop = bytes[position..<end].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            throw wrong("& needs a name and a semicolon")
        }
        let name = String(decoding: bytes[position + 1..<stop], as: UTF8.self)
        let scalar: Unicode.Scalar?
        switch name {
        case "lt": scalar = "<"
        case "gt": scalar = ">"
        case "amp": scalar = "&"
        case "apos": scalar = "'"
        case "quot": scalar = "\""
        default:
            let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
            scalar = name.hasPrefix("#") ? number.flatMap { Unicode.Scalar($0) } : nil
        }
        guard let scalar, scalar != "\0" else { throw wrong("unknown entity &\(name);") }
        try add(Array(String(Character(scalar)).utf8)[...])
        position = stop + 1
    }

    private mutating func add(_ text: ArraySlice<UInt8>) throws(ParsingError) {
        guard !text.contains(0) else { throw wrong("the text contains a zero byte") }
        let isBlank = text.allSatisfy(\.isBlank)
        guard let last = open.indices.last else {
            guard isBlank else { throw wrong("text outside the root element") }
            return
        }
        if open[last].elements.isEmpty || !isBlank { open[last].text += text }
    }

    private mutating func close() throws(ParsingError) -> MarkupElement? {
        let name = try name()
        skipBlanks()
        guard skip(">") else { throw wrong("missing > after </\(name)") }
        return try close(name)
    }

    private mutating func close(_ name: String) throws(ParsingError) -> MarkupElement? {
        guard let closed = open.popLast(), closed.name == name else { throw wrong("</\(name)> has no start tag") }
        guard let last = open.indices.last else { return closed }
        if open[last].elements.isEmpty, open[last].text.allSatisfy(\.isBlank) { open[last].text = [] }
        open[last].elements.append(closed)
        return nil
    }

    private mutating func openTag() throws(ParsingError) -> MarkupElement? {
        let name = try name()
        count += 1
        guard count <= limits.values else { throw ParsingError("more than \(limits.values) elements", isTooMuch: true) }
        guard open.count < limits.depth else {
            throw ParsingError("nested more than \(limits.depth) levels deep", isTooMuch: true)
        }
        open.append(MarkupElement(name: name))
        // Skip attributes. A value in quotes may contain any character.
        while position < bytes.count {
            if skip(">") { return nil }
            if skip("/>") { return try close(name) }
            let byte = bytes[position]
            guard byte != UInt8(ascii: "<") else { break }
            position += 1
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                guard let end = bytes[position...].firstIndex(of: byte) else { break }
                position = end + 1
            }
        }
        throw wrong("missing > after <\(name)")
    }

    /// Skips a document type, starting after `<!`. Throws an error if the document type has internal declarations.
    private mutating func declaration() throws(ParsingError) {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: ">"): return
            case UInt8(ascii: "["): throw wrong("declarations are not supported")
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let end = bytes[position...].firstIndex(of: byte) else { throw wrong("missing closing quote") }
                position = end + 1
            default: break
            }
        }
        throw wrong("missing > after <!")
    }

    // MARK: - Bytes

    private mutating func name() throws(ParsingError) -> String {
        let isPart = { (byte: UInt8) in !byte.isBlank && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "/") }
        let name = bytes[position...].prefix(100).prefix(while: isPart)
        guard let first = name.first, first.isNameStart, let text = String(validating: name, as: UTF8.self) else {
            throw wrong("missing name after <")
        }
        position += name.count
        return text
    }

    private mutating func skipBlanks() {
        while position < bytes.count, bytes[position].isBlank { position += 1 }
    }

    /// If `text` is at the current position, skips it and returns true.
    private mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        let isHere = text.withUTF8Buffer { bytes[position..<position + count].elementsEqual($0) }
        if isHere { position += count }
        return isHere
    }

    private mutating func skip(past end: StaticString) throws(ParsingError) {
        while position < bytes.count {
            if skip(end) { return }
            position += 1
        }
        throw wrong("missing \(end)")
    }
}

extension UInt8 {
    /// True for the whitespace characters of XML and JSON.
    var isBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    var digit: Int? { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self ? Int(self) - 48 : nil }

    fileprivate var isNameStart: Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 || self == UInt8(ascii: "_") || self >= 0x80
    }
}
