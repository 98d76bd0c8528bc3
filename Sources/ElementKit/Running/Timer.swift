// SPDX-License-Identifier: LGPL-2.1-or-later
/// Notices when a period of stream time has passed.
package struct Timer: Sendable {
    private var next: ClockTime?

    package init() {}

    /// Returns true for the first frame, and for the first one after each further period.
    /// - Parameter period: zero means never.
    package mutating func isDue(at time: ClockTime?, every period: ClockTime) -> Bool {
        guard period > .zero, let time else {
            next = nil
            return false
        }
        if let next, time < next { return false }
        // The beat is kept if frames come a little late, and restarted after a longer gap.
        let beat = (next ?? time) + period
        next = beat > time ? beat : time + period
        return true
    }

    /// Forgets the beat: after a seek, time may have gone back.
    package mutating func reset() { next = nil }
}
