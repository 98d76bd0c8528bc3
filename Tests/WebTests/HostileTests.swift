// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import Testing
import TestSupport
import Web

/// Random and mutated requests and frames, the same in each run: nothing falls, nothing hangs, no file comes to be outside.
@Suite struct HostileTests {
    private static let requests = [
        "GET /?key=k HTTP/1.1\r\nHost: localhost\r\nCookie: a=b\r\n\r\n",
        "PUT /uploads/file.jpg?key=k HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello",
        "PUT /uploads/..%2f..%2fx?key=k HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        "GET /recordings/r.mp4?key=k HTTP/1.1\r\nHost: localhost\r\nRange: bytes=1-5\r\n\r\n",
        "GET /picture.png?key=k HTTP/1.0\r\nHost: [::1]:80\r\nOrigin: http://localhost\r\nConnection: close\r\n\r\n",
        "GET /socket?key=k HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    ].map { Array($0.utf8) }

    private static let messages = [
        "{\"type\":\"ack\",\"frame\":1}", "{\"type\":\"visible\",\"visible\":true}",
        "{\"type\":\"set\",\"id\":7,\"element\":\"a\",\"name\":\"b\",\"value\":[1,2.5e300,null,\"\\ud83d\\ude42\"]}",
    ].map { Array($0.utf8) }

    private static func mutated(_ bytes: [UInt8], _ random: inout Random) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 0...max(0, bytes.count - 1), using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where !bytes.isEmpty: bytes[place] = random.byte()
            case 1 where !bytes.isEmpty: bytes.remove(at: place)
            case 2: bytes.insert(random.byte(), at: min(place, bytes.count))
            case 3: bytes.insert(contentsOf: bytes[..<place], at: min(place, bytes.count))
            case 4: bytes = Array(bytes[..<place])
            default:
                bytes.insert(contentsOf: Array("../%00\r\n".utf8).shuffled(using: &random), at: min(place, bytes.count))
            }
        }
        return bytes
    }

    @Test func randomRequests() throws {
        let stand = try Stand { $0.limits.patience = 0.2 }
        let before = try Self.files(stand)
        var random = Random(seed: 19)
        for _ in 0..<5000 {
            let client = try stand.client(patience: 2)
            let request = Self.requests[Int.random(in: 0..<Self.requests.count, using: &random)]
            client.send(Self.mutated(request, &random))
        }
        #expect(try Self.files(stand) == before)
        #expect(try stand.client().ask("/app.js?key=k").text == "start()")
        #expect(eventually { stand.server.pageCount == 0 })
    }

    @Test func randomFrames() throws {
        let stand = try Stand()
        var random = Random(seed: 91)
        var opened = 0
        for _ in 0..<250 {
            let client = try stand.client(patience: 2)
            guard try client.open() == 101 else { continue }
            opened += 1
            for _ in 0..<20 {
                let message = Self.messages[Int.random(in: 0..<Self.messages.count, using: &random)]
                let opcode = UInt8.random(in: 0..<16, using: &random)
                let isPlain = Bool.random(using: &random)
                let frame =
                    isPlain
                    ? WebClient.frame(Self.mutated(message, &random))
                    : Self.mutated(WebClient.frame(message, opcode: opcode), &random)
                guard client.send(frame) else { break }
            }
            stand.send(UInt32(opened))
        }
        #expect(opened == 250)
        let client = try stand.client()
        #expect(try client.open() == 101)
        client.say("{\"type\":\"last\"}")
        #expect(eventually { stand.delegate.messages.withLock { $0.last } == "last" })
    }

    /// What is beside the folder of uploads, and above.
    private static func files(_ stand: Stand) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: stand.folder).sorted()
    }
}
