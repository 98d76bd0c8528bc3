// SPDX-License-Identifier: LGPL-2.1-or-later
/// Rows of `svevents` without an event, beside a `splitmuxsink` behind a `tee`, which writes the whole stream.
extension Catalogue {
    var events: [Row] {
        let effort = effort.lasting(effort.isQuick ? 120 : 600)
        return FrameSize.large.flatMap { [rawEvents($0, effort), encodedEvents($0, effort)] }
    }

    /// The settings of the encoder in svevents.
    private static let encoder =
        "x264enc tune=zerolatency speed-preset=ultrafast bitrate=4000 key-int-max=\(StreamJob.framesPerSecond)"

    private var element: String { "svevents location=\"\(folder)/clip.mkv\" ! \(StreamJob.sink(0))" }

    /// - Parameter encoder: an encoder with a `!`; empty for an encoded stream.
    private func splitter(_ encoder: String = "") -> String {
        "tee name=t ! queue ! \(StreamJob.sink(0)) "
            + "t. ! queue ! \(encoder) splitmuxsink muxer=matroskamux location=\"\(folder)/peer-%05d.mkv\""
    }

    private func rawEvents(_ size: FrameSize, _ effort: Effort) -> Row {
        let source = StreamJob.Source(kind: .writable, content: .pictures("I420", size))
        func job(_ elements: String) -> StreamJob {
            StreamJob(description: "\(StreamJob.source(0)) ! \(elements)", sources: [source], effort: effort)
        }
        let ours = job(element)
        return row(
            "raw/\(size)", ours, beside: job(splitter("\(Self.encoder) !")), above: ours.carrier,
            goal: .goal("<=1.10") { $0.comparison(.cpu).ratio <= 1.1 })
    }

    private func encodedEvents(_ size: FrameSize, _ effort: Effort) -> Row {
        let file = "\(folder)/events-\(size).mkv"
        let source = StreamJob.Source(kind: .writable, content: .pictures("I420", size))
        let preparation = StreamJob(
            description: "\(StreamJob.source(0)) ! \(Self.encoder) ! h264parse ! matroskamux "
                + "! filesink location=\"\(file)\"", sources: [source], effort: effort)
        func job(_ elements: String) -> StreamJob {
            StreamJob(
                description: "filesrc location=\"\(file)\" ! matroskademux ! h264parse ! \(elements)", effort: effort)
        }
        return row(
            "encoded/\(size)", job(element), beside: job(splitter()), above: job(StreamJob.sink(0)),
            preparations: [Run(.peer, preparation, isShared: true)],
            goal: .goal("added <0.1ms") { $0.added().median < 1e5 })
    }

    private func row(
        _ name: String, _ ours: StreamJob, beside theirs: StreamJob, above carrier: StreamJob,
        preparations: [Run] = [], goal: Column
    ) -> Row {
        Row(
            title:
                "Recording: svevents without an event, and tee and splitmuxsink, which write the whole stream. CPU per frame "
                + "and\npeak memory of the whole process. The encoder is the same",
            name: "events/\(name)", peer: Peer(factory: "x264enc", package: "gstreamer1.0-plugins-ugly"),
            preparations: preparations, runs: [Run(.ours, ours), Run(.peer, theirs), Run(.carrier, carrier)],
            columns: Column.comparison("ours ms", "peer ms") { $0.comparison(.cpu) } + [
                Column("net", \.hundredths) { $0.added().median / $0.added(.peer).median },
                .peak("ours MB"), .peak("peer MB", .peer), .carrier, goal,
            ])
    }
}
