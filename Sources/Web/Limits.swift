// SPDX-License-Identifier: LGPL-2.1-or-later
import NIOCore

/// What clients may take up. Sizes are in bytes, times in seconds.
package struct WebLimits: Sendable {
    package var pages = 100
    package var connections = 256
    /// Of these, the ones without a valid key or session. The rest is kept for those with one.
    package var strangers = 128
    /// Of a message of a page.
    package var message = 64 << 10
    /// Of a page's messages in a second, after `burst` at once.
    package var messageRate = 500.0
    package var burst = 1000.0
    /// Of what waits to be sent to a page.
    package var backlog = 8 << 20
    package var upload = 200 << 20
    /// Of all uploads together, those in progress included.
    package var uploads = 1 << 30
    /// The number of uploads.
    package var uploadCount = 10_000
    /// Until a request's head is there, until its body goes on, until a reply is taken.
    package var patience = 20.0
    /// Between requests on a connection.
    package var rest = 75.0
    package var pingInterval = 20.0
    package var wrongKeys = WrongKeyLimits()

    package init() {}
}

/// How long the answers to wrong keys take.
package struct WrongKeyLimits: Sendable {
    let free: Int
    let step, longest, forgotten: Double

    /// - Parameters:
    ///   - free: the number of wrong keys that are answered at once.
    ///   - step: the seconds by which each further one increases the delay.
    ///   - longest: the longest delay, in seconds.
    ///   - forgotten: the number of wrong keys that are forgotten in a second.
    package init(free: Int = 10, step: Double = 0.1, longest: Double = 10, forgotten: Double = 0.2) {
        (self.free, self.step, self.longest, self.forgotten) = (free, step, longest, forgotten)
    }
}

/// Counts wrong keys, whichever connections they come by.
struct WrongKeys {
    private let limits: WrongKeyLimits
    private var count = 0.0
    private var time = NIODeadline.now()

    init(_ limits: WrongKeyLimits) { self.limits = limits }

    /// Counts a wrong key.
    /// - Returns: the seconds until it is to be answered.
    mutating func add() -> Double {
        let now = NIODeadline.now()
        let forgotten = Double((now - time).nanoseconds) * 1e-9 * limits.forgotten
        time = now
        // An attack that has ended is forgotten some time later, however long it was.
        let most = Double(limits.free) + 2 * limits.longest / limits.step
        count = min(max(0, count - forgotten) + 1, most)
        return min(max(0, count - Double(limits.free)) * limits.step, limits.longest)
    }
}

/// A rate that may be exceeded for a while: tokens come evenly, and each event takes one.
struct TokenBucket {
    private let (rate, size): (Double, Double)
    private var tokens: Double
    private var time = NIODeadline.now()

    /// - Parameters:
    ///   - rate: tokens a second.
    ///   - size: the most tokens, and their number at first.
    init(rate: Double, size: Double) {
        (self.rate, self.size, tokens) = (rate, size, size)
    }

    /// Takes a token; returns false if there is none.
    mutating func take() -> Bool {
        let now = NIODeadline.now()
        tokens = min(size, tokens + Double((now - time).nanoseconds) * 1e-9 * rate)
        time = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}

extension TimeAmount {
    init(seconds: Double) { self = .nanoseconds(Int64(max(0, min(seconds, 1e6)) * 1e9)) }
}
