// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// Creates status messages about a stream, in the format of docs/stream-state.schema.json.
package enum StateNote {
    /// The version of the format. New members do not change the version.
    private static let version: Int64 = 1

    /// Returns the message that the broker publishes if the connection to the publisher is lost.
    package static func lost(_ source: String) -> [UInt8] { note(source, .lost, []) }

    /// Returns the status message of a stream. `source` and `state` come first, because scripts rely on this order.
    /// - Parameters:
    ///   - time: seconds since 1970.
    ///   - interval: seconds between two status messages, rounded up.
    ///   - uptime: seconds since the publisher started.
    ///   - frameAge: milliseconds since the last frame; nil before the first frame.
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
