// SPDX-License-Identifier: LGPL-2.1-or-later
/// Notices when an interval of a stream has passed.
package struct Timer: Sendable {
    /// The time at which it was due last.
    private var last: ClockTime?

    package init() {}

    /// Returns true for the first frame, and for the first one after each further interval.
    /// - Parameters:
    ///   - time: the frame's `elapsed`.
    ///   - interval: zero means never.
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
        // Frames that come a little late do not shift those after them; a gap does.
        self.last = passed >= 2 * interval ? time : last + interval
        return true
    }

    /// Makes the next frame due.
    package mutating func reset() { last = nil }
}
