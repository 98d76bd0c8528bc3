// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// The timestamps of what is sent, which go on whatever is sent.
struct SourceOutputTimes {
    private var last: ClockTime?
    private var wasFiller: Bool?

    /// A frame that is farther from the present than its latency and this has a timestamp that cannot be right.
    private static let tolerance = 2 * ClockTime.second

    /// - Parameters:
    ///   - frame: with a time of the clock, if it has any; gets a running time.
    ///   - latency: of the camera's frames; nil for what takes their place.
    mutating func stamp(_ frame: StreamFrame, by clock: PipelineClock, latency: ClockTime?) {
        let now = clock.now
        var time = now
        if let latency, let known = frame.time.map({ clock.runningTime(at: $0) }),
            known + latency + Self.tolerance >= now, known <= now + Self.tolerance
        {
            time = known
        }
        if let last { time = max(time, last + ClockTime(nanoseconds: 1)) }
        frame.time = time
        let isFiller = latency == nil
        if isFiller != wasFiller { frame.isDiscontinuous = true }
        (last, wasFiller) = (time, isFiller)
    }
}
