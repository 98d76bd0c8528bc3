// SPDX-License-Identifier: LGPL-2.1-or-later

/// The state of a stream in status messages.
package enum StreamState: String, Sendable {
    /// Frames arrive.
    case playing
    /// No frame has arrived for longer than the limit.
    case stalled
    /// The stream has ended, or was stopped while frames were arriving.
    case stopped
    /// An error has ended the stream, or the stream was stopped while stalled.
    case failed
    /// The connection is lost. The broker publishes this state in place of the stream.
    case lost
}

/// Derives the state of a stream from the arrival times of its frames. Times are in milliseconds of any monotonic
/// clock.
struct StreamProgress: Sendable {
    private(set) var frames: UInt64 = 0
    private(set) var lastFrame: UInt64?
    /// The frame interval from the stream's frame rate, in milliseconds; 0 if unknown.
    private var statedInterval = 0.0
    /// Longer intervals between frames count as this interval, in milliseconds (about one year).
    private static let longest = 3.2e10
    /// The mean interval between the last frames, in milliseconds. The mean may be longer than `statedInterval`.
    private var meanInterval = 0.0
    /// The start of the stream, or the end of the last pause. The time without frames is counted from here at the
    /// earliest.
    private var beginning: UInt64
    /// True while the receiver of the frames works on a frame.
    private var isHeld = false
    private var hasEnded = false
    private var errorTime: UInt64?
    /// The state when the stream was stopped, which then stays constant; nil before the stop.
    private var final: StreamState?

    init(at time: UInt64) { beginning = time }

    /// The maximum time without a frame before the stream counts as stalled: three frame intervals, and at least 2000
    /// ms.
    private var limit: UInt64 {
        max(2000, UInt64(3 * max(statedInterval, meanInterval)))
    }

    /// Notes the arrival of a frame.
    /// - Parameter rate: the frame rate of the stream, in frames per second; nil if unknown.
    mutating func addFrame(at time: UInt64, rate: Double?) {
        statedInterval = rate.map { $0 > 0 ? min(1000 / $0, Self.longest) : 0 } ?? 0
        if let lastFrame {
            let interval = min(Double(time - min(time, max(lastFrame, beginning))), Self.longest)
            // Limits the influence of one long gap, so that the stream can still detect the next gap.
            meanInterval = frames == 1 ? interval : meanInterval + (min(interval, Double(limit)) - meanInterval) / 8
        }
        frames &+= 1
        lastFrame = time
        (isHeld, hasEnded) = (true, false)
    }

    /// Notes that the receiver is ready for the next frame.
    mutating func releaseFrame(at time: UInt64) {
        lastFrame = time
        isHeld = false
    }

    /// Notes that the stream expects no frames at the moment. A stalled stream stays stalled until the next frame.
    mutating func pause(at time: UInt64) {
        if frames > 0, state(at: time) != .stalled { beginning = time }
    }

    /// Notes the end of the stream.
    mutating func end() { hasEnded = true }

    /// Notes that an element of the pipeline has posted an error.
    mutating func fail(at time: UInt64) { errorTime = time }

    /// Notes that the user has stopped the stream.
    mutating func stop(at time: UInt64) {
        guard final == nil else { return }
        switch state(at: time) {
        case .playing, .stopped: final = .stopped
        case .stalled, .failed, .lost: final = .failed
        }
    }

    func state(at time: UInt64) -> StreamState {
        if let final { return final }
        // Frames in transit still arrive after an error. If frames continue to arrive, the error did not end the
        // stream.
        if let errorTime, (lastFrame ?? 0) <= errorTime &+ limit { return .failed }
        if hasEnded { return .stopped }
        guard !isHeld else { return .playing }
        let start = max(lastFrame ?? 0, beginning)
        return time > start &+ limit ? .stalled : .playing
    }

    /// Returns the time since the last frame, in milliseconds; nil before the first frame.
    func frameAge(at time: UInt64) -> UInt64? { lastFrame.map { time - min(time, $0) } }
}
