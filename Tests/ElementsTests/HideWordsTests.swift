// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import ElementKit
@testable import Elements
import Imaging
import Testing

@Suite("Words of svoverlay's hide and spare") struct HideWordsTests {
    private func words(_ text: String?) throws -> HideWords { try HideWords(text, of: "hide") }

    @Test("Types, people and labels; blanks, quotes, colons and case")
    func parts() throws {
        let words = try words(" Face , logo,person:  Bob Brown ,silver coin,PERSON:Ann,12:30,,")
        #expect(words.types == ["face", "logo"])
        #expect(words.people == ["bob brown", "ann"])
        #expect(words.labels == ["silver coin", "12:30"])
        let quoted = try self.words(
            "\"face\",\"a, b\",person:\"Bob, Jr.\", \" c \" ,\"person:Eve\",d\"e,f\"g,person:\"\"x")
        #expect(quoted.types.isEmpty)
        #expect(quoted.people == ["bob, jr.", "x"])
        #expect(quoted.labels == ["face", "a, b", " c ", "person:eve", "de,fg"])
        #expect(try self.words("Ærø,Ζωή,李雷").labels == ["ærø", "ζωή", "李雷"])
        for nothing in [nil, "", " , ,, "] { #expect(try self.words(nothing).isEmpty) }
    }

    @Test("What is wrong is said", arguments: ["person:", "face,person: ,logo", "\"a", "a,b\"c"])
    func refused(_ text: String) {
        let error = #expect(throws: ElementError.self) { try words(text) }
        #expect(error?.message.hasPrefix("hide is malformed: ") == true)
        #expect(error?.message.contains("person:Bob") == true)
    }

    @Test("Misspelt types are noticed, and remain labels")
    func misspelt() throws {
        let words = try words("faces,logo,Logos,fce,coin,blobb,catface,\"faces\",Ada")
        #expect(words.doubtful.map(\.type) == ["face", "logo", "blob"])
        #expect(words.labels.contains("faces") && words.types == ["logo"])
        #expect(try self.words("cat-fac,bob,lobo,log").doubtful.map(\.word) == ["cat-fac", "lobo"])
    }

    @Test("2000 words are read, and compared, without delay", .timeLimit(.minutes(5)))
    func many() throws {
        let text = (0..<2000).map { $0 % 2 == 0 ? "person:Somebody \($0)" : "thing \($0)" }.joined(separator: ", ")
        let words = try words(text)
        #expect(words.people.count == 1000 && words.labels.count == 1000)
        var coin = Detection(type: .blob, id: 1, box: .init(width: 9, height: 9))
        for number in stride(from: 0, to: 1000, by: 5) {
            coin.label = "Thing \(2 * number + 1)"
            #expect(words.matches(labelOf: coin))
        }
        #expect(try self.words(String(repeating: ":", count: 100_000)).labels.count == 1)
    }
}
