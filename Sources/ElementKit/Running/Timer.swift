// SPDX-License-Identifier: LGPL-2.1-or-later
/// Detects the end of each interval in a stream.
package struct Timer: Sendable {
    /// The time at which the current interval began; nil before the first frame.
    private var last: ClockTime?

    package init() {}

    /// Returns true for the first frame, and for the first frame after each further interval.
    /// - Parameters:
    ///   - time: the frame's `elapsed`.
    ///   - interval: the interval; zero means never.
    package mutating func isDue(at time: ClockTime, every interval: ClockTime) -> Bool {
        guard interval > .zero else {
            last = nil
            return false
        }
        guard let last, let passed = time.since(last) else {
            last = time
            return true
        }
        guard passed >= interval else { return false }
        // A late frame does not shift the following due times, but a gap of two intervals or more restarts them.
        self.last = passed >= 2 * interval ? time : last + interval
        return true
    }

    /// Makes the next frame due.
    package mutating func reset() { last = nil }
}
