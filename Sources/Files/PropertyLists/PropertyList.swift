// SPDX-License-Identifier: LGPL-2.1-or-later
extension JSONValue {
    /// Parses a property list (XML or binary), or JSON whose outermost value is an object. Values that do not exist in
    /// JSON, such as dates, become null.
    package init(propertyListOrJSON bytes: [UInt8], limits: ParsingLimits) throws(ParsingError) {
        if bytes.starts(with: Array("bplist00".utf8)) {
            var reader = BinaryListReader(bytes, limits)
            self = try reader.root()
            return
        }
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        switch start.first(where: { !$0.isBlank }) {
        case UInt8(ascii: "<"): self = try JSONValue(markup: bytes, limits)
        case UInt8(ascii: "{"): self = try JSONValue(reading: bytes, limits: limits)
        default: throw ParsingError("neither a property list nor JSON")
        }
    }
}

// MARK: - XML

extension JSONValue {
    fileprivate init(markup bytes: [UInt8], _ limits: ParsingLimits) throws(ParsingError) {
        // In an XML property list, the keys of dictionaries and the element <plist> are XML elements, too. `limits`
        // does not count them, so the XML parser needs larger limits.
        let root = try MarkupElement(
            reading: bytes, limits: ParsingLimits(depth: limits.depth + 2, values: 2 * limits.values + 1))
        var budget = ParsingBudget(limits)
        guard root.name == "plist" else {
            self = try JSONValue(root, &budget, depth: 0)
            return
        }
        guard let value = root.elements.first, root.elements.count == 1 else {
            throw ParsingError("<plist> must contain one value")
        }
        self = try JSONValue(value, &budget, depth: 0)
    }

    private init(_ element: MarkupElement, _ budget: inout ParsingBudget, depth: Int) throws(ParsingError) {
        try budget.take(atDepth: depth)
        switch element.name {
        case "string": self = .text(try element.plainText(&budget))
        case "integer":
            guard let text = element.trimmedText, let number = Int64(text) else {
                throw ParsingError("<integer> must contain a whole number")
            }
            self = .whole(number)
        case "real":
            guard let number = element.trimmedText.flatMap({ Double($0) }) else {
                throw ParsingError("<real> must contain a number")
            }
            self = JSONValue(number)
        case "array":
            var list: [JSONValue] = []
            for item in element.elements { list.append(try JSONValue(item, &budget, depth: depth + 1)) }
            self = .list(list)
        case "dict":
            var table = TableBuilder()
            var items = element.elements.makeIterator()
            while let key = items.next() {
                guard key.name == "key", let item = items.next() else {
                    throw ParsingError("<dict> must contain pairs of <key> and value")
                }
                table.set(try key.plainText(&budget), try JSONValue(item, &budget, depth: depth + 1))
            }
            self = table.value
        case "true", "false": self = .truth(element.name == "true")
        case "date", "data": self = .null
        default: throw ParsingError("unknown element <\(element.name)>")
        }
    }
}

extension MarkupElement {
    fileprivate func plainText(_ budget: inout ParsingBudget) throws(ParsingError) -> String {
        try budget.take(text: text.count)
        guard elements.isEmpty, let text = String(validating: text, as: UTF8.self) else {
            throw ParsingError("<\(name)> is not UTF-8 text")
        }
        return text
    }
}

// MARK: - Writing

extension JSONValue {
    /// The value as an XML property list, with the keys of dictionaries in alphabetical order. Null becomes an empty
    /// string.
    package var propertyList: [UInt8] {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        write(to: &text, indentation: "")
        return Array((text + "</plist>\n").utf8)
    }

    private func write(to text: inout String, indentation: String) {
        text += indentation
        switch self {
        case .text(let content): text += "<string>\(content.markup)</string>\n"
        case .whole(let number): text += "<integer>\(number)</integer>\n"
        case .count(let number): text += "<integer>\(number)</integer>\n"
        case .real(let number), .exact(let number): text += "<real>\(number)</real>\n"
        case .truth(let isTrue): text += isTrue ? "<true/>\n" : "<false/>\n"
        case .list(let values):
            text += "<array>\n"
            for value in values { value.write(to: &text, indentation: indentation + "\t") }
            text += indentation + "</array>\n"
        case .table(let members):
            text += "<dict>\n"
            for (key, value) in members.sorted(by: { $0.name < $1.name }) {
                text += "\(indentation)\t<key>\(key.markup)</key>\n"
                value.write(to: &text, indentation: indentation + "\t")
            }
            text += indentation + "</dict>\n"
        case .null: text += "<string></string>\n"
        }
    }
}

extension String {
    /// The text with XML escapes, for use between XML tags.
    fileprivate var markup: String {
        var markup = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            default: markup.unicodeScalars.append(scalar)
            }
        }
        return markup
    }
}
