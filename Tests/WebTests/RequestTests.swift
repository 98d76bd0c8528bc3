// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport
import Testing
import Web

/// Tests of requests and their answers.
@Suite struct RequestTests {
    @Test("The key is needed, and begins a session")
    func keyAndSession() throws {
        let stand = try Stand()
        #expect(try stand.client().ask("/").status == 403)
        for wrong in ["", "K", "kk", "%6b%6b", "k%00"] {
            #expect(try stand.client().ask("/?key=\(wrong)").status == 403, "\(wrong)")
        }
        let page = try stand.client().ask("/?key=k")
        #expect(page.status == 200 && page.text == "<!doctype html>")
        #expect(try stand.client().ask("/?a=b&key=%6B").status == 200)
        let cookie = try #require(page.headers["set-cookie"])
        #expect(cookie.hasPrefix("svwebsink-\(stand.port)=") && cookie.hasSuffix("; HttpOnly; SameSite=Strict"))
        let value = try #require(cookie.split(separator: ";").first)
        let script = try stand.client().ask("/app.js", ["Cookie: other=1; \(value)"])
        #expect(script.status == 200 && script.text == "start()" && script.headers["set-cookie"] == nil)
        #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
        #expect(script.headers["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self'") == true)
        for other in ["\(value)0", "\(value.dropLast())", "svwebsink-\(stand.port)=k", "svwebsink-\(stand.port)="] {
            #expect(try stand.client().ask("/app.js", ["Cookie: \(other)"]).status == 403, "\(other)")
            // A server on another port can add cookies. The valid cookie is still accepted.
            #expect(try stand.client().ask("/app.js", ["Cookie: \(other); \(value)"]).status == 200)
        }
        // A wrong key in the address is refused, even with a valid cookie.
        #expect(try stand.client().ask("/?key=x", ["Cookie: \(value)"]).status == 403)
    }

    @Test(arguments: [
        "/nothing", "/../index.html", "/%2e%2e/app.js", "/./app.js", "//app.js", "/app.js/", "/app.js%00",
        "/uploads/../x",
        "/uploads/a%2Fb", "/uploads/a%5Cb", "/recordings/..%2f..%2fetc%2fpasswd", "/uploads/", "/%", "/%zz", "/%ff",
        "*",
        "http://127.0.0.1/app.js", "/etc/passwd", "/uploads/a/b", "/recordings", "/app.js/..",
    ])
    func unknownAndEscapingPaths(_ path: String) throws {
        let stand = try Stand()
        #expect(try stand.client().ask(path).status == 404)
        #expect(try stand.client().ask(path + "?key=k").status == 404)
    }

    @Test func methods() throws {
        let stand = try Stand()
        let wrong = try stand.client().ask("/?key=k", method: "POST", body: [1])
        #expect(wrong.status == 405 && wrong.headers["allow"] == "GET, HEAD")
        let upload = try stand.client().ask("/uploads/a?key=k", method: "POST", body: [1])
        #expect(upload.status == 405 && upload.headers["allow"] == "PUT, GET, HEAD")
        let head = try stand.client().ask("/app.js?key=k", method: "HEAD")
        #expect(head.status == 200 && head.headers["content-length"] == "7")
        #expect(try stand.client().ask("/picture.png?key=k").text == "PNG")
        #expect(try stand.client().ask("/socket?key=k").status == 426)
    }

    @Test func tagsSpareBytes() throws {
        let stand = try Stand()
        let tag = try #require(try stand.client().ask("/app.js?key=k").headers["etag"])
        let again = try stand.client().ask("/app.js?key=k", ["If-None-Match: \(tag)"])
        #expect(again.status == 304 && again.body.isEmpty)
        #expect(try stand.client().ask("/app.js?key=k", ["If-None-Match: \"x\""]).status == 200)
    }

    @Test func severalRequestsOnOneConnection() throws {
        let stand = try Stand()
        let client = try stand.client()
        for _ in 0..<3 { #expect(try client.ask("/app.js?key=k").text == "start()") }
        #expect(try client.ask("/nothing").status == 404)
        #expect(try client.ask("/app.js?key=k").status == 200)
        client.send(String(repeating: "GET /app.js?key=k HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 5))
        for _ in 0..<5 { #expect(try client.response().status == 200) }
    }

    @Test func headsHaveLimits() throws {
        let stand = try Stand()
        for header in [
            "X: " + String(repeating: "x", count: 100_000), (0..<200).map { "X\($0): 1" }.joined(separator: "\r\n"),
        ] {
            let client = try stand.client()
            client.send("GET /?key=k HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n\r\n")
            #expect(client.isClosed())
        }
        let long = try stand.client()
        long.send("GET /" + String(repeating: "a", count: 200_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(long.isClosed())
    }

    @Test func whoIsSlowIsNotWaitedFor() throws {
        let stand = try Stand { $0.limits.patience = 0.3 }
        let silent = try stand.client()
        #expect(silent.isClosed())
        let slow = try stand.client()
        slow.send("GET / HT")
        #expect(slow.isClosed())
        let upload = try stand.client()
        upload.send("PUT /uploads/a?key=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
        #expect(upload.isClosed())
        #expect(eventually { stand.uploads.isEmpty })
    }

    @Test func connectionsHaveALimit() throws {
        let stand = try Stand { $0.limits.connections = 3 }
        let held = try (0..<3).map { _ in try stand.client() }
        for client in held { #expect(try client.ask("/?key=k").status == 200) }
        #expect(try stand.client().isClosed())
        #expect(try held[0].ask("/?key=k").status == 200)
    }

    @Test func aPortInUseIsNamed() throws {
        let stand = try Stand()
        #expect {
            _ = try Stand { $0.port = stand.port }
        } throws: { error in
            let error = error as? WebError
            return error?.cause == .portInUse && error?.message.contains("\(stand.port)") == true
        }
        #expect {
            _ = try Stand {
                $0 = Stand.configuration(key: "sixteen-letters!", uploads: nil)
                $0.address = "192.0.2.1"
            }
        } throws: { ($0 as? WebError)?.cause == .badAddress }
    }
    /// Returns true if child processes ignore SIGPIPE.
    private func programsIgnoreBrokenPipes() throws -> Bool {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/bin/grep")
        program.arguments = ["-i", "^SigIgn:", "/proc/self/status"]
        let output = Pipe()
        program.standardOutput = output
        try program.run()
        let line = try #require(try output.fileHandleForReading.readToEnd())
        program.waitUntilExit()
        let mask = try #require(String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).last)
        return try #require(UInt64(mask, radix: 16)) & 1 << (SIGPIPE - 1) != 0
    }

    @Test func programsThatAreStartedMeetBrokenPipesAsBefore() throws {
        // The first socket of GIO makes the process ignore SIGPIPE permanently. Another test may create this socket
        // first.
        let before = try programsIgnoreBrokenPipes()
        let stand = try Stand()
        #expect(try !programsIgnoreBrokenPipes() || before)
        #expect(try stand.client().ask("/?key=k").status == 200)
    }
}
