// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization
import TestSupport
import Testing
import Web

/// Tests of access to the metrics.
@Suite struct MetricsTests {
    private func stand() throws -> Stand { try Stand { $0.hasMetrics = true } }

    @Test("Without metrics, the path does not exist, even with the key")
    func off() throws {
        let stand = try Stand()
        #expect(try stand.client().ask("/metrics?key=k").status == 404)
        #expect(try stand.client().ask("/metrics", ["Authorization: Bearer k"]).status == 404)
    }

    @Test(
        "The key is accepted as a bearer token",
        arguments: ["Authorization: Bearer k", "authorization: bearer k", "AUTHORIZATION: BEARER k"])
    func token(_ header: String) throws {
        let stand = try stand()
        let response = try stand.client().ask("/metrics", [header])
        #expect(response.status == 200 && response.text == "frames 1\n")
        #expect(response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(response.headers["cache-control"] == "no-store" && response.headers["set-cookie"] == nil)
    }

    @Test(
        "Requests without the key, or with a wrong or malformed token, are refused",
        arguments: [
            [], ["Authorization: Bearer x"], ["Authorization: Bearer "], ["Authorization: Bearer"],
            ["Authorization: k"], ["Authorization: Basic k"], ["Authorization: Bearer kk"],
            ["Authorization: Bearer k k"], ["Authorization: Bearer k", "Authorization: Bearer k"], ["Authorization:"],
        ])
    func refused(_ headers: [String]) throws {
        let stand = try stand()
        let response = try stand.client().ask("/metrics", headers)
        #expect(response.status == 403 && !response.text.contains("frames"))
    }

    @Test("The key in the address and a session are accepted, too, but not with a wrong token")
    func otherAccess() throws {
        let stand = try stand()
        #expect(try stand.client().ask("/metrics?key=k").status == 200)
        #expect(try stand.client().ask("/metrics?key=x", ["Authorization: Bearer k"]).status == 403)
        let cookie = try #require(try stand.client().ask("/?key=k").headers["set-cookie"]?.split(separator: ";").first)
        #expect(try stand.client().ask("/metrics", ["Cookie: \(cookie)"]).status == 200)
        #expect(try stand.client().ask("/metrics", ["Cookie: \(cookie)", "Authorization: Bearer x"]).status == 403)
    }

    @Test("Another authorization scheme, for example for a proxy, is not a wrong key")
    func otherScheme() throws {
        let stand = try stand()
        let basic = "Authorization: Basic a"
        #expect(try stand.client().ask("/metrics?key=k", [basic]).status == 200)
        let cookie = try #require(try stand.client().ask("/?key=k").headers["set-cookie"]?.split(separator: ";").first)
        #expect(try stand.client().ask("/metrics", ["Cookie: \(cookie)", basic]).status == 200)
        #expect(try stand.client().ask("/metrics", ["Cookie: \(cookie)", "Authorization: Bearer"]).status == 403)
        #expect(try stand.client().ask("/metrics", [basic, "Authorization: Bearer k"]).status == 403)
    }

    @Test("While the pipeline stops, there are no metrics")
    func stopping() throws {
        let stand = try stand()
        stand.delegate.hasMetrics.store(false, ordering: .relaxed)
        #expect(try stand.client().ask("/metrics", ["Authorization: Bearer k"]).status == 503)
    }

    @Test("The token opens nothing else, and the rules for hosts and methods apply")
    func rules() throws {
        let stand = try stand()
        let token = "Authorization: Bearer k"
        for path in ["/", "/app.js", "/picture.png", "/recordings/a.mkv"] {
            #expect(try stand.client().ask(path, [token]).status == 403, "\(path)")
        }
        #expect(try stand.client().open("/socket", [token]) == 403)
        #expect(try stand.client().ask("/metrics", host: "evil.example", [token]).status == 403)
        #expect(try stand.client().ask("/metrics", method: "POST", [token], body: [1]).status == 405)
        #expect(try stand.client().ask("/metrics/", [token]).status == 404)
        let head = try stand.client().ask("/metrics", method: "HEAD", [token])
        #expect(head.status == 200 && head.headers["content-length"] == "9")
    }

    @Test("After many wrong tokens, further ones wait, and the right token does not")
    func guessing() throws {
        let stand = try Stand {
            $0.hasMetrics = true
            $0.limits.wrongKeys = WrongKeyLimits(free: 2, step: 100, longest: 1000)
        }
        for _ in 0..<2 { #expect(try stand.client().ask("/metrics", ["Authorization: Bearer x"]).status == 403) }
        let guesser = try stand.client()
        guesser.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer y\r\n\r\n")
        #expect(try stand.client().ask("/metrics", ["Authorization: Bearer k"]).status == 200)
        #expect(guesser.isSilent)
    }
}
