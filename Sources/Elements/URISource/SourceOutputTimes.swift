// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Sets the timestamps of camera frames and filler frames, so that the timestamps of the output always increase.
struct SourceOutputTimes {
    private var last: ClockTime?
    private var wasFiller: Bool?

    /// If a timestamp deviates from the current time by more than the latency plus this value, the timestamp counts as
    /// wrong. The current time then replaces the timestamp.
    private static let tolerance = 2 * ClockTime.second

    /// Sets the timestamp of a frame to a running time.
    /// - Parameters:
    ///   - frame: the frame. Before the call, `frame.time` is a time of the pipeline clock, or nil.
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
