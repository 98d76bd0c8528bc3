// SPDX-License-Identifier: LGPL-2.1-or-later
/// The content of a property list or a JSON file.
package enum StoredValue: Sendable, Hashable {
    case text(String)
    case whole(Int)
    /// A finite number that is no whole one, or too large for `whole`.
    case real(Double)
    case truth(Bool)
    case list([StoredValue])
    case table([String: StoredValue])
    /// Anything else: a date, bytes, null, a number that is not finite.
    case other

    /// - Parameter number: `whole` if it is one.
    init(_ number: Double) {
        self = Int(exactly: number).map { .whole($0) } ?? (number.isFinite ? .real(number) : .other)
    }
}

/// The limits of a file, so that a small one cannot use the memory or the stack of a large one.
package struct ParsingLimits: Sendable {
    /// The most lists and tables, or XML elements, nested in each other.
    package var depth: Int
    /// The most values, or XML elements; each counts as often as it is referred to.
    package var values: Int
    /// The most bytes of all texts in values together, counted as often as they are referred to.
    package var text: Int

    package init(depth: Int, values: Int, text: Int = .max) {
        (self.depth, self.values, self.text) = (depth, values, text)
    }
}

extension StoredValue {
    /// Reads a property list, XML or binary, or JSON whose outermost value is a table.
    package init(reading bytes: [UInt8], limits: ParsingLimits) throws(ParsingError) {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        if bytes.starts(with: Array("bplist00".utf8)) {
            var reader = BinaryListReader(bytes, limits)
            self = try reader.root()
            return
        }
        switch start.first(where: { !$0.isBlank }) {
        case UInt8(ascii: "<"): self = try StoredValue(markup: bytes, limits)
        case UInt8(ascii: "{"):
            var reader = JSONReader(start, limits)
            self = try reader.root()
        default: throw ParsingError("not a property list or JSON")
        }
    }
}

/// The rest of the limits.
struct StoredValueBudget {
    let limits: ParsingLimits
    private var values: Int
    private var text: Int

    init(_ limits: ParsingLimits) {
        self.limits = limits
        (values, text) = (limits.values, limits.text)
    }

    /// Called before a value is made.
    mutating func take(atDepth depth: Int) throws(ParsingError) {
        guard depth <= limits.depth else {
            throw ParsingError("nested more than \(limits.depth) levels deep", isTooMuch: true)
        }
        values -= 1
        guard values >= 0 else { throw ParsingError("more than \(limits.values) values", isTooMuch: true) }
    }

    /// Called before this many bytes of text are made.
    mutating func take(text count: Int) throws(ParsingError) {
        guard count <= text else { throw ParsingError("more than \(limits.text) bytes of text", isTooMuch: true) }
        text -= count
    }
}

// MARK: - XML

extension StoredValue {
    fileprivate init(markup bytes: [UInt8], _ limits: ParsingLimits) throws(ParsingError) {
        // Keys are elements too, and so is the property list.
        let root = try MarkupElement(
            reading: bytes, limits: ParsingLimits(depth: limits.depth + 2, values: 2 * limits.values + 1))
        var budget = StoredValueBudget(limits)
        guard root.name == "plist" else {
            self = try StoredValue(root, &budget, depth: 0)
            return
        }
        guard let value = root.elements.first, root.elements.count == 1 else {
            throw ParsingError("<plist> must contain one value")
        }
        self = try StoredValue(value, &budget, depth: 0)
    }

    private init(_ element: MarkupElement, _ budget: inout StoredValueBudget, depth: Int) throws(ParsingError) {
        try budget.take(atDepth: depth)
        switch element.name {
        case "string": self = .text(try element.plainText(&budget))
        case "integer":
            guard let text = element.trimmedText, let number = Int(text) else {
                throw ParsingError("<integer> must contain a whole number")
            }
            self = .whole(number)
        case "real":
            guard let number = element.trimmedText.flatMap({ Double($0) }) else {
                throw ParsingError("<real> must contain a number")
            }
            self = StoredValue(number)
        case "array":
            var list: [StoredValue] = []
            for item in element.elements { list.append(try StoredValue(item, &budget, depth: depth + 1)) }
            self = .list(list)
        case "dict":
            var table: [String: StoredValue] = [:]
            var items = element.elements.makeIterator()
            while let key = items.next() {
                guard key.name == "key", let item = items.next() else {
                    throw ParsingError("<dict> must contain pairs of <key> and value")
                }
                table[try key.plainText(&budget)] = try StoredValue(item, &budget, depth: depth + 1)
            }
            self = .table(table)
        case "true", "false": self = .truth(element.name == "true")
        case "date", "data": self = .other
        default: throw ParsingError("unknown element <\(element.name)>")
        }
    }
}

extension MarkupElement {
    fileprivate func plainText(_ budget: inout StoredValueBudget) throws(ParsingError) -> String {
        try budget.take(text: text.count)
        guard elements.isEmpty, let text = String(validating: text, as: UTF8.self) else {
            throw ParsingError("<\(name)> is not UTF-8 text")
        }
        return text
    }
}
