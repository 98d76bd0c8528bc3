// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Invalid requests and WebSocket frames: mutated, truncated or repeated. The same seed gives the same data.
package struct WebAttack {
    package var random: Random
    private let messages: [[UInt8]]

    /// - Parameter messages: valid JSON messages of a page.
    package init(seed: UInt64, messages: [String]) {
        random = Random(seed: seed)
        self.messages = messages.map { Array($0.utf8) }
    }

    /// The number of attacks per test: 300, or 10000 if `SWIFTVISION_FULL` is set.
    package static let count = getenv("SWIFTVISION_FULL") == nil ? 300 : 10_000

    private static let requests = [
        "GET /?key=k HTTP/1.1\r\nHost: localhost\r\nCookie: a=b\r\n\r\n",
        "PUT /uploads/file.jpg?key=k HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello",
        "PUT /uploads/..%2f..%2fx?key=k HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        "GET /recordings/r.mp4?key=k HTTP/1.1\r\nHost: localhost\r\nRange: bytes=1-5\r\n\r\n",
        "GET /picture.png?key=k HTTP/1.0\r\nHost: [::1]:80\r\nOrigin: http://[::1]\r\nConnection: close\r\n\r\n",
        "GET /socket?key=k HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    ].map { Array($0.utf8) }

    private mutating func one(of choice: [[UInt8]]) -> [UInt8] { choice.randomElement(using: &random) ?? [] }

    private mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
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

    private static let oddValues = [
        "null", "[]", "{}", "\"\"", "-1", "1e308", "9223372036854775808", "-0.0", "true", "\"\\u0000\"", "\"../../x\"",
        "[[[[1]]]]",
    ].map { Array($0.utf8) }

    /// Returns a message in which one of the values is replaced by an unusual value.
    private mutating func odd(_ message: [UInt8]) -> [UInt8] {
        let colons = message.indices.filter { message[$0] == UInt8(ascii: ":") }
        guard let colon = colons.randomElement(using: &random) else { return message }
        let rest = message[(colon + 1)...].drop { ![UInt8(ascii: ","), UInt8(ascii: "}")].contains($0) }
        return message[...colon] + one(of: Self.oddValues) + rest
    }

    /// Returns a request. One in four requests is valid; the others are mutated.
    package mutating func request() -> [UInt8] {
        let request = one(of: Self.requests)
        return Int.random(in: 0..<4, using: &random) == 0 ? request : mutated(request)
    }

    /// Returns a frame. Most frames are valid messages or messages with an unusual value, because the server closes the
    /// connection after worse frames.
    package mutating func frame() -> [UInt8] {
        let message = one(of: messages)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: return WebClient.frame(message)
        case 4..<8: return WebClient.frame(odd(message))
        case 8: return WebClient.frame(mutated(message))
        default: return mutated(WebClient.frame(message, opcode: UInt8.random(in: 0..<16, using: &random)))
        }
    }

    /// Sends each request on a new connection. Waits for the end of every second connection, because no connection may
    /// hang.
    /// - Returns: the answers on the connections that have ended.
    package mutating func sendRequests(_ count: Int, to port: Int) throws -> [[UInt8]] {
        var answers: [[UInt8]] = []
        for number in 0..<count {
            let client = try WebClient(port, patience: 30)
            client.send(request())
            guard number % 2 == 0 else { continue }
            client.endSending()
            answers.append(try client.rest())
        }
        return answers
    }

    /// Sends frames, 10 per connection. Waits for the end of three in four connections, so that the server receives
    /// their messages in every run. Closes the other connections immediately; the server may lose their messages.
    package mutating func sendFrames(_ count: Int, to port: Int, between: (Int) -> Void = { _ in }) throws {
        for connection in 0..<(count / 10) {
            let client = try WebClient(port, patience: 30)
            let status = try client.open()
            guard status == 101 else { throw TestFailure("the socket was refused: \(status)") }
            client.send((0..<10).flatMap { _ in frame() })
            between(connection)
            guard connection % 4 != 0 else { continue }
            client.endSending()
            _ = try client.rest()
        }
    }
}
