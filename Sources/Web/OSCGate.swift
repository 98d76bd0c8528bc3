// SPDX-License-Identifier: LGPL-2.1-or-later

/// Reads OSC packets, checks the key of the messages, and limits the rate of the messages (see `TokenBucket`).
///
/// The sender's address can be forged, so the gate does not use it. Only messages with a valid key count towards the
/// rate limit. So senders without the key cannot block senders with the key.
package struct OSCGate: Sendable {
    private let key: [UInt8]?
    private var bucket: TokenBucket

    /// The result for a message, or for a malformed packet.
    package enum Verdict: Sendable, Equatable {
        /// The message is allowed. The key has been removed from its address.
        case accepted(OSCMessage)
        case malformed(OSCFault)
        case wrongKey
        case tooMany
    }

    /// - Parameters:
    ///   - key: the first part of each address; nil if addresses contain no key.
    ///   - rate: the maximum average number of messages per second.
    ///   - burst: the maximum number of messages in a short time.
    ///   - time: the current time in nanoseconds.
    package init(key: String?, rate: Double, burst: Double, at time: UInt64) {
        self.key = key.map { Array($0.utf8) }
        bucket = TokenBucket(rate: rate, size: burst, at: time)
    }

    /// Reads a packet.
    /// - Parameter time: the current time in nanoseconds.
    /// - Returns: the results in the order of the packet. If a part of a packet is malformed, the result is
    ///   `malformed` for the whole packet. If a key is missing or wrong, the result is `wrongKey` for the whole packet.
    package mutating func verdicts(on packet: [UInt8], at time: UInt64) -> [Verdict] {
        do throws(OSCFault) {
            return try OSCMessage.all(in: packet, key: key).map { bucket.take(at: time) ? .accepted($0) : .tooMany }
        } catch {
            return [error == .wrongKey ? .wrongKey : .malformed(error)]
        }
    }
}
