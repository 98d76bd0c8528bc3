import CGStreamer

/// Durations in nanoseconds, as GStreamer counts time.
package enum ClockTime {
    package static let second: UInt64 = 1_000_000_000
}
