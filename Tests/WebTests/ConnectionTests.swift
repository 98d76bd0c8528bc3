// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport
import Testing
import Web

/// Tests with connections that have no key or session. They must not block the owner.
@Suite struct ConnectionTests {
    private static let half = "GET /?key=k HTTP/1.1\r\nHost: 127.0.0.1\r\n"

    @Test("Idle and half requests give way, the oldest first; the owner and pages stay")
    func strangersGiveWay() throws {
        let stand = try Stand { $0.limits.strangers = 4 }
        let page = try stand.client()
        #expect(try page.open() == 101)
        #expect(try page.frame(1).text == "{\"type\":\"hello\"}")
        let owner = try stand.client()
        #expect(try owner.ask("/?key=k").status == 200)
        var attackers: [WebClient] = []
        for number in 0..<40 {
            let client = try stand.client()
            if number % 2 == 0 { client.send(Self.half) }
            attackers.append(client)
            #expect(try stand.client().ask("/?key=k").status == 200)
        }
        #expect(attackers.dropLast(4).allSatisfy { $0.isClosed() })
        #expect(attackers.suffix(3).allSatisfy { $0.isSilent })
        #expect(try owner.ask("/app.js?key=k").status == 200)
        stand.send(1)
        #expect(try page.frame(2).number == 1)
    }

    @Test("Every refusal closes the connection of a stranger")
    func refusalsClose() throws {
        let stand = try Stand()
        let requests = [
            ("/", [], 403), ("/?key=x", [], 403), ("/nothing", [], 404), ("/", ["Origin: null"], 403),
            ("/socket", ["Upgrade: websocket", "Connection: Upgrade"], 403),
        ]
        for (target, headers, status) in requests {
            let client = try stand.client()
            let response = try client.ask(target, headers)
            #expect(response.status == status && response.headers["connection"] == "close", "\(target)")
            #expect(client.isClosed())
        }
    }

    @Test("Refused connections give way before those that have not been answered")
    func refusedGoFirst() throws {
        let stand = try Stand {
            ($0.limits.strangers, $0.limits.wrongKeys) = (3, WrongKeyLimits(free: 0, step: 100, longest: 1000))
        }
        let slow = try stand.client()
        slow.send(Self.half)
        // The clients wait for their answers.
        var refused: [WebClient] = []
        for _ in 0..<5 {
            let client = try stand.client()
            client.send("GET /?key=x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            refused.append(client)
            // This request is answered after the server has read the request above.
            #expect(try stand.client().ask("/?key=k").status == 200)
        }
        slow.send("\r\n")
        #expect(try slow.response().status == 200)
        #expect(refused.dropLast(3).allSatisfy { $0.isClosed() })
    }

    @Test("A client with many connections does not push out another client's")
    func busyClientsGoFirst() throws {
        let stand = try Stand { $0.limits.strangers = 4 }
        let slow = try WebClient(stand.port, from: "127.0.0.2")
        slow.send(Self.half)
        let attackers = try (0..<20).map { _ in try stand.client() }
        #expect(attackers.dropLast(4).allSatisfy { $0.isClosed() })
        slow.send("\r\n")
        #expect(try slow.response().status == 200)
    }

    @Test("Connections with a key have room that others do not take, up to the limit of all")
    func reserve() throws {
        let stand = try Stand { ($0.limits.connections, $0.limits.strangers) = (6, 2) }
        let members = try (0..<5).map { _ in
            let client = try stand.client()
            #expect(try client.ask("/?key=k").status == 200)
            return client
        }
        let idle = try stand.client()
        // There is room for one connection without a key: the newest one.
        let newest = try stand.client()
        #expect(idle.isClosed())
        #expect(try newest.ask("/?key=k").status == 200)
        #expect(try stand.client().isClosed())
        for client in members { #expect(try client.ask("/app.js?key=k").status == 200) }
    }
}
