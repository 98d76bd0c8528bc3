// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Glibc
import Waiting

/// Determines the reason for a failed connection, which the stock elements do not report.
enum ConnectionProbe {
    private static let patience: UInt64 = 300  // maximum duration of the attempt, in milliseconds

    /// Tries to open a TCP connection, for at most 300 ms. Resolving the host name can take longer.
    /// - Returns: the reason for the failure; nil if the connection succeeds.
    static func reason(host: String, port: Int) -> LossReason? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var address: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &address) == 0, let address else { return .unknownHost }
        defer { freeaddrinfo(address) }
        let socket = socket(
            address.pointee.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return .failed }
        defer { close(socket) }
        if connect(socket, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 { return nil }
        guard errno == EINPROGRESS else { return reason(errno) }
        var entry = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        let deadline = Deadline.after(milliseconds: patience)
        while true {
            let count = poll(&entry, 1, deadline.milliseconds)
            if count > 0 { break }
            guard count < 0, errno == EINTR else { return .noAnswer }
        }
        var (error, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        guard getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 else { return .failed }
        return error == 0 ? nil : reason(error)
    }

    private static func reason(_ error: Int32) -> LossReason {
        switch error {
        case ECONNREFUSED: .refused
        case EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN: .unreachable
        case ETIMEDOUT: .noAnswer
        default: .failed
        }
    }
}
