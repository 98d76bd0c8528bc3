// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Foundation
import Testing

/// Reads written property lists and JSON texts with Foundation.
@Suite struct WritingValuesTests {
    private static let limits = ParsingLimits(depth: 10, values: 100)
    private static let texts = ["", "a b", "<&>\"'", "Zoë 🐈", "\u{2028}\u{85}", "a\\n\n\r\t", "/"]

    @Test func propertyListsAreReadAgain() throws {
        let texts = Self.texts.filter { !$0.contains("\r") }  // XML parsers read \r as a line break.
        let value = JSONValue.table([
            ("texts", .list(texts.map { .text($0) })), ("<&>", .whole(-7)), ("half", .exact(0.5)), ("is", .truth(true)),
            ("empty", .table([])), ("none", .list([])),
        ])
        #expect(try JSONValue(propertyListOrJSON: value.propertyList, limits: Self.limits) == value)
        let read = try PropertyListSerialization.propertyList(from: Data(value.propertyList), format: nil)
        let expected: NSDictionary = [
            "texts": texts, "<&>": -7, "half": 0.5, "is": true, "empty": [String: Int](), "none": [String](),
        ]
        #expect(read as? NSDictionary == expected)
    }

    @Test(arguments: texts) func textsOfJSONAreReadAgain(_ text: String) throws {
        #expect(try JSONDecoder().decode(String.self, from: Data(text.json.utf8)) == text)
        #expect(String(json: text.json) == text)
        #expect(!text.json.contains("\n"))
        let foundations = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        #expect(String(json: foundations) == text)
    }

    @Test(arguments: ["", "a", "\"a", "\"a\" b", "[]", "7", "\"\\x\""])
    func whatIsNoTextOfJSONIsRefused(_ json: String) {
        #expect(String(json: json) == nil)
    }
}
