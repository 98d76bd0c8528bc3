// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport
import Testing
import Web

/// Tests of access: hosts, origins, keys and sessions.
@Suite struct AccessTests {
    @Test(
        "Only known hosts are answered",
        arguments: [
            ("127.0.0.1", true), ("127.0.0.1:8080", true), ("localhost", true), ("LOCALHOST:1", true),
            ("[::1]:80", true), ("[0:0::1]", true), ("example.org", true), ("Example.org:443", true),
            ("tls.example", true), ("8.8.8.8", false), ("evil.example", false), ("example.org.evil.example", false),
            ("localhost.evil.example", false), ("127.0.0.1.evil.example", false), ("127.1", false), ("", false),
            ("127.0.0.1:99999", false), ("127.0.0.1:+80", false), ("127.0.0.1:", false), ("[::1", false),
            ("[127.0.0.1]", false), ("0x7f.0.0.1", false), ("user@localhost", false),
        ])
    func hosts(_ host: String, _ isKnown: Bool) throws {
        let stand = try Stand { $0.hosts = ["example.org", "tls.example:8443"] }
        #expect(try stand.client().ask("/?key=k", host: host).status == (isKnown ? 200 : 403))
    }

    @Test(
        "A page may use the server only from the server's own address, or if it is listed",
        arguments: [
            // Host, Origin, behind TLS, allowed
            ("127.0.0.1:8080", "http://127.0.0.1:8080", false, true),
            ("127.0.0.1:8080", "HTTP://127.0.0.1:8080", false, true),
            ("127.0.0.1:8080", "http://127.0.0.1:8081", false, false),
            ("127.0.0.1:8080", "http://127.0.0.1", false, false),
            ("127.0.0.1:8080", "https://127.0.0.1:8080", false, false),
            ("127.0.0.1:8080", "http://localhost:8080", false, false),
            // Port 80 is the default.
            ("localhost", "http://localhost:80", false, true), ("localhost:80", "http://localhost", false, true),
            ("localhost", "https://localhost", false, false), ("localhost:443", "https://localhost", false, false),
            ("[::1]:8080", "http://[::1]:8080", false, true), ("[::1]:8080", "http://[0::0:1]:8080", false, true),
            ("[::1]:8080", "http://[::1]:8081", false, false),
            // `tls.example` is listed with a port.
            ("127.0.0.1:8080", "http://tls.example:8443", false, true),
            ("127.0.0.1:8080", "https://tls.example:8443", false, true),
            ("127.0.0.1:8080", "https://tls.example", false, false),
            // `example.org` is listed without a port, as a name of this server.
            ("example.org:8080", "http://example.org:8080", false, true),
            ("example.org:8080", "http://example.org", false, false),
            ("127.0.0.1:8080", "http://example.org", false, false),
            // The server is behind a proxy with TLS.
            ("example.org", "https://example.org", true, true),
            ("example.org:443", "https://example.org", true, true),
            ("example.org", "https://example.org:8443", true, false),
            ("example.org", "http://example.org", true, false),
            ("example.org:80", "http://example.org", true, false),
            ("example.org", "https://tls.example:8443", true, true),
            ("example.org", "http://tls.example:8443", true, false),
            // Pages without an origin, and invalid origins.
            ("127.0.0.1:8080", "null", false, false), ("127.0.0.1:8080", "file://", false, false),
            ("127.0.0.1:8080", "ftp://127.0.0.1:8080", false, false),
            ("127.0.0.1:8080", "127.0.0.1:8080", false, false),
            ("127.0.0.1:8080", "http:/127.0.0.1:8080", false, false), ("127.0.0.1:8080", "", false, false),
            ("127.0.0.1:8080", "http://127.0.0.1:8080/x", false, false),
        ])
    func origins(_ host: String, _ origin: String, _ isBehindTLS: Bool, _ isAllowed: Bool) throws {
        let stand = try Stand {
            $0 = Stand.configuration(key: "0123456789abcdef", uploads: nil)
            $0.files = [WebFile("index.html", UnsafeRawBufferPointer(start: nil, count: 0))]
            ($0.hosts, $0.isBehindTLS) = (["example.org", "tls.example:8443"], isBehindTLS)
        }
        let key = "key=0123456789abcdef"
        let page = try stand.client().ask("/?\(key)", host: host, ["Origin: \(origin)"])
        #expect(page.status == (isAllowed ? 200 : 403))
        let socket = try stand.client().open("/socket?\(key)", ["Origin: \(origin)"], host: host)
        #expect(socket == (isAllowed ? 101 : 403))
        if isAllowed { #expect(page.headers["set-cookie"]?.hasSuffix("; Secure") == isBehindTLS) }
    }

    @Test("Headers that proxies add are not believed")
    func forgedHeaders() throws {
        let stand = try Stand()
        let forged = [
            "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https", "Forwarded: host=evil.example;proto=https",
        ]
        #expect(try stand.client().ask("/?key=k", forged + ["Origin: https://evil.example"]).status == 403)
        #expect(try stand.client().ask("/?key=k", forged + ["Origin: https://127.0.0.1"]).status == 403)
        #expect(try stand.client().ask("/?key=k", host: "evil.example", ["X-Forwarded-Host: 127.0.0.1"]).status == 403)
        let page = try stand.client().ask("/?key=k", forged)
        #expect(page.status == 200 && page.headers["set-cookie"]?.contains("Secure") == false)
    }

    @Test("Several hosts or origins, or no host, are refused")
    func ambiguousHeaders() throws {
        let stand = try Stand()
        #expect(try stand.client().ask("/?key=k", ["Host: localhost"]).status >= 400)
        let origins = ["Origin: http://127.0.0.1", "Origin: http://127.0.0.1"]
        #expect(try stand.client().ask("/?key=k", origins).status == 403)
        let without = try stand.client()
        without.send("GET /?key=k HTTP/1.1\r\n\r\n")
        #expect(try without.response().status == 403)
    }

    @Test(
        "What a browser loads for a page from elsewhere is refused; links to the page work",
        arguments: [
            ("cross-site", "no-cors", 403), ("same-site", "no-cors", 403), ("same-site", "websocket", 403),
            ("cross-site", "navigate", 200), ("same-origin", "no-cors", 200), ("none", "navigate", 200),
        ])
    func fetchMetadata(_ site: String, _ mode: String, _ status: Int) throws {
        let stand = try Stand()
        let headers = ["Sec-Fetch-Site: \(site)", "Sec-Fetch-Mode: \(mode)"]
        #expect(try stand.client().ask("/?key=k", headers).status == status)
    }

    // MARK: - Sessions

    private func cookie(_ stand: Stand, key: String = "k") throws -> String {
        let cookie = try stand.client().ask("/?key=\(key)").headers["set-cookie"]
        return try String(#require(cookie?.split(separator: ";").first))
    }

    @Test("Each page gets a session of its own, which does not contain the key")
    func sessionsDiffer() throws {
        let key = "a-rather-long-key-0123456789"
        let stand = try Stand { configuration in
            let files = configuration.files
            configuration = Stand.configuration(key: key, uploads: nil)
            configuration.files = files
        }
        let (one, other) = (try cookie(stand, key: key), try cookie(stand, key: key))
        #expect(one != other)
        let hexadecimal = key.utf8.map { String($0, radix: 16) }.joined()
        for cookie in [one, other] {
            #expect(!cookie.contains(key) && !cookie.contains(hexadecimal))
            #expect(try stand.client().ask("/app.js", ["Cookie: \(cookie)"]).status == 200)
        }
        // A program that sends the key with each request needs no session.
        #expect(try stand.client().ask("/picture.png?key=\(key)").headers["set-cookie"] == nil)
    }

    @Test(
        "A session outlives a restart with the same key and the same secret",
        arguments: [("k", 1, 101), ("l", 1, 403), ("k", 2, 403)] as [(String, UInt64, Int)])
    func sessionsAfterARestart(_ key: String, _ secret: UInt64, _ status: Int) throws {
        let first = try Stand()
        let cookie = try cookie(first)
        let port = first.port
        first.server.stop()
        let second = try Stand {
            $0 = Stand.configuration(key: key, uploads: nil, secret: secret)
            $0.port = port
        }
        #expect(try second.client().open("/socket", ["Cookie: \(cookie)", "Origin: http://127.0.0.1"]) == status)
    }

    // MARK: - Keys

    @Test(
        "A short key is allowed for this machine alone",
        arguments: [
            ("127.0.0.1", "k", false, true), ("127.1.2.3", "k", false, true), ("::1", "k", false, true),
            ("localhost", "k", false, true), ("0.0.0.0", "k", false, false), ("::", "k", false, false),
            ("0.0.0.0", "fifteen-letters", false, false), ("0.0.0.0", "sixteen-letters!", false, true),
            ("127.0.0.1", "k", true, false), ("127.0.0.1", "sixteen-letters!", true, true),
        ])
    func shortKeys(_ address: String, _ key: String, _ isBehindTLS: Bool, _ isAllowed: Bool) throws {
        let start = {
            _ = try Stand {
                $0 = Stand.configuration(key: key, uploads: nil)
                ($0.address, $0.isBehindTLS) = (address, isBehindTLS)
            }
        }
        if isAllowed { return try start() }
        #expect {
            try start()
        } throws: { error in
            let error = error as? WebError
            return error?.cause == .badSettings
                && error?.message.contains("\(key.count) characters and can be guessed. Use 16 characters or more")
                    == true
        }
    }

    @Test(
        "Hosts of another form are an error at the start",
        arguments: ["http://example.org", "a b", "a:b", "[::1", "*"])
    func badHosts(_ host: String) {
        #expect {
            _ = try Stand { $0.hosts = ["example.org", host] }
        } throws: { error in
            (error as? WebError)?.cause == .badSettings && (error as? WebError)?.message.contains("\"\(host)\"") == true
        }
    }

