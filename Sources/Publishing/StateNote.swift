// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// A note about a stream's state, as docs/stream-state.schema.json describes it.
package enum StateNote {
    /// New members do not change it.
    private static let version = 1

    /// What the broker says of a stream whose connection was lost.
    package static func lost(_ source: String) -> [UInt8] {
        note(source, .lost) { _ in }
    }

    /// What a stream says of itself. `source` and `state` come first, as scripts expect it.
    /// - Parameters:
    ///   - time: seconds since 1970.
    ///   - interval: seconds between two notes, rounded up.
    ///   - uptime: seconds since the start.
    ///   - frameAge: milliseconds since the last frame.
    static func note(
        _ source: String, _ state: StreamState, time: Int, interval: UInt64, uptime: UInt64, frameAge: UInt64?,
        _ counts: PublishCounts
    ) -> [UInt8] {
        note(source, state) {
            $0.name("time")
            $0.write(time)
            $0.name("interval")
            $0.write(interval)
            $0.name("uptime")
            $0.write(uptime)
            $0.name("frames")
            $0.write(counts.frames)
            if let frameAge {
                $0.name("frame_age")
                $0.write(Double(frameAge) / 1000)
            }
            $0.name("messages")
            $0.write(counts.messages)
            $0.name("acknowledged")
            $0.write(counts.acknowledged)
            $0.name("waiting")
            $0.write(counts.waiting)
            $0.name("dropped")
            $0.write(counts.dropped)
            $0.name("refused")
            $0.write(counts.refused)
            $0.name("repeated")
            $0.write(counts.repeated)
            $0.name("bytes")
            $0.write(counts.bytes)
            $0.name("connections")
            $0.write(counts.connections)
        }
    }

    private static func note(
        _ source: String, _ state: StreamState, _ members: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.table {
            $0.name("source")
            $0.write(source)
            $0.name("state")
            $0.write(state.rawValue)
            members(&$0)
            $0.name("version")
            $0.write(version)
        }
        return writer.bytes
    }
}
