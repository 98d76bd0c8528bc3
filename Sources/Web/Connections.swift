// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import NIOCore
import Synchronization

/// The connections of a server. Members have shown a valid key or session. All others are strangers: their number is limited,
/// and they give way to newer ones, so that whoever has the key always gets in.
final class Connections: Sendable {
    private struct Stranger {
        let channel: any Channel
        /// The address of the other side.
        let client: [UInt8]
        let number: UInt64
        var isRefused = false
    }

    private struct State {
        var members: Set<ObjectIdentifier> = []
        var strangers: [ObjectIdentifier: Stranger] = [:]
        var number: UInt64 = 0

        /// The stranger that has to go first: one that was refused, then one of the client that has the most; the oldest of
        /// those. So a client with many connections does not push others out.
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

    /// Takes a new connection, as a stranger, and closes another one if there are too many.
    /// - Returns: false if there is no room.
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

    /// Takes note that a connection has shown a valid key or session.
    func trust(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { state in
            if state.strangers.removeValue(forKey: id) != nil { state.members.insert(id) }
        }
    }

    /// Takes note that a connection has been refused.
    func refuse(_ channel: any Channel) {
        state.withLock { $0.strangers[ObjectIdentifier(channel)]?.isRefused = true }
    }
}

/// Returns the address of the other side. Of IPv6 the first half, which one client has for itself.
private func client(of channel: any Channel) -> [UInt8] {
    let text = channel.remoteAddress?.ipAddress ?? ""
    var bytes = [UInt8](repeating: 0, count: 16)
    // An address of IPv4 in that of IPv6 (RFC 4291, 2.5.5.2) is in its end.
    guard !text.hasPrefix("::ffff:"), inet_pton(AF_INET6, text, &bytes) == 1 else { return Array(text.utf8) }
    return Array(bytes.prefix(8))
}
