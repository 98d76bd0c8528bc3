// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Foundation
import TestSupport
import Testing
@testable import Vision

@Suite("Strangers")
struct StrangerTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("strangers.json")
    }

    /// Two strangers, who were seen at the times 100 and 200.
    private var two: Strangers {
        var strangers = Strangers(network: .network)
        _ = strangers.add([.made(1), .made(2)], at: 100)
        _ = strangers.add([.made(3)], at: 200)
        return strangers
    }

    @Test("The most similar stranger is found, except those who are elsewhere in the frame; nobody is far away")
    func finding() {
        let strangers = two
        #expect(strangers.number(of: [.made(2)], excluding: []) == 1)
        #expect(strangers.number(of: [.made(9), .made(3)], excluding: []) == 2)
        #expect(strangers.number(of: [.made(3)], excluding: [2]) == nil)
        #expect(strangers.number(of: [.made(4)], excluding: []) == nil)
    }

    @Test("Strangers who were not seen for too long go, and their numbers are not used again")
    func expiring() {
        var strangers = two
        let isSeen = strangers.see(1, .made(1), at: 250)
        #expect(isSeen)
        let isChanged = strangers.expire(before: 201, at: 300)
        #expect(isChanged && strangers.people.map(\.number) == [1])
        let number = strangers.add([.made(5)], at: 300)
        #expect(number == 3)
        let isChangedAgain = strangers.expire(before: 201, at: 300)
        #expect(!isChangedAgain)
    }

    @Test("Who was last seen in the future counts as seen now, and goes in time")
    func future() {
        var strangers = Strangers(network: two.network)
        _ = strangers.add([.made(1)], at: 9000)
        let isChanged = strangers.expire(before: 201, at: 300)
        #expect(isChanged && strangers.people.map(\.lastSeen) == [300])
        let hasExpired = strangers.expire(before: 301, at: 400)
        #expect(hasExpired && strangers.people.isEmpty)
    }

    @Test("Labels are forgotten one by one, or all together")
    func forgetting() {
        var strangers = two
        var results: [Bool] = []
        for name in ["stranger 1", "stranger 1", "stranger 7", "stranger", "Ada", "stranger -2"] {
            results.append(strangers.forget(name))
        }
        #expect(results == [true, false, false, false, false, false] && strangers.people.map(\.number) == [2])
        let areForgotten = strangers.forget("strangers")
        #expect(areForgotten && strangers.people.isEmpty)
        #expect(Strangers.isLabel(Strangers.label(12)) && !Strangers.isLabel("Stranger 12"))
    }

    @Test("The one who was not seen for longest makes room for one too many")
    func limit() {
        var strangers = two
        for number in 0..<Strangers.maxCount - 1 { _ = strangers.add([.made(number + 10)], at: 300) }
        #expect(strangers.people.count == Strangers.maxCount && strangers.people.first?.number == 2)
    }

    /// The clock can go back, so that all others seem to have been seen later.
    @Test("A new stranger stays, even with a time before all others")
    func limitAndClock() {
        var strangers = two
        for number in 0..<Strangers.maxCount - 2 { _ = strangers.add([.made(number + 10)], at: 300) }
        let number = strangers.add([.made(5)], at: 1)
        #expect(strangers.people.count == Strangers.maxCount && strangers.people.last?.number == number)
        #expect(strangers.people.first?.number == 2)
    }

    @Test("The file is for its owner only, and is read as it was saved")
    func file() throws {
        try two.save(to: path)
        #expect(try Strangers(path: path) == two)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        var fewer = two
        fewer.forget("stranger 1")
        try fewer.save(to: path)
        #expect(try Strangers(path: path) == fewer)
    }

    @Test(
        "A file that is malformed or has something else in it is refused, and never overwritten",
        arguments: [
            ("swiftvision-strangers", "other"), ("\"version\":1", "\"version\":2"), ("\"number\":1", "\"number\":0"),
            ("\"number\":1", "\"number\":2"), ("\"next\":3", "\"next\":2"), ("\"seen\":100", "\"seen\":\"x\""),
            ("{", ""), ("}]}", "}]"), ("vectors\":[\"", "vectors\":[\"AAAA"), ("vectors\":[", "vectors\":[[],"),
        ])
    func malformed(_ old: String, _ new: String) throws {
        let text = two.text.replacing(old, with: new, maxReplacements: 1)
        try #require(text != two.text)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: ModelFileError.self) { try Strangers(path: path) }
        #expect(throws: ModelFileError.self) { try two.save(to: path) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }
}
