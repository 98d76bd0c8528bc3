// SPDX-License-Identifier: LGPL-2.1-or-later
/// Detects at which frames of a stream a fixed interval has passed.
package struct Timer: Sendable {
    /// The time at which the current interval began; nil before the first frame.
    private var last: ClockTime?

    package init() {}

    /// Returns true for the first frame, and for the first frame after each further interval.
    /// - Parameters:
    ///   - time: the playback time of the stream at this frame (`FrameTime.elapsed`).
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
        // A late frame does not shift the following due times, but after a gap of two intervals or more, the due times
        // start again from the current frame.
        self.last = passed >= 2 * interval ? time : last + interval
        return true
    }

    /// Makes `isDue` return true for the next frame.
    package mutating func reset() { last = nil }
}
