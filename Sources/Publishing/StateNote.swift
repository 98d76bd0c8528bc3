// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// A note about a stream's state, as docs/stream-state.schema.json describes it.
package enum StateNote {
    /// New members do not change it.
    private static let version: Int64 = 1

    /// The note that the broker publishes for a stream whose connection is lost.
    package static func lost(_ source: String) -> [UInt8] { note(source, .lost, []) }

    /// Returns the note of a stream about its own state. `source` and `state` come first, because scripts rely on it.
    /// - Parameters:
    ///   - time: seconds since 1970.
    ///   - interval: seconds between two notes, rounded up.
    ///   - uptime: seconds since the start.
    ///   - frameAge: milliseconds since the last frame.
    static func note(
        _ source: String, _ state: StreamState, time: Int, interval: UInt64, uptime: UInt64, frameAge: UInt64?,
        _ counts: PublishCounts
    ) -> [UInt8] {
        var members: [(name: String, value: JSONValue)] = [
            ("time", .whole(Int64(time))), ("interval", .count(interval)), ("uptime", .count(uptime)),
            ("frames", .count(counts.frames)),
        ]
        if let frameAge { members.append(("frame_age", .real(Double(frameAge) / 1000))) }
        members += [
            ("messages", .count(counts.messages)), ("acknowledged", .count(counts.acknowledged)),
            ("waiting", .whole(Int64(counts.waiting))), ("dropped", .count(counts.dropped)),
            ("refused", .count(counts.refused)), ("repeated", .count(counts.repeated)),
            ("bytes", .count(counts.bytes)), ("connections", .count(counts.connections)),
        ]
        return note(source, state, members)
    }

    private static func note(
        _ source: String, _ state: StreamState, _ members: [(name: String, value: JSONValue)]
    ) -> [UInt8] {
        let first: [(name: String, value: JSONValue)] = [("source", .text(source)), ("state", .text(state.rawValue))]
        return Array(JSONValue.table(first + members + [("version", .whole(version))]).line.utf8)
    }
}
