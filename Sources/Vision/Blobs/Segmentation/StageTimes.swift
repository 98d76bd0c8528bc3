// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Times in nanoseconds that the stages of a search took.
package struct StageTimes: Sendable {
    /// Reducing the frame.
    var reduction = 0
    /// Finding the background, and what differs from it.
    var background = 0
    var shadows = 0
    /// Finding candidates, without shadows.
    var candidates = 0
    var closerViews = 0

    /// The current time of a clock that only goes forward.
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
