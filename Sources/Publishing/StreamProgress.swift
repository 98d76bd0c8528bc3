// SPDX-License-Identifier: LGPL-2.1-or-later

/// The state of a stream in status messages.
package enum StreamState: String, Sendable {
    case playing
    /// No frame has arrived for more than `StreamProgress.limit` milliseconds.
    case stalled
    /// The stream has ended, or the user stopped it while frames were arriving.
    case stopped
    /// An error has ended the stream, or the user stopped the stream while it was stalled.
    case failed
    /// The publisher has lost its connection to the broker. The broker publishes this state as the publisher's MQTT
    /// will.
    case lost
}

/// Computes the state of a stream from the arrival times of its frames. Times are in milliseconds of a monotonic clock.
struct StreamProgress: Sendable {
    private(set) var frames: UInt64 = 0
    private(set) var lastFrame: UInt64?
    /// The frame interval that results from the stream's frame rate, in milliseconds; 0 if the frame rate is not known.
    private var statedInterval = 0.0
    /// Maximum interval between frames, in milliseconds (about one year). A longer interval is replaced by this
    /// maximum.
    private static let longest = 3.2e10
    /// The mean interval between the last frames, in milliseconds. The mean interval may be longer than
    /// `statedInterval`.
    private var meanInterval = 0.0
    /// The start of the stream, or the end of the last pause. If no frame has arrived after this time, the time without
    /// a frame begins here.
    private var beginning: UInt64
    /// True from `addFrame` to `releaseFrame`. The stream is not stalled while svpublish works on a frame.
    private var isHeld = false
    private var hasEnded = false
    private var errorTime: UInt64?
    /// The state when the user stopped the stream; nil before that. This state does not change later.
    private var final: StreamState?

    init(at time: UInt64) { beginning = time }

    /// The maximum time without a frame: three frame intervals, but at least 2000 ms. After a longer time, the stream
    /// is stalled.
    private var limit: UInt64 {
        max(2000, UInt64(3 * max(statedInterval, meanInterval)))
    }

    /// Records that a frame has arrived.
    /// - Parameter rate: the frame rate of the stream, in frames per second; nil if it is not known.
    mutating func addFrame(at time: UInt64, rate: Double?) {
        statedInterval = rate.map { $0 > 0 ? min(1000 / $0, Self.longest) : 0 } ?? 0
        if let lastFrame {
            let interval = min(Double(time - min(time, max(lastFrame, beginning))), Self.longest)
            // Limit the effect of a long interval on the mean. Otherwise, `limit` would be too long to detect the next
            // long interval.
            meanInterval = frames == 1 ? interval : meanInterval + (min(interval, Double(limit)) - meanInterval) / 8
        }
        frames &+= 1
        lastFrame = time
        (isHeld, hasEnded) = (true, false)
    }

    /// Records that svpublish is ready for the next frame.
    mutating func releaseFrame(at time: UInt64) {
        lastFrame = time
        isHeld = false
    }

    /// Records that the stream is paused, so no frames are expected. A stalled stream stays stalled until the next
    /// frame.
    mutating func pause(at time: UInt64) {
        if frames > 0, state(at: time) != .stalled { beginning = time }
    }

    mutating func end() { hasEnded = true }

    mutating func fail(at time: UInt64) { errorTime = time }

    mutating func stop(at time: UInt64) {
        guard final == nil else { return }
        switch state(at: time) {
        case .playing, .stopped: final = .stopped
        case .stalled, .failed, .lost: final = .failed
        }
    }

    func state(at time: UInt64) -> StreamState {
        if let final { return final }
        // A few frames may still arrive after an error. But if frames arrive for longer than `limit`, the error did not
        // end the stream.
        if let errorTime, (lastFrame ?? 0) <= errorTime &+ limit { return .failed }
        if hasEnded { return .stopped }
        guard !isHeld else { return .playing }
        let start = max(lastFrame ?? 0, beginning)
        return time > start &+ limit ? .stalled : .playing
    }

    /// Returns the time since the last frame, in milliseconds. Returns nil before the first frame.
    func frameAge(at time: UInt64) -> UInt64? { lastFrame.map { time - min(time, $0) } }
}
