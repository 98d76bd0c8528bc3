// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Waiting

/// The statistics of a source since its start.
struct SourceCounts {
    var frames: UInt64 = 0
    var fillers: UInt64 = 0
    var outages: UInt64 = 0
    private(set) var due = ClockTime.zero

    /// Updates the property `stats`, at most once per second.
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
