// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Sets the timestamps of camera frames and filler frames, so that they always increase.
struct SourceOutputTimes {
    private var last: ClockTime?
    private var wasFiller: Bool?

    /// Maximum deviation of a timestamp from the current time, in addition to the latency. Timestamps with a larger
    /// deviation are wrong, so the current time replaces them.
    private static let tolerance = 2 * ClockTime.second

    /// Sets the timestamp of a frame to a running time.
    /// - Parameters:
    ///   - frame: the frame. On entry, its time is a time of the pipeline clock, or nil.
    ///   - latency: the latency of camera frames; nil for filler frames.
    mutating func stamp(_ frame: StreamFrame, by clock: PipelineClock, latency: ClockTime?) {
        let now = clock.now
        var time = now
        if let latency, let runningTime = frame.time.map({ clock.runningTime(at: $0) }),
            runningTime + latency + Self.tolerance >= now, runningTime <= now + Self.tolerance
        {
            time = runningTime
        }
        if let last { time = max(time, last + ClockTime(nanoseconds: 1)) }
        frame.time = time
        let isFiller = latency == nil
        if isFiller != wasFiller { frame.isDiscontinuous = true }
        (last, wasFiller) = (time, isFiller)
    }
}
