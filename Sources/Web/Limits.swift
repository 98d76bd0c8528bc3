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
    /// Wrong keys a second that are refused at once, after `wrongKeyBurst`; others wait for a second.
    package var wrongKeyRate = 20.0
    package var wrongKeyBurst = 1000.0

    package init() {}
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
