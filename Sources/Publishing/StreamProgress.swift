// SPDX-License-Identifier: LGPL-2.1-or-later

/// What a stream does, as the notes about it say.
package enum StreamState: String, Sendable {
    /// Frames come.
    case playing
    /// No frame has come for too long.
    case stalled
    /// The stream has ended, or was stopped while frames came.
    case stopped
    /// An error ended the stream, or it was stopped while it was stalled.
    case failed
    /// The connection was lost. The broker says so, in the stream's place.
    case lost
}

/// What is known of a stream's frames, and the state that follows from it. Times are milliseconds of any clock that never goes
/// back.
struct StreamProgress: Sendable {
    private(set) var frames: UInt64 = 0
    private(set) var lastFrame: UInt64?
    /// The frame interval that the stream states; 0 if it states none.
    private var statedInterval = 0.0
    /// A year: the longest interval that counts.
    private static let longest = 3.2e10
    /// The mean interval at which the last frames came, which may be longer.
    private var meanInterval = 0.0
    /// The start of the stream, or the end of the last pause: time without frames counts from then at the earliest.
    private var beginning: UInt64
    /// True while the receiver of the frames works on one.
    private var isHeld = false
    private var hasEnded = false
    private var errorTime: UInt64?
    /// The state at the stop, which does not change any more.
    private var final: StreamState?

    init(at time: UInt64) { beginning = time }

    /// The time without a frame after which the stream is stalled: three frame intervals, and at least two seconds.
    private var limit: UInt64 {
        max(2000, UInt64(3 * max(statedInterval, meanInterval)))
    }

    /// Notes that a frame has come.
    /// - Parameter rate: frames a second, as the stream states; nil if it states no rate.
    mutating func addFrame(at time: UInt64, rate: Double?) {
        statedInterval = rate.map { $0 > 0 ? min(1000 / $0, Self.longest) : 0 } ?? 0
        if let lastFrame {
            let interval = min(Double(time - min(time, max(lastFrame, beginning))), Self.longest)
            // One long gap is not to hide the next.
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

    /// Notes that no frames are expected at the moment. A stream that is stalled stays so until the next frame.
    mutating func pause(at time: UInt64) {
        if frames > 0, state(at: time) != .stalled { beginning = time }
    }

    /// Notes the end of the stream.
    mutating func end() { hasEnded = true }

    /// Notes that an element of the pipeline has posted an error.
    mutating func fail(at time: UInt64) { errorTime = time }

    /// Notes that the stream is stopped.
    mutating func stop(at time: UInt64) {
        guard final == nil else { return }
        switch state(at: time) {
        case .playing, .stopped: final = .stopped
        case .stalled, .failed, .lost: final = .failed
        }
    }

    func state(at time: UInt64) -> StreamState {
        if let final { return final }
        // Frames that were on their way still come after an error. Frames that go on coming show that it did not matter.
        if let errorTime, (lastFrame ?? 0) <= errorTime &+ limit { return .failed }
        if hasEnded { return .stopped }
        guard !isHeld else { return .playing }
        let start = max(lastFrame ?? 0, beginning)
        return time > start &+ limit ? .stalled : .playing
    }

    /// Milliseconds since the last frame; nil before the first one.
    func frameAge(at time: UInt64) -> UInt64? { lastFrame.map { time - min(time, $0) } }
}
