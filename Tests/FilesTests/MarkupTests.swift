// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Testing

@Suite("XML")
struct MarkupTests {
    private let limits = ParsingLimits(depth: 4, values: 10)

    private func read(_ text: String) throws -> MarkupElement {
        try MarkupElement(reading: Array(text.utf8), limits: limits)
    }

    @Test("Elements, text, entities, CDATA; comments, attributes and instructions are passed over")
    func content() throws {
        let root = try read(
            """
            \u{FEFF}<?xml version="1.0"?><!DOCTYPE a PUBLIC "-//x>//" 'y'>
            <!-- <b> --><a x="<>/" y='"'> 1 <b/><b z = "1" > t&lt;&amp;&#65;&#x1F642; </b><c><![CDATA[<&]]>x</c ></a>
            <!-- end -->
            """)
        #expect(root.name == "a" && root.elements.map(\.name) == ["b", "b", "c"])
        #expect(root.values == [1])
        #expect(root["b"]?.text == [] && root["d"] == nil)
        #expect(root.elements[1].trimmedText == "t<&A\u{1F642}")
        #expect(root["c"]?.trimmedText == "<&x")
    }

    @Test(
        "Numbers",
        arguments: [
            ("1 -2\n+3", [1, -2, 3]), ("-1. .5 1.6915600746870041e-002", [-1, 0.5, 0.016915600746870041]),
            ("123456789012345678", [123_456_789_012_345_678]), ("", []), ("  ", []), ("1 x", nil), ("1e999", nil),
            ("nan", nil),
            ("1,2", nil), ("--1", nil), ("-", nil),
        ] as [(String, [Double]?)])
    func values(_ text: String, _ expected: [Double]?) throws {
        #expect(try read("<a>\(text)</a>").values == expected)
    }

    @Test(
        "What is wrong is told, with the line",
        arguments: [
            ("", "no root element"), ("x", "outside"), ("<a>", "<a> is not closed"),
            ("<a></b>", "</b> has no start tag"),
            ("</a>", "has no start tag"), ("<a/><b/>", "more than one root"), ("<a>\n\n<b></a>", "line 3"),
            ("<a>&b;</a>", "&b;"),
            ("<a>&</a>", "semicolon"), ("<a>&#0;</a>", "&#0;"), ("<a>&#xD800;</a>", "&#xD800;"),
            ("<a", "missing > after"),
            ("<a b=\"", "missing > after"), ("<a <b>", "missing > after"), ("< a>", "missing name after <"),
            ("<1>", "missing name after <"),
            ("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "declarations"), ("<!-- ", "-->"), ("<![CDATA[", "]]>"),
            ("<?xml", "?>"), ("<!DOCTYPE", "missing > after"), ("<!DOCTYPE 'a", "quote"), ("<a>\0</a>", "zero byte"),
            ("<a/>x", "outside"), ("<a></a", "missing > after"), ("<a></", "missing name after <"),
        ])
    func wrong(_ text: String, _ reason: String) {
        let error = #expect(throws: ParsingError.self) { try read(text) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        #expect(error?.isTooMuch == false)
    }

    @Test("Limits are told from what is wrong")
    func tooMuch() throws {
        #expect(throws: Never.self) { try read("<a><a><a><a/></a></a></a>") }
        #expect(throws: Never.self) { try read("<a>" + String(repeating: "<a/>", count: 9) + "</a>") }
        for text in ["<a><a><a><a><a>", "<a>" + String(repeating: "<a/>", count: 10)] {
            #expect(throws: ParsingError.self) { try read(text) }
            let error = #expect(throws: ParsingError.self) { try read(text) }
            #expect(error?.isTooMuch == true)
        }
    }
}
