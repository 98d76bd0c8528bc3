// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Converts positions in files to running times, so that the running times always increase.
struct ClipTimeline {
    /// The running time of the next frame: the end of the last frame.
    private(set) var next: ClockTime
    private var last: ClockTime?
    /// A position in the file, and its running time; nil before the first frame of a pass.
    private var anchor: (position: ClockTime, time: ClockTime)?

    init(from time: ClockTime) { next = time }

    /// Begins a pass (one playback of the file). The next frame follows the last frame without a gap, at any position.
    mutating func beginPass() { anchor = nil }

    /// Moves the next frame to a later running time. Does nothing if the last frame ends after this time.
    mutating func skip(to time: ClockTime) {
        if time > next { (next, anchor) = (time, nil) }
    }

    /// The longest interval between two frames. A longer interval in a file counts as a wrong timestamp.
    private static let longestInterval = ClockTime(nanoseconds: 10_000_000_000)

    /// Returns the running time of a frame.
    /// - Parameter position: the position in the file; nil for a frame that follows the last frame.
    mutating func place(_ position: ClockTime?, lasting duration: ClockTime) -> ClockTime {
        var time = next
        if let position {
            if let anchor, let passed = position.since(anchor.position), isPlausible(anchor.time + passed) {
                time = anchor.time + passed
            } else {
                anchor = (position, time)
            }
        } else {
            anchor = nil
        }
        (last, next) = (time, time + duration)
        return time
    }

    private func isPlausible(_ time: ClockTime) -> Bool {
        (last.map { time > $0 } ?? true) && time < next + Self.longestInterval
    }

    /// Returns the running time of a later position in the file; nil before the first frame of a pass.
    func time(of position: ClockTime) -> ClockTime? {
        anchor.flatMap { anchor in position.since(anchor.position).map { anchor.time + $0 } }
    }
}
