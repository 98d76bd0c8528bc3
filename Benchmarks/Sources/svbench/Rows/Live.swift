/// Live stream that goes through elements and is shown on time.
struct LiveMeasurement: Measurement {
    let title =
        "Live at \(StreamJob.framesPerSecond)/s: frames that the last element passes on and the sink shows in time. How long "
        + "they stay in it, how far behind\nthey come to the sink, and the latency that the pipeline reports, ms. Finds per "
        + "100 true faces"
    var name: String
    /// Elements that must be there.
    var elements: [String] = []
    var peer: Peer?
    /// Elements in gst-launch's syntax; nil for none.
    var pipeline: String?
    var content: Content
    var preparations: [Run] = []
    var frames: Int
    var hasGoal = true
    /// True if the stream has faces to be found.
    var hasFaces = false

    let isRepeated = false
    var runs: [Run] {
        [Run(peer == nil ? .ours : .peer, StreamJob(live: pipeline, on: content, frames: frames))]
    }
    var goal: Goal? { hasGoal ? .nothingLost(of: frames) : nil }

    var columns: [Column] {
        func column(_ title: String, _ value: @escaping (Reading) -> String) -> Column {
            Column(title) { ($0[.ours] + $0[.peer]).first.map(value) ?? "?" }
        }
        func shown(_ reading: Reading) -> Double { reading.figures[.shown] ?? 0 }
        return [
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
            .goal(goal),
        ]
    }

    static func faces(_ setting: Setting) -> [LiveMeasurement] {
        let frames = setting.effort.isQuick ? 60 : 300
        func row(
            _ side: String, _ pipeline: String?, _ stream: DrawnStream?, needs peer: Peer? = nil, hasGoal: Bool = false
        ) -> LiveMeasurement {
            let (name, content, preparations) = setting.content(stream)
            return LiveMeasurement(
                name: "faces/live/\(side)/\(name)", elements: [FaceDetectors.ours], peer: peer, pipeline: pipeline,
                content: content, preparations: preparations,
                frames: stream == nil ? min(frames, Content.carphoneFrames) : frames, hasGoal: hasGoal, hasFaces: true)
        }
        let async = FaceDetectors.element(mode: "async")
        let naming = "\(async) ! \(NamedPeople.element(algorithm: "lbph")) draw=true"
        let large = FaceDetectors.drawn(.hd, .waves)
        return FaceDetectors.streams.map { row("async", async, $0, hasGoal: true) } + [
            row("recognise", naming, FaceDetectors.drawn(.vga, .waves), hasGoal: true),
            row("nothing", nil, large),
            row("sync", FaceDetectors.element(), large),
            row("peer", FaceDetectors.peerElement(), large, needs: FaceDetectors.peer),
        ]
    }

    static func blobs(_ setting: Setting) -> [LiveMeasurement] {
        [1, 6].map { count in
            LiveMeasurement(
                name: "blobs/live/\(count)/1280x720", elements: Blobs.factories,
                pipeline: Blobs.classifier("mode=auto", setting), content: .drawn(Blobs.scene(count)),
                preparations: Blobs.training(setting), frames: 10 * StreamJob.framesPerSecond)
        }
    }

    static func logos(_ setting: Setting) -> [LiveMeasurement] {
        [true, false].flatMap { isOurs in
            [true, false].map { hasLogo in
                LiveMeasurement(
                    name: "logo/live/\(isOurs ? "async" : "nothing")/\(hasLogo ? "there" : "absent")/640x480",
                    elements: [Logos.factory],
                    pipeline: isOurs ? Logos.element("mode=async") : nil,
                    content: .drawn(Logos.scenes(hasLogo: hasLogo, .vga)[0]),
                    frames: Logos.effort(setting).total, hasGoal: isOurs)
            }
        }
    }
}
