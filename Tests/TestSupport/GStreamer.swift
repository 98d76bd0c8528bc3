// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Elements
import Glibc

package enum GStreamer {
    /// True. The first access initialises GStreamer and registers the elements in this process, so it comes before any
    /// other call of GStreamer: an element that GStreamer loads from the built plugin before that would prevent the
    /// registration.
    package static let isReady: Bool = {
        // Files that the user of this machine has installed must not change results.
        setenv("XDG_DATA_HOME", "/nonexistent", 1)
        gst_init(nil, nil)
        return gst_is_initialized() != 0 && registerElements(plugin: nil)
    }()

    package static let second = ClockTime.second.nanoseconds
    package static let millisecond = second / 1000

    /// Maximum time to wait for another thread, in ns: 90 s, which only a deadlock exceeds.
    package static let patience = 90 * GstClockTime(second)
}

/// A failure after which a test cannot continue.
package struct TestFailure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// Returns `value`; throws if it is nil.
package func required<Value>(_ value: Value?, _ what: String) throws -> Value {
    guard let value else { throw TestFailure(what) }
    return value
}

/// Polls until `condition` is true. Returns false after `patience`.
package func eventually(_ condition: () throws -> Bool) rethrows -> Bool { try eventually { _ in try condition() } }

/// Polls until `condition` is true; its argument is the number of the attempt. Returns false after `patience`. For
/// tests that push frames until work in another thread is complete.
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
