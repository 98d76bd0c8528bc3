import ElementKit

/// Tells once that nobody upstream looks for what an element works on.
struct UpstreamWatch {
    private var start: UInt64?
    private var isDone = false

    /// After a seek: time begins anew, what was seen or told counts on.
    mutating func restart() { start = nil }

    /// True for one frame, after two seconds of stream without a sign of a detector.
    mutating func isMissing(_ hasDetector: Bool, at time: UInt64?) -> Bool {
        guard !isDone, let time else { return false }
        if hasDetector {
            isDone = true
            return false
        }
        let begin = start ?? time
        start = begin
        guard time >= begin, time - begin >= 2 * ClockTime.second else { return false }
        isDone = true
        return true
    }
}
