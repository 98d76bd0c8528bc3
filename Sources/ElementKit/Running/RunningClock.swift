// SPDX-License-Identifier: LGPL-2.1-or-later
/// The time for which something has been playing: running time from its first frame on.
package struct RunningClock: Sendable {
    /// The time in seconds since the first frame.
    package private(set) var time = 0.0
    /// The running time of the last frame that had one.
    private var last: ClockTime?
    private var hasBegun = false

    package init() {}

    /// Advances to the next frame. After a seek, running time may start again; this time does not.
    /// - Parameter rate: frames a second, for frames without a time; 30 if it is not known.
    package mutating func advance(to runningTime: ClockTime?, rate: Double?) {
        if let runningTime {
            if let last, let passed = runningTime.since(last) { time += passed.seconds }
        } else if hasBegun {
            time += 1 / (rate ?? 30)
        }
        last = runningTime
        hasBegun = true
    }
}
