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
        var writer = JSONWriter()
        writer.table { writer in
            for (name, value) in [
                ("frames", frames), ("repeated", fillers), ("dropped", state.inbox.withLock { $0.dropped }),
                ("outages", outages), ("attempts", UInt64(clamping: state.supervision?.attempts ?? 0)),
            ] {
                writer.name(any: name)
                writer.write(Int(clamping: value))
            }
            writer.name("reason")
            if let reason = state.supervision?.reason { writer.write(reason.word) } else { writer.writeNull() }
        }
        host.set(\.stats, to: writer.text, ifStill: host.settings.stats)
    }
}
