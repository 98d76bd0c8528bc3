// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// The times of a frame.
package struct FrameTime: Sendable {
    /// The timestamp of the buffer.
    package let timestamp: ClockTime?
    /// The stream time: the position in the stream that a player displays.
    package let streamTime: ClockTime?
    /// The running time: the playback time of the pipeline, without pauses.
    package let runningTime: ClockTime?
    /// The position in the stream: `streamTime`, or one frame interval after the previous frame if there is no
    /// timestamp. A seek changes the position.
    package fileprivate(set) var position: ClockTime
    /// The playback time of the stream. It starts at zero and never decreases, even if the timestamps go back.
    package fileprivate(set) var elapsed: ClockTime

    /// Reads the timestamp of a buffer, and converts the timestamp to the stream time and the running time.
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

/// Computes the times of a stream's frames. docs/time.md describes the rules.
struct StreamClock: Sendable {
    private var elapsed = ElapsedTime()
    private var position = StreamPosition()

    /// Returns the times of the next frame.
    /// - Parameter rate: the frame rate, in frames per second; nil if unknown.
    mutating func time(
        of buffer: UnsafeMutablePointer<GstBuffer>, in segment: GstSegment, rate: Double?
    ) -> FrameTime {
        var time = FrameTime(buffer, segment: segment)
        // If the format of the segment is not time, frames have no stream time and no running time. So use the
        // timestamp instead.
        let isTimed = segment.format == GST_FORMAT_TIME
        time.elapsed = elapsed.advance(to: isTimed ? time.runningTime : time.timestamp, rate: rate)
        time.position = position.advance(
            to: isTimed ? time.streamTime : time.timestamp, from: isTimed ? ClockTime(segment.time) : nil, rate: rate)
        return time
    }

    /// Handles a flush or a new segment. The next timestamp may have any value.
    mutating func interrupt() {
        elapsed.interrupt()
        position = StreamPosition()
    }
}

private struct StreamPosition: Sendable {
    /// The position of the last frame with a timestamp.
    private var position: ClockTime?
    private var frames = FrameCount()

    /// - Parameter start: the start position of a stream without timestamps.
    mutating func advance(to stated: ClockTime?, from start: ClockTime?, rate: Double?) -> ClockTime {
        if stated != nil || position == nil {
            position = stated ?? start ?? .zero
            frames = FrameCount()
        } else {
            frames.add(rate: rate)
        }
        return (position ?? .zero) + frames.duration
    }
}

/// The playback time, updated with each frame.
struct ElapsedTime: Sendable {
    /// The frame from which the elapsed time is measured: its timestamp, and the elapsed time at this frame.
    private var origin: (timestamp: ClockTime?, elapsed: ClockTime)?
    /// The total duration of the frames without a timestamp since the frame of `origin`.
    private var frames = FrameCount()
    private var elapsed = ClockTime.zero
    private var isInterrupted = false

    /// If a timestamp is earlier than the last timestamp by at most this time, the frames are out of order. If the
    /// timestamp is earlier by more than this time, the timestamps have restarted.
    private static let disorder = ClockTime.second

    /// Advances to the next frame.
    /// - Parameters:
    ///   - timestamp: the running time of the frame; nil if unknown.
    ///   - rate: the frame rate, in frames per second; nil if unknown.
    /// - Returns: the time since the first frame. This time never decreases.
    mutating func advance(to timestamp: ClockTime?, rate: Double?) -> ClockTime {
        defer { isInterrupted = false }
        guard let origin else {
            origin = (timestamp, elapsed)
            return elapsed
        }
        if let timestamp, let last = origin.timestamp, let passed = timestamp.since(last), passed > .zero {
            // Use the timestamp even if the time that was computed from the frame rate is already greater. Otherwise,
            // the errors of the computed time would add up.
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

    /// Returns true if the timestamps start or restart with this timestamp.
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

/// The total duration of frames without timestamps.
private struct FrameCount: Sendable {
    private var nanoseconds = 0.0
    /// The frame rate to assume if the stream has no frame rate, in frames per second.
    private static let usualRate = 30.0

    var duration: ClockTime { ClockTime(nearest: nanoseconds) }

    mutating func add(rate: Double?) { nanoseconds += Double(ClockTime.second.nanoseconds) / (rate ?? Self.usualRate) }
}
