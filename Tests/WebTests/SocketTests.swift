// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import TestSupport
import Testing
import Web

/// Tests of the web socket: frames, messages and violations of the protocol.
@Suite struct SocketTests {
    @Test func framesComeOneByOne() throws {
        let stand = try Stand()
        let client = try stand.client()
        #expect(try client.open() == 101)
        #expect(try client.frame(1).text == "{\"type\":\"hello\"}")
        #expect(stand.server.pageCount == 1 && stand.server.wantsFrame(otherThan: 1))
        stand.send(1, bytes: 100_000)
        let frame = try client.frame(2)
        #expect(frame.data.count == 100_016 && frame.data[16...].allSatisfy { $0 == 1 })
        #expect(frame.data[..<16].elementsEqual([1, 0, 0, 0, 4, 0, 2, 0, 7, 0, 0, 0, 0, 0, 0, 0]))
        // The page has not shown the frame yet, so the server must not send the next frame.
        #expect(!stand.server.wantsFrame(otherThan: 2))
        stand.send(2)
        client.say("{\"type\":\"ack\",\"frame\":7}")
        client.say("{\"type\":\"other\"}")
        #expect(try client.frame().text == "{\"type\":\"heard\"}")
        client.say("{\"type\":\"ack\",\"frame\":1}")
        #expect(eventually { stand.server.wantsFrame(otherThan: 2) })
        #expect(!stand.server.wantsFrame(otherThan: 1))
        stand.send(1)
        stand.send(3)
        #expect(try client.frame().number == 3)
        #expect(stand.delegate.messages.withLock { $0 } == ["other"])
    }

    @Test func aSlowPageMissesOfferedMessagesButStaysOpen() throws {
        let stand = try Stand()
        let client = try stand.client()
        #expect(try client.open() == 101)
        #expect(try client.frame(1).text == "{\"type\":\"hello\"}")
        let page = try #require(stand.delegate.opened.withLock { $0 })
        page.offer("first")
        #expect(try client.frame(1).text == "first")
        // 40 MB are more than the buffers of the connection and the limit of waiting bytes.
        let text = String(repeating: "x", count: 100_000)
        for _ in 0..<400 { page.offer(text) }
        page.send("last")
        // One thread of the server offers the messages and answers new connections, in this order.
        #expect(try stand.client().open() == 101)
        var count = 0
        while try client.frame(1).text.first == "x" { count += 1 }
        #expect((1..<400).contains(count))
        #expect(page.isOpen)
    }

    @Test func aHiddenPageGetsNothing() throws {
        let stand = try Stand()
        let client = try stand.client()
        #expect(try client.open() == 101)
        #expect(try client.frame(1).text == "{\"type\":\"hello\"}")
        #expect(eventually { stand.delegate.wanted.load(ordering: .relaxed) == 1 })
        client.say("{\"type\":\"visible\",\"visible\":false}")
        #expect(eventually { !stand.server.wantsFrame(otherThan: 1) })
        let wanted = stand.delegate.wanted.load(ordering: .relaxed)
        client.say("{\"type\":\"visible\",\"visible\":true}")
        #expect(eventually { stand.server.wantsFrame(otherThan: 1) })
        #expect(stand.delegate.wanted.load(ordering: .relaxed) == wanted + 1)
    }

