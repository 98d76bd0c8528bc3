// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Measures how many frames arrive per second.
struct FrameRateMeter {
    /// The time over which the rate is measured; longer if fewer than two frames arrive in it.
    private static let span = ClockTime.second
    /// The time for which a text stays, so that it can be read.
    private static let pause = ClockTime.second / 4
    /// The number of arrivals kept at most: at higher rates the span is shorter.
    private static let limit = 512

    /// The times of arrivals, in order.
    private var arrivals: [ClockTime] = []
    private var lastText: ClockTime?
    /// The text to show; nil before the second frame.
    private(set) var text: String?

    /// Counts a frame.
    /// - Parameter time: by a clock that does not go back.
    mutating func frame(at time: ClockTime) {
        arrivals.append(time)
        let old = arrivals.prefix { $0 + Self.span < time }.count
        arrivals.removeFirst(min(max(old, arrivals.count - Self.limit), max(0, arrivals.count - 2)))
        guard let first = arrivals.first, let passed = time.since(first), passed > .zero else { return }
        if let lastText, time < lastText + Self.pause { return }
        lastText = time
        text = Self.text(Double(arrivals.count - 1) / passed.seconds)
    }

    /// Returns the rate with one decimal.
    private static func text(_ rate: Double) -> String {
        let tenths = Int64(min(rate, 1e9) * 10 + 0.5)
        return "\(tenths / 10).\(tenths % 10) fps"
    }
}
