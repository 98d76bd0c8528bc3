// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import TestSupport
import Testing
import Web

/// Random and mutated requests and frames, the same in each run: nothing falls, nothing hangs, no file comes to be outside.
/// 10,000 of each if `SWIFTVISION_FULL=1`.
@Suite struct HostileTests {
    private static let messages = [
        "{\"type\":\"ack\",\"frame\":1}", "{\"type\":\"visible\",\"visible\":true}",
        "{\"type\":\"set\",\"id\":7,\"element\":\"a\",\"name\":\"b\",\"value\":[1,2.5e300,null,\"\\ud83d\\ude42\"]}",
    ]

    @Test func randomRequests() throws {
        let stand = try Stand { $0.limits.patience = 0.2 }
        let before = try Self.files(stand)
        var attack = WebAttack(seed: 19, messages: Self.messages)
        let answers = try attack.sendRequests(WebAttack.count, to: stand.port)
        // Some were taken, so that others than the reader of requests were met.
        #expect(answers.contains { $0.starts(with: Array("HTTP/1.1 200".utf8)) })
        #expect(answers.contains { $0.starts(with: Array("HTTP/1.1 40".utf8)) })
        #expect(try Self.files(stand) == before)
        #expect(try stand.client().ask("/app.js?key=k").text == "start()")
        #expect(eventually { stand.server.pageCount == 0 })
    }

    @Test func randomFrames() throws {
        let stand = try Stand()
        var attack = WebAttack(seed: 91, messages: Self.messages)
        try attack.sendFrames(WebAttack.count, to: stand.port) { stand.send(UInt32($0)) }
        let client = try stand.client()
        #expect(try client.open() == 101)
        client.say("{\"type\":\"last\"}")
        #expect(eventually { stand.delegate.messages.withLock { $0.last } == "last" })
        // Some were taken before a bad one ended their connection.
        #expect(stand.delegate.messages.withLock { $0.count } > WebAttack.count / 30)
    }

    /// What is beside the folder of uploads, and above.
    private static func files(_ stand: Stand) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: stand.folder).sorted()
    }
}
