// SPDX-License-Identifier: LGPL-2.1-or-later
extension Catalogue {
    /// Returns the row of a live stream that goes through elements and is shown on time.
    /// - Parameters:
    ///   - pipeline: elements in gst-launch's syntax; nil for none.
    ///   - hasFaces: true if the stream has faces to be found.
    func live(
        _ name: String, _ pipeline: String?, on content: Content, peer: Peer? = nil, preparations: [Run] = [],
        frames: Int, hasGoal: Bool = true, hasFaces: Bool = false
    ) -> Row {
        func column(_ title: String, _ value: @escaping (Reading) -> String) -> Column {
            Column(title) { ($0[.ours] + $0[.peer]).first.map(value) ?? "?" }
        }
        func shown(_ reading: Reading) -> Double { reading.figures[.shown] ?? 0 }
        return Row(
            title:
                "Live at \(StreamJob.framesPerSecond)/s: frames that the last element passes on and the sink shows in "
                + "time. How long they stay in it, how far behind\nthey come to the sink, and the latency that the pipeline "
                + "reports, ms. Finds per 100 true faces",
            name: name, peer: peer, preparations: preparations,
            runs: [Run(peer == nil ? .ours : .peer, StreamJob(live: pipeline, on: content, frames: frames))],
            isRepeated: false,
            columns: [
                column("frames") { _ in "\(frames)" },
                column("passed") { "\($0.stays.count)" },
                column("shown") { shown($0).whole },
                column("lost") { (Double(frames) - shown($0)).whole },
                column("stay") { $0.stays.median.milliseconds },
                column("99 %") { $0.stays.percentile(99).milliseconds },
                column("longest") { $0.stays.largest.milliseconds },
                column("behind") { $0.lags.median.milliseconds },
                column("longest") { $0.lags.largest.milliseconds },
                column("reported") { ($0.figures[.latency] ?? 0).milliseconds },
                column("found") { hasFaces ? FaceScore([$0], of: [content], frames: frames).share : "-" },
                .goal(hasGoal ? "0 lost" : nil) { $0.median(.ours, .shown) == Double(frames) },
            ])
    }

    var liveFaces: [Row] {
        func row(_ side: String, _ pipeline: String?, _ stream: FaceStream, hasGoal: Bool = false) -> Row {
            let frames = effort.isQuick ? 60 : 300
            return live(
                "faces/live/\(side)/\(stream.name)", pipeline, on: stream.content,
                peer: side == "peer" ? Self.facePeer : nil, preparations: decoding(stream.content),
                frames: stream.name == clipStream.name ? min(frames, Content.carphoneFrames) : frames, hasGoal: hasGoal,
                hasFaces: true)
        }
        let async = faceDetector(mode: "async")
        let large = drawnFaces(.hd, .waves)
        return faceStreams.map { row("async", async, $0, hasGoal: true) } + [
            row(
                "recognise", "\(async) ! \(Self.recognizer("lbph")) draw=true", drawnFaces(.vga, .waves), hasGoal: true),
            row("nothing", nil, large),
            row("sync", faceDetector(), large),
            row("peer", facePeerElement(), large),
        ]
    }
}
