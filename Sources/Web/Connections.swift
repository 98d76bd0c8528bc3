// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import NIOCore
import Synchronization

/// The connections of a server. A connection is a member if it has sent a valid key or session; otherwise it is a
/// stranger. The number of strangers is limited. If the limit is reached, the server closes a stranger to accept a new
/// connection. So a client with the key can still connect.
final class Connections: Sendable {
    private struct Stranger {
        let channel: any Channel
        /// The bytes that identify the client, from `client(of:)`.
        let client: [UInt8]
        let number: UInt64
        var isRefused = false
    }

    private struct State {
        var members: Set<ObjectIdentifier> = []
        var strangers: [ObjectIdentifier: Stranger] = [:]
        var number: UInt64 = 0

        /// The stranger (a connection without a valid key or session) to close next. Strangers whose request was
        /// refused come first, then strangers of the client with the most strangers, then the oldest strangers. So a
        /// client with many connections cannot displace other clients.
        var first: (key: ObjectIdentifier, value: Stranger)? {
            let counts = strangers.values.reduce(into: [:]) { $0[$1.client, default: 0] += 1 }
            func rank(_ stranger: Stranger) -> (Int, Int, UInt64) {
                (stranger.isRefused ? 1 : 0, counts[stranger.client] ?? 0, .max - stranger.number)
            }
            return strangers.max { rank($0.value) < rank($1.value) }
        }
    }

    private let state = Mutex(State())
    private let limits: WebLimits

    init(_ limits: WebLimits) { self.limits = limits }

    /// Adds a new connection as a stranger (without a valid key or session). If there are too many connections or too
    /// many strangers, closes the stranger `first`.
    /// - Returns: false if there are too many connections and none of them is a stranger.
    func admit(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let (isAdmitted, leaving) = state.withLock { state in
            var leaving: (any Channel)?
            let isFull = state.members.count + state.strangers.count >= limits.connections
            if isFull || state.strangers.count >= limits.strangers {
                guard let first = state.first else { return (false, leaving) }
                state.strangers[first.key] = nil
                leaving = first.value.channel
            }
            state.number &+= 1
            state.strangers[id] = Stranger(channel: channel, client: client(of: channel), number: state.number)
            return (true, leaving)
        }
        leaving?.close(promise: nil)
        guard isAdmitted else { return false }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                state.members.remove(id)
                state.strangers[id] = nil
            }
        }
        return true
    }

    /// Makes a connection a member, because the connection has sent a valid key or session.
    func trust(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { state in
            if state.strangers.removeValue(forKey: id) != nil { state.members.insert(id) }
        }
    }

    func refuse(_ channel: any Channel) {
        state.withLock { $0.strangers[ObjectIdentifier(channel)]?.isRefused = true }
    }
}

/// Returns bytes that identify the client: its IPv4 address, or the first 64 bits of its IPv6 address. Usually, all
/// IPv6 addresses with the same first 64 bits belong to one client.
private func client(of channel: any Channel) -> [UInt8] {
    let text = channel.remoteAddress?.ipAddress ?? ""
    var bytes = [UInt8](repeating: 0, count: 16)
    // An IPv4 address in IPv6 form (RFC 4291, section 2.5.5.2) starts with the same 64 bits as all other such
    // addresses. So use the whole text of the address.
    guard !text.hasPrefix("::ffff:"), inet_pton(AF_INET6, text, &bytes) == 1 else { return Array(text.utf8) }
    return Array(bytes.prefix(8))
}
