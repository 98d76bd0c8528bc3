// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// A connection that can send any bytes.
package final class WebClient {
    private let socket: Int32
    private var received: [UInt8] = []

    /// - Parameters:
    ///   - patience: time in seconds after which a read or write fails.
    ///   - source: local address of the connection.
    package init(_ port: Int, patience: Int = 10, from source: String? = nil) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var time = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        let socket = socket
        if let source { _ = Self.withAddress(source, 0) { bind(socket, $0, $1) } }
        guard Self.withAddress("127.0.0.1", port, { connect(socket, $0, $1) }) == 0 else {
            throw TestFailure("cannot connect: \(String(cString: strerror(errno)))")
        }
    }

    private static func withAddress(
        _ host: String, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { close(socket) }

    /// Sends bytes. Returns false if the server does not accept all bytes. The remaining bytes are lost.
    @discardableResult
    package func send(_ bytes: some Collection<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Closes the sending direction of the connection.
    package func endSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Reads more bytes. Returns false at the end of the connection. Throws if no bytes arrive in time.
    private func read() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        var count = -1
        // If a timeout is set, the kernel does not restart `recv` after a signal, such as the signal for the end of a
        // child process.
        repeat { count = recv(socket, &buffer, buffer.count, 0) } while count < 0 && errno == EINTR
        if count < 0, errno == EAGAIN { throw TestFailure("nothing comes") }
        guard count > 0 else { return false }
        received += buffer[..<count]
        return true
    }

    package func take(_ count: Int) throws -> [UInt8] {
        while received.count < count { guard try read() else { throw TestFailure("the connection is closed") } }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    /// Returns all bytes until the end of the connection. Throws if the end does not come in time.
    package func rest() throws -> [UInt8] {
        while try read() {}
        return received
    }

    /// Waits for the end of the connection. Returns true if it comes in time.
    package func isClosed() -> Bool {
        (try? rest()) != nil
    }

    /// True if the connection is open and no bytes have arrived.
    package var isSilent: Bool {
        var byte: UInt8 = 0
        return received.isEmpty && recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0
            && errno == EAGAIN
    }

    // MARK: - HTTP

    package struct Response {
        package let status: Int
        package let headers: [String: String]
        package let body: [UInt8]
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package func response(hasBody: Bool = true) throws -> Response {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) { head += try take(1) }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, let status = Int(words[1]) else { throw TestFailure("no status in \(lines)") }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        return Response(status: status, headers: headers, body: hasBody ? try take(length) : [])
    }

    /// Sends an HTTP request, and reads the response.
    package func ask(
        _ target: String, method: String = "GET", host: String = "127.0.0.1", _ headers: [String] = [],
        body: [UInt8]? = nil
    ) throws -> Response {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
        for header in headers { text += header + "\r\n" }
        if let body { text += "Content-Length: \(body.count)\r\n" }
        send(Array((text + "\r\n").utf8) + (body ?? []))
        return try response(hasBody: method != "HEAD")
    }

    // MARK: - WebSocket

    /// Opens the WebSocket as a page does, and returns the HTTP status.
    package func open(
        _ target: String = "/socket?key=k", _ headers: [String] = [], host: String = "127.0.0.1"
    ) throws -> Int {
        try ask(
            target, host: host,
            [
                "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ] + headers
        ).status
    }

    package struct Frame {
        package let opcode: UInt8
        package let data: [UInt8]
        package var text: String { String(decoding: data, as: UTF8.self) }
        /// The number of a video frame, from the first four bytes.
        package var number: UInt32 { data.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }

    package func frame() throws -> Frame {
        let head = try take(2)
        let code = Int(head[1] & 0x7F)
        let length =
            switch code {
            case 126: try take(2).reduce(0) { $0 << 8 | Int($1) }
            case 127: Int(clamping: try take(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
            default: code
            }
        return Frame(opcode: head[0] & 0x0F, data: try take(length))
    }

    /// Returns the next frame with this opcode: 1 = text, 2 = binary, 8 = close. Answers pings.
    package func frame(_ opcode: UInt8) throws -> Frame {
        while true {
            let frame = try frame()
            if frame.opcode == opcode { return frame }
            if frame.opcode == 9 { send(Self.frame(frame.data, opcode: 10)) }
        }
    }

    /// Returns the bytes of a WebSocket frame.
    package static func frame(
        _ data: [UInt8], opcode: UInt8 = 1, isFinal: Bool = true, isMasked: Bool = true, length: Int? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
        let (count, mask) = (length ?? data.count, isMasked ? 0x80 as UInt8 : 0)
        if count < 126 {
            bytes.append(mask | UInt8(count))
        } else if count < 65536 {
            bytes += [mask | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
        } else {
            bytes.append(mask | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
        }
        let key: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        if isMasked { bytes += key }
        return bytes + data.enumerated().map { isMasked ? $1 ^ key[$0 % 4] : $1 }
    }

    package func say(_ text: String) { send(Self.frame(Array(text.utf8))) }
}
