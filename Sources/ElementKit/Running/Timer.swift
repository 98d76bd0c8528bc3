import CGStreamer

/// Returns microseconds of a clock that never goes back.
package func monotonicTime() -> Int64 { Int64(g_get_monotonic_time()) }

/// Tells when a period of stream time has passed.
package struct Timer: Sendable {
    private var next: UInt64?

    package init() {}

    /// Returns true for the first frame, and for the first one after each further period.
    /// - Parameter period: in nanoseconds; 0 means never.
    package mutating func isDue(at time: UInt64?, every period: UInt64) -> Bool {
        guard period > 0, let time else {
            next = nil
            return false
        }
        if let next, time < next { return false }
        // The beat is kept if frames come a little late, and restarted after a longer gap.
        let (beat, overflow) = (next ?? time).addingReportingOverflow(period)
        let (later, late) = time.addingReportingOverflow(period)
        next = overflow || late ? .max : beat > time ? beat : later
        return true
    }

    /// Forgets the beat: after a seek, time may have gone back.
    package mutating func reset() { next = nil }
}
