// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// A UDP socket on the loopback address that sends packets.
package final class DatagramClient {
    private let socket: Int32

    /// - Parameter port: the port of the receiver on 127.0.0.1.
    package init(_ port: Int) throws {
        socket = Self.makeSocket()
        guard Self.withAddress(port, { connect(socket, $0, $1) }) == 0 else {
            throw TestFailure("cannot connect: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(socket) }

    /// Sends a packet. Returns false if the system reports an error, for example because nothing uses the port.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, 0) } == bytes.count
    }

    /// Returns a UDP port of 127.0.0.1 that no program uses now.
    package static func freePort() throws -> Int {
        let socket = makeSocket()
        defer { close(socket) }
        var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
        }
        guard result == 0, address.sin_port != 0 else { throw TestFailure("no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Creates a socket with any free port of 127.0.0.1.
    private static func makeSocket() -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        _ = withAddress(0) { bind(socket, $0, $1) }
        return socket
    }

    private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
