// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Foundation
import Testing

@Suite("Property lists and JSON")
struct ReadingValuesTests {
    private let limits = ParsingLimits(depth: 4, values: 100, text: 1000)

    private func read(_ bytes: some Sequence<UInt8>) throws -> JSONValue {
        try JSONValue(propertyListOrJSON: Array(bytes), limits: limits)
    }

    /// Values that all three formats can represent.
    private static var object: [String: Any] {
        [
            "text": "Münze \u{1F642} <&>\"\\\n", "ascii": "a", "long": String(repeating: "x", count: 300), "empty": "",
            "numbers": [0, 1, -1, 255, 256, 65536, 1 << 40, Int.min, Int.max] as [Int], "half": 0.5, "two": 2.0,
            "huge": 1e300,
            "truth": true, "list": [[[Int]]()], "table": ["a": ["b": 1]],
        ]
    }
    private static let value = JSONValue.table([
        ("text", .text("Münze \u{1F642} <&>\"\\\n")), ("ascii", .text("a")),
        ("long", .text(String(repeating: "x", count: 300))), ("empty", .text("")),
        ("numbers", .list([0, 1, -1, 255, 256, 65536, 1 << 40, .min, .max].map { .whole($0) })), ("half", .exact(0.5)),
        ("two", .whole(2)), ("huge", .exact(1e300)), ("truth", .truth(true)), ("list", .list([.list([])])),
        ("table", .table([("a", .table([("b", .whole(1))]))])),
    ])

    @Test("What Foundation writes is read", arguments: ["xml", "binary", "json"])
    func foundation(_ form: String) throws {
        var data = Data()
        switch form {
        case "json": data = try JSONSerialization.data(withJSONObject: Self.object)
        default:
            data = try PropertyListSerialization.data(
                fromPropertyList: Self.object, format: form == "xml" ? .xml : .binary, options: 0)
        }
        #expect(try read(data) == Self.value)
    }

    @Test("JSON: escapes, numbers, blanks")
    func json() throws {
        let text =
            #" { "a" : "\u00e4\ud83d\ude42\/\b\f\n\r\t\"\\", "b":[-0, 1E2 ,2.0,1.5,null,true , false], "a":"x"}"#
            + "\r\n"
        #expect(
            try read(text.utf8)
                == .table([
                    ("a", .text("x")),
                    ("b", .list([.whole(0), .whole(100), .whole(2), .exact(1.5), .null, .truth(true), .truth(false)])),
                ]))
        #expect(
            try read(#"{"a":"\u00e4\ud83d\ude42\/\b\f\n\r\t\"\\"}"#.utf8)
                == .table([("a", .text("ä\u{1F642}/\u{8}\u{C}\n\r\t\"\\"))]))
    }

    @Test("The members of a JSON object keep their order")
    func order() throws {
        let text = #"{"z":1,"a":{"c":true,"b":null},"m":[0.5]}"#
        #expect(try read(text.utf8).line == text)
    }

    @Test("A null member counts as missing")
    func null() throws {
        let value = try read(#"{"a":null,"b":0}"#.utf8)
        #expect(value["a"] == nil && value["b"]?.integer == 0)
    }

    @Test(
        "JSON that is none",
        arguments: [
            "{", "{}x", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\":[1,]}", "{\"a\":01}", "{\"a\":1.}",
            "{\"a\":+1}",
            "{\"a\":.5}", "{\"a\":0x1}", "{\"a\":nan}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"\\ud800\"}",
            "{\"a\":\"\\ud800\\u0041\"}", "{\"a\":\"\n\"}", "{\"a\":\"", "{\"a\":\"\\", "{\"a\":tru}", "{\"a\" 1}",
            "{\"a\":1 2}",
            "{\"a\":\"\\u+123\"}", "{\"a\":\"\\udc00\"}",
        ])
    func wrongJSON(_ text: String) {
        let error = #expect(throws: ParsingError.self) { try read(text.utf8) }
        #expect(error?.isTooMuch == false)
    }

    @Test("Texts that are no UTF-8", arguments: ["xml", "binary", "json"])
    func encoding(_ form: String) {
        let bytes: [UInt8] =
            switch form {
            case "xml": Array("<plist><string>".utf8) + [0xFC] + Array("</string></plist>".utf8)
            case "json": Array("{\"a\":\"".utf8) + [0xFC] + Array("\"}".utf8)
            default:
                Array("bplist00".utf8) + [0x51, 0xFC, 8] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1]
                    + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 10]
            }
        #expect(throws: ParsingError.self) { try read(bytes) }
    }

    @Test(
        "XML that is no property list",
        arguments: [
            "<a/>", "<plist/>", "<plist><string/><string/></plist>", "<dict><string/></dict>",
            "<dict><key>a</key></dict>",
            "<integer>x</integer>", "<integer>1.5</integer>", "<real>x</real>", "<string><string/></string>",
            "<dict><key>a</key><key>b</key></dict>",
        ])
    func wrongMarkup(_ text: String) {
        #expect(throws: ParsingError.self) { try read(text.utf8) }
    }

    @Test("Limits: depth, values, text")
    func tooMuch() throws {
        func isTooMuch(_ text: String) -> Bool? {
            #expect(throws: ParsingError.self) { try read(text.utf8) }?.isTooMuch
        }
        let array = { (count: Int) in
            String(repeating: "<array>", count: count) + String(repeating: "</array>", count: count)
        }
        #expect(throws: Never.self) { try read(array(5).utf8) }
        #expect(isTooMuch(array(6)) == true)
        #expect(isTooMuch(#"{"a":[[[[[]]]]]}"#) == true)
        #expect(throws: Never.self) {
            try read(#"{"a":[\#([String](repeating: "1", count: 98).joined(separator: ","))]}"#.utf8)
        }
        #expect(isTooMuch(#"{"a":[\#([String](repeating: "1", count: 99).joined(separator: ","))]}"#) == true)
        #expect(isTooMuch("<array>" + String(repeating: "<true/>", count: 100) + "</array>") == true)
        #expect(isTooMuch(#"{"a":"\#(String(repeating: "x", count: 1001))"}"#) == true)
        #expect(isTooMuch("<string>\(String(repeating: "x", count: 1001))</string>") == true)
    }
}
