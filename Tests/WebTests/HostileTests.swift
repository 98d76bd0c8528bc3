// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import TestSupport
import Testing
import Web

/// Sends random and changed requests and frames, the same ones in each run. The server must not crash, hang, or write
/// files outside of the folder. With `SWIFTVISION_FULL=1` there are 10,000 of each.
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
        // The server accepted some requests, so the test also reached the code after the parser.
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
        // The server accepted some messages before an invalid frame closed the connection.
        #expect(stand.delegate.messages.withLock { $0.count } > WebAttack.count / 30)
    }

    /// Returns the names of the files in the parent of the uploads folder.
    private static func files(_ stand: Stand) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: stand.folder).sorted()
    }
}
