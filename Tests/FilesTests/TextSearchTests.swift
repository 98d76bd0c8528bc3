// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Testing

@Suite("Search in texts")
struct TextSearchTests {
    @Test(
        "The first occurrence",
        arguments: [
            ("tls://host", "://", "tls"), ("://", "://", ""), ("a:/b://c://d", "://", "a:/b"), ("aab", "ab", "a"),
            ("žluť –> kůň", "–>", "žluť "),
        ])
    func first(_ text: String, _ part: String, _ before: String) throws {
        let range = try #require(text.firstOccurrence(of: part))
        #expect(text[..<range.lowerBound] == before)
        #expect(text[range] == part)
        #expect(text.includes(part))
        #expect(text[range.lowerBound...].firstOccurrence(of: part)?.lowerBound == range.lowerBound)
    }

    @Test("A text that is missing", arguments: [("", "a"), ("ab", "abc"), ("a:/b", "://"), ("A", "a")])
    func missing(_ text: String, _ part: String) {
        #expect(text.firstOccurrence(of: part) == nil)
        #expect(!text.includes(part))
    }

    /// In the text, the accent and the last hyphen are a single character.
    @Test("An accent after a text does not hide the text")
    func accent() { #expect("KEY-----\u{301}".includes("KEY-----")) }

    @Test("Replacing")
    func replacing() {
        #expect("%t/%t-%%t.json".replacing(each: "%t", with: "9%t") == "9%t/9%t-%9%t.json")
        #expect("a|b||".replacing(each: "|", with: "/") == "a/b//")
        #expect("aaa".replacing(each: "aa", with: "b") == "ba")
        #expect("abc".replacing(each: "", with: "x") == "abc" && "".replacing(each: "a", with: "x").isEmpty)
    }
}
