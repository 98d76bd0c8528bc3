// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// The format of a date and time.
package enum TimestampFormat: Sendable {
    /// UTC in RFC 3339 format, with milliseconds: `2026-11-21T22:45:00.123Z`
    case rfc3339
    /// UTC for file names: `20261121T224500Z`
    case compact
    /// Local time for file names: `20261121-224500`
    case local
}

/// Returns a time as text. If the year is too large for the C library, returns an empty text.
/// - Parameter time: the time since 1970-01-01 UTC; nil for the current time.
package func timestamp(_ format: TimestampFormat, of time: timespec? = nil) -> String {
    var (time, parts) = (time ?? currentTime(), tm())
    let isValid =
        switch format {
        case .local: localtime_r(&time.tv_sec, &parts) != nil
        case .rfc3339, .compact: gmtime_r(&time.tv_sec, &parts) != nil
        }
    guard isValid else { return "" }
    func digits(_ number: some BinaryInteger, _ count: Int = 2) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let date = [digits(parts.tm_year + 1900, 4), digits(parts.tm_mon + 1), digits(parts.tm_mday)]
    let clock = [digits(parts.tm_hour), digits(parts.tm_min), digits(parts.tm_sec)]
    switch format {
    case .rfc3339:
        let milliseconds = digits(time.tv_nsec / 1_000_000, 3)
        return "\(date.joined(separator: "-"))T\(clock.joined(separator: ":")).\(milliseconds)Z"
    case .compact: return "\(date.joined())T\(clock.joined())Z"
    case .local: return "\(date.joined())-\(clock.joined())"
    }
}

private func currentTime() -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time
}
