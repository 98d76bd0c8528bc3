// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Measures how many frames arrive per second.
struct FrameRateMeter {
    /// The frame rate is measured over the frames that have arrived within this time, but over at least two frames.
    private static let span = ClockTime.second
    /// Minimum time between two changes of the displayed frame rate, so that people can read the text.
    private static let pause = ClockTime.second / 4
    /// Maximum number of stored arrival times. If more frames arrive per second, the measurement covers less than one
    /// second.
    private static let limit = 512

    /// The arrival times of frames, in ascending order.
    private var arrivals: [ClockTime] = []
    private var lastText: ClockTime?
    /// The frame rate as text; nil before the second frame.
    private(set) var text: String?

    /// Records the arrival of a frame.
    /// - Parameter time: the arrival time, from a monotonic clock.
    mutating func frame(at time: ClockTime) {
        arrivals.append(time)
        let old = arrivals.prefix { $0 + Self.span < time }.count
        arrivals.removeFirst(min(max(old, arrivals.count - Self.limit), max(0, arrivals.count - 2)))
        guard let first = arrivals.first, let passed = time.since(first), passed > .zero else { return }
        if let lastText, time < lastText + Self.pause { return }
        lastText = time
        text = Self.text(Double(arrivals.count - 1) / passed.seconds)
    }

    /// Returns the rate as text with one decimal.
    private static func text(_ rate: Double) -> String {
        let tenths = Int64(min(rate, 1e9) * 10 + 0.5)
        return "\(tenths / 10).\(tenths % 10) fps"
    }
}
