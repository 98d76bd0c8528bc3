// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport

/// Creates a socket, and calls `body` with the socket and the address of a local port.
/// - Returns: the socket. Nil if `body` does not return 0.
private func makeSocket(
    _ port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let result = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard result == 0 else {
        close(file)
        return nil
    }
    return file
}

/// Returns a free port, and a socket that listens on this port.
func listenOnFreePort() throws -> (port: Int, file: Int32) {
    var own = sockaddr_in()
    let file = makeSocket(0) { file, address, size in
        var count = size
        guard bind(file, address, size) == 0, listen(file, 8) == 0 else { return -1 }
        return withUnsafeMutablePointer(to: &own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(file, $0, &count) }
        }
    }
    return (Int(UInt16(bigEndian: own.sin_port)), try required(file, "no free port"))
}

func freePort() throws -> Int {
    let (port, file) = try listenOnFreePort()
    close(file)
    return port
}

/// Returns a socket that is connected to a local port. Returns nil if no program listens on the port.
func connected(to port: Int) -> Int32? { makeSocket(port) { connect($0, $1, $2) } }

func isListening(_ port: Int) -> Bool {
    guard let file = connected(to: port) else { return false }
    close(file)
    return true
}

/// A server that accepts connections and sends nothing.
final class SilentServer {
    let port: Int
    private let file: Int32

    init() throws { (port, file) = try listenOnFreePort() }

    deinit { close(file) }
}
