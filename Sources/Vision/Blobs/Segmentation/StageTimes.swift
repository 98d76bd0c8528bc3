// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Durations of the stages of a search, in nanoseconds.
package struct StageTimes: Sendable {
    /// Reduction of the frame's size.
    var reduction = 0
    /// Estimation of the background, and comparison with the frame.
    var background = 0
    var shadows = 0
    /// Search for candidates, without the search for shadows.
    var candidates = 0
    var closerViews = 0

    /// The current time of the monotonic clock, in nanoseconds.
    static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
    }
}

extension StageTimes: CustomStringConvertible {
    package var description: String {
        [
            ("reduction", reduction), ("background", background), ("shadows", shadows), ("candidates", candidates),
            ("closer views", closerViews),
        ].map { "\($0) \($1 / 1000) µs" }.joined(separator: ", ")
    }
}
