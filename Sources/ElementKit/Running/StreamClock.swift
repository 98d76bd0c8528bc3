// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// The times of a frame.
package struct FrameTime: Sendable {
    /// The buffer's own timestamp.
    package let timestamp: ClockTime?
    /// The position in the stream, as a player's clock shows it.
    package let streamTime: ClockTime?
    /// The time since the pipeline began to play.
    package let runningTime: ClockTime?
    /// The position in the stream: `streamTime` or, without a timestamp, one frame after the previous frame. A seek changes it.
    package fileprivate(set) var position: ClockTime
    /// The time for which the stream has played: it starts at zero and never goes back, whatever the timestamps are.
    package fileprivate(set) var elapsed: ClockTime

    /// Reads the times that a buffer states.
    init(_ buffer: UnsafeMutablePointer<GstBuffer>?, segment: GstSegment) {
        let pts = buffer?.pointee.pts ?? .max
        timestamp = ClockTime(pts)
        if timestamp != nil, segment.format == GST_FORMAT_TIME {
            (streamTime, runningTime) = withUnsafePointer(to: segment) { segment in
                (
                    ClockTime(gst_segment_to_stream_time(segment, GST_FORMAT_TIME, pts)),
                    ClockTime(gst_segment_to_running_time(segment, GST_FORMAT_TIME, pts))
                )
            }
        } else {
            (streamTime, runningTime) = (nil, nil)
        }
        (position, elapsed) = (streamTime ?? .zero, runningTime ?? .zero)
    }
}

/// Counts the time of a stream for everything that depends on time. docs/time.md describes the rules.
struct StreamClock: Sendable {
    private var elapsed = ElapsedTime()
    private var position = StreamPosition()

    /// Returns the times of the next frame.
    /// - Parameter rate: frames a second; nil if it is not known.
    mutating func time(
        of buffer: UnsafeMutablePointer<GstBuffer>, in segment: GstSegment, rate: Double?
    ) -> FrameTime {
        var time = FrameTime(buffer, segment: segment)
        // Other segments know no time but the timestamps.
        let isTimed = segment.format == GST_FORMAT_TIME
        time.elapsed = elapsed.advance(to: isTimed ? time.runningTime : time.timestamp, rate: rate)
        time.position = position.advance(
            to: isTimed ? time.streamTime : time.timestamp, from: isTimed ? ClockTime(segment.time) : nil, rate: rate)
        return time
    }

    /// Takes note of a flush or a new segment: the next timestamp may be anywhere.
    mutating func interrupt() {
        elapsed.interrupt()
        position = StreamPosition()
    }
}

/// The position in a stream.
private struct StreamPosition: Sendable {
    /// The position of the last frame with a timestamp.
    private var known: ClockTime?
    private var frames = FrameCount()

    /// - Parameter start: the position at which a stream without timestamps starts.
    mutating func advance(to stated: ClockTime?, from start: ClockTime?, rate: Double?) -> ClockTime {
        if stated != nil || known == nil {
            known = stated ?? start ?? .zero
            frames = FrameCount()
        } else {
            frames.add(rate: rate)
        }
        return (known ?? .zero) + frames.duration
    }
}

/// The time for which something has played, frame by frame.
struct ElapsedTime: Sendable {
    /// The last frame from which time is counted, and the time that had elapsed then.
    private var origin: (timestamp: ClockTime?, elapsed: ClockTime)?
    /// The frames since then that had no later timestamp.
    private var frames = FrameCount()
    private var elapsed = ClockTime.zero
    private var isInterrupted = false

    /// A timestamp that is earlier by up to this much belongs to frames out of order; by more, the timestamps have started
    /// again.
    private static let disorder = ClockTime.second

    /// Advances to the next frame.
    /// - Parameters:
    ///   - timestamp: the frame's running time, if known.
    ///   - rate: frames a second; nil if it is not known.
    /// - Returns: the time that has elapsed since the first frame; never less than before.
    mutating func advance(to timestamp: ClockTime?, rate: Double?) -> ClockTime {
        defer { isInterrupted = false }
        guard let origin else {
            origin = (timestamp, elapsed)
            return elapsed
        }
        if let timestamp, let last = origin.timestamp, let passed = timestamp.since(last), passed > .zero {
            // Even if the frames in between were counted too fast: otherwise their error would add up.
            count(from: timestamp, origin.elapsed + passed)
        } else if let timestamp, isInterrupted {
            count(from: timestamp, elapsed)
        } else {
            frames.add(rate: rate)
            elapsed = max(elapsed, origin.elapsed + frames.duration)
            if let timestamp, Self.starts(timestamp, after: origin.timestamp) { count(from: timestamp, elapsed) }
        }
        return elapsed
    }

    /// Returns whether timestamps start, or start again, with this one.
    private static func starts(_ timestamp: ClockTime, after last: ClockTime?) -> Bool {
        guard let last else { return true }
        return last.since(timestamp).map { $0 > disorder } ?? false
    }

    private mutating func count(from timestamp: ClockTime, _ time: ClockTime) {
        (origin, frames) = ((timestamp, time), FrameCount())
        elapsed = max(elapsed, time)
    }

    mutating func interrupt() { isInterrupted = true }
}

/// The duration of frames that are counted because they have no timestamps.
private struct FrameCount: Sendable {
    private var nanoseconds = 0.0
    /// The rate of streams that state none, in frames a second.
    private static let usualRate = 30.0

    var duration: ClockTime { ClockTime(nearest: nanoseconds) }

    mutating func add(rate: Double?) { nanoseconds += Double(ClockTime.second.nanoseconds) / (rate ?? Self.usualRate) }
}
