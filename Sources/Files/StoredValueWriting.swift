// SPDX-License-Identifier: LGPL-2.1-or-later
extension StoredValue {
    /// Returns the value as an XML property list, the keys of tables in order; `other` becomes an empty text.
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
        case .real(let number): text += "<real>\(number)</real>\n"
        case .truth(let isTrue): text += isTrue ? "<true/>\n" : "<false/>\n"
        case .list(let values):
            text += "<array>\n"
            for value in values { value.write(to: &text, indentation: indentation + "\t") }
            text += indentation + "</array>\n"
        case .table(let members):
            text += "<dict>\n"
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                text += "\(indentation)\t<key>\(key.markup)</key>\n"
                value.write(to: &text, indentation: indentation + "\t")
            }
            text += indentation + "</dict>\n"
        case .other: text += "<string></string>\n"
        }
    }
}

extension String {
    /// The text as it stands between tags of XML.
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

    /// The text in quotes, as JSON has it, on one line. Whatever a reader might take for the end of a line or of the text
    /// is escaped.
    package var json: String {
        var writer = JSONWriter()
        writer.write(self)
        return writer.text
    }

    /// Reads a text in quotes, as JSON has it; nil if this is none.
    package init?(json: String) {
        var reader = JSONReader(Array(json.utf8)[...], ParsingLimits(depth: 0, values: 1))
        guard case .text(let text)? = try? reader.root() else { return nil }
        self = text
    }
}