    @Test func aPageThatNeverShowsHoldsNoOtherUp() throws {
        let stand = try Stand()
        let (dead, live) = (try stand.client(), try stand.client())
        #expect(try dead.open() == 101)
        #expect(try live.open() == 101)
        // A frame before the start of the second page would not reach this page.
        try #require(eventually { stand.delegate.wanted.load(ordering: .relaxed) == 2 })
        for number in 1...200 as ClosedRange<UInt32> {
            stand.send(number, bytes: 50_000)
            #expect(try live.frame(2).number == number)
            // Before the first frame arrives, the dead page waits for a frame, too.
            if number == 1 { #expect(try dead.frame(2).number == 1) }
            live.say("{\"type\":\"ack\",\"frame\":\(number)}")
            try #require(eventually { stand.server.wantsFrame(otherThan: number + 1) })
        }
        stand.server.broadcast("{}")
        #expect(try dead.frame().text == "{}")
    }

    @Test func aPageThatReadsNothingIsClosed() throws {
        let stand = try Stand { $0.limits.backlog = 100_000 }
        let (dead, live) = (try stand.client(), try stand.client())
        #expect(try dead.open() == 101)
        #expect(try live.open() == 101)
        let text = "{\"text\":\"" + String(repeating: "x", count: 50_000) + "\"}"
        for _ in 0..<500 where stand.server.pageCount == 2 {
            stand.server.broadcast(text)
            #expect(try live.frame(1).data.count > 10)
        }
        #expect(eventually { stand.server.pageCount == 1 })
    }

    @Test func pagesHaveALimit() throws {
        let stand = try Stand { $0.limits.pages = 2 }
        let held = try (0..<2).map { _ in try stand.client() }
        for client in held { #expect(try client.open() == 101) }
        #expect(try stand.client().open() == 503)
        held[0].send(WebClient.frame([0x03, 0xE8], opcode: 8))
        #expect(held[0].isClosed())
        #expect(try stand.client().open() == 101)
    }

    @Test func accessIsAsForFiles() throws {
        let stand = try Stand()
        #expect(try stand.client().open("/socket") == 403)
        #expect(try stand.client().open("/socket?key=x") == 403)
        #expect(try stand.client().open("/app.js?key=k") == 200)
        #expect(try stand.client().open("/sockets?key=k") == 404)
        let cookie = try #require(try stand.client().ask("/?key=k").headers["set-cookie"]?.split(separator: ";").first)
        #expect(try stand.client().open("/socket", ["Cookie: \(cookie)", "Origin: http://127.0.0.1"]) == 101)
    }

    private static let violations: [([UInt8], Int)] = [
        (WebClient.frame(Array("{\"type\":\"x\"}".utf8), isMasked: false), 1002),
        (WebClient.frame([], opcode: 3), 1002), (WebClient.frame([], opcode: 15), 1002),
        (WebClient.frame([1], opcode: 2), 1003),
        (WebClient.frame([0xFF, 0xFE]), 1007), (WebClient.frame(Array("nonsense".utf8)), 1003),
        (WebClient.frame(Array("[1]".utf8)), 1003), (WebClient.frame(Array("<plist/>".utf8)), 1003),
        (WebClient.frame(Array("{\"type\":1}".utf8)), 1003),
        (WebClient.frame([0x7B], isFinal: false) + WebClient.frame([]), 1009),
        (WebClient.frame([], opcode: 0), 1009), (WebClient.frame([UInt8](repeating: 32, count: 70_000)), 1009),
        (WebClient.frame([], length: 1 << 40), 1009), ([0xC1, 0x80, 0, 0, 0, 0], 1002),
        (WebClient.frame([UInt8](repeating: 0x7B, count: 1000)), 1003),
        (WebClient.frame(Array((String(repeating: "{\"a\":", count: 100)).utf8)), 1003),
    ]

    @Test(arguments: violations)
    func whatBreaksTheProtocolClosesTheConnection(_ bytes: [UInt8], _ code: Int) throws {
        let stand = try Stand()
        let client = try stand.client()
        #expect(try client.open() == 101)
        client.send(bytes)
        let close = try client.frame(8)
        #expect(close.data.count == 2 && Int(close.data[0]) << 8 | Int(close.data[1]) == code)
        #expect(client.isClosed())
        #expect(eventually { stand.server.pageCount == 0 })
        #expect(stand.delegate.messages.withLock { $0.isEmpty })
    }

    @Test func messagesInPiecesAndPings() throws {
        let stand = try Stand()
        let client = try stand.client()
        #expect(try client.open() == 101)
        let text = Array("{\"type\":\"pieces\"}".utf8)
        client.send(WebClient.frame(Array(text[..<5]), isFinal: false))
        client.send(WebClient.frame([1, 2], opcode: 9))
        client.send(WebClient.frame(Array(text[5...]), opcode: 0))
        #expect(try client.frame(10).data == [1, 2])
        #expect(eventually { stand.delegate.messages.withLock { $0 } == ["pieces"] })
    }

    @Test func tooManyMessagesCloseTheConnection() throws {
        let stand = try Stand { ($0.limits.messageRate, $0.limits.burst) = (1, 20) }
        let client = try stand.client()
        #expect(try client.open() == 101)
        for _ in 0..<100 { client.say("{\"type\":\"x\"}") }
        let close = try client.frame(8)
        #expect(close.data == [0x03, 0xF0])
        #expect(stand.delegate.messages.withLock { $0.count } <= 22)
    }

    /// Returns the port of an IPv4 socket.
    private static func port(of socket: Int32) -> Int? {
        var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
        }
        return result == 0 && address.sin_family == AF_INET ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    @Test func programsThatAreStartedInheritNoSocket() throws {
        let stand = try Stand()
        let client = try stand.client()
        #expect(try client.open() == 101)
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        let sockets = files.filter { Self.port(of: $0) == stand.port }
        // One socket listens, and one is the connection.
        #expect(sockets.count == 2)
        #expect(sockets.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
    }

    @Test func silentPagesAreAskedAndClosed() throws {
        let stand = try Stand { $0.limits.pingInterval = 0.1 }
        let client = try stand.client()
        #expect(try client.open() == 101)
        #expect(try client.frame(9).data.isEmpty)
        #expect(client.isClosed())
        #expect(eventually { stand.server.pageCount == 0 })
    }
}
