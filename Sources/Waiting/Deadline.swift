// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// The time at which a wait ends, on the monotonic clock (CLOCK_MONOTONIC).
package struct Deadline: Sendable, Comparable {
    /// The time in nanoseconds.
    private let time: UInt64

    /// The current time. A wait with this deadline returns immediately.
    package static var now: Deadline {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Deadline(time: UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec))
    }

    /// A deadline without a time limit.
    package static let never = Deadline(time: .max)

    /// Returns the time that is `nanoseconds` after the current time.
    package static func after(nanoseconds: UInt64) -> Deadline {
        let (sum, isTooMuch) = now.time.addingReportingOverflow(nanoseconds)
        return isTooMuch ? never : Deadline(time: sum)
    }

    /// Returns the time that is `milliseconds` after the current time.
    package static func after(milliseconds: UInt64) -> Deadline {
        let (product, isTooMuch) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        return isTooMuch ? never : after(nanoseconds: product)
    }

    package var hasPassed: Bool { self != .never && .now >= self }

    /// The remaining time in milliseconds, as the timeout of poll(2). Rounded up, at most `Int32.max`.
    package var milliseconds: Int32 {
        let now = Deadline.now.time
        guard time > now else { return 0 }
        return Int32(clamping: (time - now - 1) / 1_000_000 + 1)
    }

    package static func < (first: Deadline, second: Deadline) -> Bool { first.time < second.time }

    /// The deadline as the argument of pthread_cond_timedwait(3); nil for `never`.
    var moment: timespec? {
        guard self != .never else { return nil }
        var result = timespec()
        result.tv_sec = time_t(clamping: time / 1_000_000_000)
        result.tv_nsec = Int(time % 1_000_000_000)
        return result
    }
}
