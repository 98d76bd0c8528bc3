// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Foundation
import TestSupport
import Testing

@testable import Elements

/// Tests which clients may open svwebsink's page: keys, sessions, and the secret that signs sessions.
@Suite struct WebAccessTests {
    private static let live = "videotestsrc is-live=true ! video/x-raw,framerate=30/1,width=64,height=48"

    /// Plays the pipeline, and returns the port of the page.
    private func play(_ pipeline: Pipeline) throws -> Int {
        try pipeline.play()
        let fields = try #require(pipeline.bus.wait(GST_MESSAGE_ELEMENT).flatMap { Fields($0.structure) })
        return try #require(fields.int("port"))
    }

    @Test(
        "A short key where others can connect is an error at the start that says what to do",
        arguments: ["address=0.0.0.0", "tls-proxy=true"])
    func shortKey(_ property: String) throws {
        let pipeline = try pipeline("\(Self.live) ! svwebsink port=0 key=tea-time \(property)")
        #expect(pipeline.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(pipeline.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.isError(GST_LIBRARY_ERROR_SETTINGS))
        #expect(error.text.contains("key has only 8 characters") && error.text.contains("Use 16 characters or more"))
        let long = try ElementsTests.pipeline("\(Self.live) ! svwebsink port=0 key=tea-time-at-five \(property)")
        _ = try play(long)
    }

    @Test("With hosts= and tls-proxy=true, pages of the proxy are accepted, others refused")
    func proxy() throws {
        let pipeline = try pipeline(
            "\(Self.live) ! svwebsink port=0 key=0123456789abcdef tls-proxy=true hosts=video.example,other.example:8443"
        )
        let port = try play(pipeline)
        func status(_ origin: String) throws -> Int {
            try WebClient(port).open("/socket?key=0123456789abcdef", ["Origin: \(origin)"], host: "video.example")
        }
        #expect(try status("https://video.example") == 101)
        #expect(try status("https://other.example:8443") == 101)
        #expect(try status("http://video.example") == 403)
        #expect(try status("https://other.example") == 403)
        let page = try WebClient(port).ask("/?key=0123456789abcdef", host: "video.example")
        #expect(page.headers["set-cookie"]?.hasSuffix("; HttpOnly; SameSite=Strict; Secure") == true)
    }

    @Test("A session is valid after a restart of the pipeline with the same key, but not with a random one")
    func restart() throws {
        let pipeline = try pipeline("\(Self.live) ! svwebsink name=s port=0 key=k")
        let sink = try pipeline.element("s")
        let port = try play(pipeline)
        let page = try WebClient(port).ask("/?key=k")
        let cookie = try #require(page.headers["set-cookie"]?.split(separator: ";").first)
        for (key, status) in [("k", 101), ("none", 403)] {
            try pipeline.reach(GST_STATE_NULL)
            sink.set("port", "\(port)")
            sink.set("key", key)
            #expect(try play(pipeline) == port)
            #expect(try WebClient(port).open("/socket", ["Cookie: \(cookie)"]) == status)
        }
    }

    // MARK: - The secret

    @Test("The secret is created for its user only, and stays the same")
    func secretIsKept() throws {
        let folder = try TemporaryFolder()
        let secret = SessionSecret(path: folder.file("state/swiftvision/secret"))
        let first = secret.bytes { Issue.record("\($0)") }
        #expect(first.count == 32)
        let again = secret.bytes { Issue.record("\($0)") }
        #expect(again == first)
        let mode = try FileManager.default.attributesOfItem(atPath: try #require(secret.path))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let other = SessionSecret(path: folder.file("other")).bytes { Issue.record("\($0)") }
        #expect(other != first)
    }

    @Test("A secret that others may read, of another size, or that cannot be kept is replaced by one of the process")
    func secretIsNotUsed() throws {
        let folder = try TemporaryFolder()
        let (open, short) = (folder.file("open"), folder.file("short"))
        try Data(count: 32).write(to: URL(fileURLWithPath: open))
        try Data(count: 31).write(to: URL(fileURLWithPath: short))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: short)
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: short)
        var (secrets, reasons): ([[UInt8]], [String]) = ([], [])
        for path in [open, short, link, "/proc/secret", nil] {
            secrets.append(SessionSecret(path: path).bytes { reasons.append($0) })
        }
        #expect(reasons.count == 5 && reasons[0].contains("other users have access"))
        #expect(secrets[0].count == 32 && secrets[0] != [UInt8](repeating: 0, count: 32))
        #expect(Set(secrets).count == 1)
    }

    @Test("HMAC with SHA-256 gives the results of RFC 4231")
    func hmac() {
        #expect(
            hmacSHA256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            hmacSHA256(Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    }
}
