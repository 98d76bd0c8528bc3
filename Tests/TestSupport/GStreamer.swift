// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Elements
import Glibc

package enum GStreamer {
    /// True. The first access initialises GStreamer and registers the elements of this process. It must happen before
    /// any other call of GStreamer. If GStreamer loaded an element from the built plugin first, the registration would
    /// fail.
    package static let isReady: Bool = {
        // Files that the user has installed must not change the results.
        setenv("XDG_DATA_HOME", "/nonexistent", 1)
        gst_init(nil, nil)
        return gst_is_initialized() != 0 && registerElements(plugin: nil)
    }()

    package static let second = ClockTime.second.nanoseconds
    package static let millisecond = second / 1000

    /// Maximum time to wait for another thread: 90 s, in nanoseconds. Only a deadlock exceeds it.
    package static let patience = 90 * GstClockTime(second)
}

/// An error after which a test cannot continue.
package struct TestFailure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// Returns `value`. Throws if it is nil.
package func required<Value>(_ value: Value?, _ what: String) throws -> Value {
    guard let value else { throw TestFailure(what) }
    return value
}

/// Waits until `condition` is true. Returns false after `patience`.
package func eventually(_ condition: () throws -> Bool) rethrows -> Bool { try eventually { _ in try condition() } }

/// Calls `condition` until it returns true. Its argument is the number of the attempt. Returns false after `patience`.
/// Tests use it to push frames until another thread has done its work.
package func eventually(_ condition: (_ attempt: Int) throws -> Bool) rethrows -> Bool {
    let end = g_get_monotonic_time() + gint64(GStreamer.patience / 1000)
    for attempt in 0... {
        if try condition(attempt) { return true }
        guard g_get_monotonic_time() < end else { break }
        g_usleep(5000)
    }
    return false
}

/// Reproducible random numbers (xorshift64*).
package struct Random: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    package mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }

    package mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 32) }
}
