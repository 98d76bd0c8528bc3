// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Waiting

/// What a source has done so far.
struct SourceCounts {
    var frames: UInt64 = 0
    /// Frames that were sent in the camera's place.
    var fillers: UInt64 = 0
    var outages: UInt64 = 0
    private(set) var due = ClockTime.zero

    /// Writes the statistics, once a second.
    mutating func report(_ state: URISource.State, at time: ClockTime, to host: Host<URISource.Settings>) {
        guard time >= due else { return }
        due = time + .second
        let stats = JSONValue.table([
            ("frames", .count(frames)), ("repeated", .count(fillers)),
            ("dropped", .count(state.inbox.withLock { $0.dropped })), ("outages", .count(outages)),
            ("attempts", .whole(Int64(state.supervision?.attempts ?? 0))),
            ("reason", state.supervision?.reason.map { .text($0.word) } ?? .null),
        ])
        host.set(\.stats, to: stats.line, ifStill: host.settings.stats)
    }
}