    @Test("After many wrong keys further ones wait, on any connection; the right key and sessions do not")
    func wrongKeysWait() throws {
        let stand = try Stand { $0.limits.wrongKeys = WrongKeyLimits(free: 3, step: 100, longest: 1000) }
        let cookie = try cookie(stand)
        for _ in 0..<3 { #expect(try stand.client().ask("/?key=x").status == 403) }
        let guessers = try (0..<10).map { _ in try stand.client() }
        for client in guessers { client.send("GET /?key=x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") }
        for _ in 0..<3 {
            #expect(try stand.client().ask("/?key=k").status == 200)
            #expect(try stand.client().ask("/app.js", ["Cookie: \(cookie)"]).status == 200)
            // A request without a key is refused, but does not count as a wrong key.
            #expect(try stand.client().ask("/").status == 403)
        }
        #expect(guessers.allSatisfy { $0.isSilent })
    }

    @Test("A connection has one try: what follows a wrong key is not answered")
    func oneTry() throws {
        let stand = try Stand()
        let client = try stand.client()
        let tries = ["x", "k"].map { "GET /app.js?key=\($0) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" }
        client.send(tries.joined())
        let response = try client.response()
        #expect(response.status == 403 && response.headers["connection"] == "close")
        #expect(try client.rest().isEmpty)
    }
}
