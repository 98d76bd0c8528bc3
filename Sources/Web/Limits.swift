// SPDX-License-Identifier: LGPL-2.1-or-later
import NIOCore

/// Limits for clients. Sizes are in bytes, and times are in seconds.
package struct WebLimits: Sendable {
    package var pages = 100
    package var connections = 256
    /// Maximum number of connections without a valid key or session. The remaining connections, up to `connections`,
    /// are reserved for clients with a valid key or session.
    package var strangers = 128
    /// Maximum size of a message from a page.
    package var message = 64 << 10
    /// Maximum average number of messages per second from a page. For a short time, a page may send up to `burst`
    /// messages without this limit.
    package var messageRate = 500.0
    package var burst = 1000.0
    /// Maximum number of bytes that wait to be sent to a page. If more bytes wait, the server closes the connection.
    package var backlog = 8 << 20
    package var upload = 200 << 20
    /// Maximum size of all uploads together, including unfinished uploads.
    package var uploads = 1 << 30
    /// Maximum number of uploads.
    package var uploadCount = 10_000
    /// Maximum time for each step: receiving the head of a request, receiving the next part of the request's body, and
    /// sending a reply.
    package var patience = 20.0
    /// Maximum time between two requests of a connection. If no further request arrives within this time, the server
    /// closes the connection.
    package var keepAlive = 75.0
    package var pingInterval = 20.0
    package var wrongKeys = WrongKeyLimits()

    package init() {}
}

/// Limits for the delay of answers to wrong keys.
package struct WrongKeyLimits: Sendable {
    let free: Int
    let step, longest, forgotten: Double

    /// Creates the limits.
    /// - Parameters:
    ///   - free: the number of wrong keys that are answered without a delay.
    ///   - step: the increase of the delay for each further wrong key, in seconds.
    ///   - longest: the maximum delay, in seconds.
    ///   - forgotten: how much the count of wrong keys decreases per second.
    package init(free: Int = 10, step: Double = 0.1, longest: Double = 10, forgotten: Double = 0.2) {
        (self.free, self.step, self.longest, self.forgotten) = (free, step, longest, forgotten)
    }
}

/// Counts the wrong keys of all connections together.
struct WrongKeys {
    private let limits: WrongKeyLimits
    private var count = 0.0
    private var time = NIODeadline.now()

    init(_ limits: WrongKeyLimits) { self.limits = limits }

    /// Counts a wrong key.
    /// - Returns: the delay of the answer, in seconds.
    mutating func add() -> Double {
        let now = NIODeadline.now()
        let forgotten = Double((now - time).nanoseconds) * 1e-9 * limits.forgotten
        time = now
        // Limit the count of wrong keys. So the count falls to `free` within a fixed time after the last wrong key,
        // even after a long attack. After this time, wrong keys are answered without a delay again.
        let maximum = Double(limits.free) + 2 * limits.longest / limits.step
        count = min(max(0, count - forgotten) + 1, maximum)
        return min(max(0, count - Double(limits.free)) * limits.step, limits.longest)
    }
}

/// A token bucket, which limits the average rate of events but allows short bursts. Each event takes a token, and new
/// tokens come at a constant rate. Times are in nanoseconds since any fixed point in time.
struct TokenBucket: Sendable {
    private let (rate, size): (Double, Double)
    private var tokens: Double
    private var time: UInt64

    /// - Parameters:
    ///   - rate: the number of new tokens per second.
    ///   - size: the maximum and initial number of tokens.
    init(rate: Double, size: Double, at time: UInt64 = NIODeadline.now().uptimeNanoseconds) {
        (self.rate, self.size, tokens, self.time) = (rate, size, size, time)
    }

    /// Takes a token. Returns false if there is no token.
    mutating func take(at now: UInt64 = NIODeadline.now().uptimeNanoseconds) -> Bool {
        if now > time {
            tokens = min(size, tokens + Double(now - time) * 1e-9 * rate)
            time = now
        }
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}

extension TimeAmount {
    init(seconds: Double) { self = .nanoseconds(Int64(max(0, min(seconds, 1e6)) * 1e9)) }
}
