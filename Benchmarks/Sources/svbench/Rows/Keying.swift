// SPDX-License-Identifier: LGPL-2.1-or-later
import Scenes

/// Keying beside the same blend without it.
extension Catalogue {
    /// CPU time that keying may add to a frame, in nanoseconds.
    private static let limit = 1e6

    var keying: [Row] {
        [
            ("chroma", "chroma", "0.25"), ("chroma-auto", "chroma", nil), ("luma", "luma", "0.1"),
        ].map { name, kind, range in
            var keys = ["keying": kind, "key-color": kind == "luma" ? "0xff000000" : "0xff20b046"]
            if let range { keys["key-range"] = range } else { keys["key-auto"] = "true" }
            return row("svmixer/keying-\(name)-NV12/1080p", keys)
        }
    }

    /// Returns the row of somebody before a green wall over another stream of the same format. Without a key it is half
    /// transparent, so that all pixels are read and written.
    private func row(_ name: String, _ keys: [String: String]) -> Row {
        let size = FrameSize.fullHD
        let sources = [
            Content.pictures("NV12", size),
            Content(.drawn(DrawnStream(kind: .green, count: 1, ground: .waves)), size, "NV12"),
        ]
        func job(_ keys: [String: String]) -> StreamJob {
            var job = StreamJob(
                description: "svmixer name=m ! \(StreamJob.sink(0))  \(StreamJob.source(0)) ! m.sink_0  "
                    + "\(StreamJob.source(1)) ! m.sink_1",
                sources: sources.map { .init(kind: .rotating, content: $0) }, effort: effort)
            for (key, value) in keys { job.properties["sink_1::\(key)"] = value }
            return job
        }
        let (keyed, plain) = (job(keys), job(["opacity": "0.5"]))
        func added(_ readings: Readings) -> Double { readings.median(.ours, .cpu) - readings.median(.peer, .cpu) }
        return Row(
            title: "Keying: CPU per frame beside the blend alone", name: name,
            runs: [Run(.ours, keyed), Run(.peer, plain), Run(.carrier, keyed.carrier)],
            columns: Column.comparison("keyed ms", "blend ms") { $0.comparison(.cpu) } + [
                Column("added ms", \.milliseconds, added), .carrier,
                .goal("<=\(Self.limit.milliseconds) added") { added($0) <= Self.limit },
            ])
    }
}
