/// Elements that find faces.
enum FaceDetectors {
    static let ours = "svfacedetect"
    static let peer = Peer.opencv("facedetect")
    static let defaultPreset = "balanced"
    static let presets = [defaultPreset, "fast", "accurate", "classic"]

    static func element(_ preset: String = defaultPreset, mode: String = "sync") -> String {
        "\(ours) preset=\(preset) mode=\(mode) draw=false"
    }

    static func peerElement(forCats: Bool = false) -> String {
        let cascade = "/usr/share/opencv4/haarcascades/haarcascade_frontalcatface_extended.xml"
        return "\(peer.factory) display=false" + (forCats ? " profile=\(cascade)" : "")
    }

    /// Streams for speed: the clip, and a human and a cat.
    static let streams = [nil, drawn(.vga, .waves), drawn(.hd, .waves), drawn(.hd, .pan)]

    static func drawn(_ size: FrameSize, _ ground: DrawnStream.Ground) -> DrawnStream {
        DrawnStream(kind: "both", count: 2, size: size, ground: ground)
    }
}

extension Setting {
    /// Content of the clip once it is decoded; if it is absent, a drawn stream of its size.
    private var clipContent: Content {
        hasClip
            ? .carphone(file: decodedClip)
            : .drawn(DrawnStream(kind: "faces", count: 1, size: .carphone, ground: .waves))
    }

    fileprivate var decodedClip: String { "\(folder)/carphone.rgb" }

    /// Returns the name of a stream, its content, and the work to be done first.
    /// - Parameter stream: nil for the clip.
    func content(_ stream: DrawnStream?) -> (name: String, content: Content, preparations: [Run]) {
        guard let stream else { return ("carphone", clipContent, hasClip ? [decoding] : []) }
        return (stream.name, .drawn(stream), [])
    }

    fileprivate var decoding: Run {
        let job = StreamJob(
            writing: "filesrc location=\"\(clip)\" ! decodebin ! videoconvert ! video/x-raw,format=RGB "
                + "! filesink location=\"\(decodedClip)\"")
        return Run(.clip, job, isShared: true)
    }
}

/// CPU time, and the longest time that a frame spends in the element.
struct FaceSpeed: Measurement {
    var title: String
    var name: String
    var preset: String
    var content: Content
    var preparations: [Run]
    var effort: Effort

    var elements: [String] { [FaceDetectors.ours] }
    var peer: Peer? { FaceDetectors.peer }

    var runs: [Run] {
        [(Side.ours, FaceDetectors.element(preset)), (.peer, FaceDetectors.peerElement()), (.carrier, nil)].map {
            Run($0, StreamJob($1, on: content, effort))
        }
    }

    var goal: Goal? {
        preset == FaceDetectors.defaultPreset ? Goal("<=0.33") { Self.comparison($0).ratio <= 1.0 / 3 } : nil
    }

    var columns: [Column] {
        [
            Column("ours ms", \.milliseconds) { Self.comparison($0).ours },
            Column("peer ms", \.milliseconds) { Self.comparison($0).other },
            Column("ratio", \.hundredths) { Self.comparison($0).ratio },
            Column("range") { Self.comparison($0).range },
            Column("first", \.tenths) { $0[.ours].map { $0.stays.first ?? 0 }.median / 1e6 },
            Column("longest", \.tenths) { Self.longest($0[.ours]) },
            Column("peer's", \.tenths) { Self.longest($0[.peer]) },
            .carrier, .peak("ours MB"), .peak("peer MB", .peer), .goal(goal, "CPU goal"),
        ]
    }

    private static func comparison(_ readings: Readings) -> Comparison {
        Comparison(readings.added(), readings.added(.peer))
    }

    /// Returns the longest time of a frame in the element, the first frame excepted, in milliseconds.
    private static func longest(_ readings: [Reading]) -> Double {
        readings.map { Array($0.stays.dropFirst()).largest }.median / 1e6
    }

    static func all(_ setting: Setting) -> [FaceSpeed] {
        let title =
            "Faces: CPU per frame above the carrier's, ms. How long our element keeps the first frame, and the longest that "
            + "it\nand the peer keep another, ms"
            + (setting.hasClip ? "" : ". The carphone clip is absent: a drawn scene of its size takes its place")
        return FaceDetectors.streams.flatMap { stream in
            let (name, content, preparations) = setting.content(stream)
            return FaceDetectors.presets.map {
                FaceSpeed(
                    title: title, name: "faces/speed/\($0)/\(name)", preset: $0, content: content,
                    preparations: preparations, effort: setting.effort)
            }
        }
    }
}

/// Finds in the carphone clip, or in drawn scenes of one kind, with other faces on other paths.
struct FaceAccuracy: Measurement {
    var name: String
    var preset: String
    var contents: [Content]
    var preparations: [Run] = []
    var effort: Effort
    /// True if the peer gets the cascade for cats.
    var isForCats = false

    let isRepeated = false
    var elements: [String] { [FaceDetectors.ours] }
    var peer: Peer? { FaceDetectors.peer }

    var runs: [Run] {
        contents.map { Run(.ours, StreamJob(FaceDetectors.element(preset), on: $0, effort)) }
            + contents.map {
                Run(.peer, StreamJob(FaceDetectors.peerElement(forCats: isForCats), on: $0, effort), isShared: true)
            }
    }

    private var isClip: Bool { contents.allSatisfy { if case .carphone = $0 { true } else { false } } }

    private func score(_ readings: Readings, _ side: Side = .ours) -> FaceScore {
        // The peer has only one kind.
        FaceScore(readings[side], of: contents, frames: effort.total, kind: side == .peer && isForCats ? .cat : nil)
    }

    var title: String {
        isClip
            ? "The carphone clip: frames in which the face is found, of \(Content.carphoneFrames); frames with a wrong find; "
                + "changes of\nthe number of faces; ids; the peer's"
            : "Drawn scenes: finds and wrong finds per 100 true faces of that kind; changes of the number of faces; faces "
                + "with\nanother id than before; the peer's, with the cascade for cats where there are only cats"
    }

    var goal: Goal? {
        guard preset == FaceDetectors.defaultPreset else { return nil }
        guard isClip else { return Goal(">=98 <=1 0") { score($0).isGood } }
        return Goal(">=115 <=2 <=4") {
            let score = score($0)
            return score.humans.found >= 115 && score.wrongFrames <= 2 && score.changes <= 4
        }
    }

    var columns: [Column] {
        // Titles of our columns, and those of the peer's if they are shown.
        let parts: [(title: String, peerTitle: String?, cell: (FaceScore) -> String)] =
            isClip
            ? [
                ("found", "p.found", { "\($0.humans.found)" }), ("wrong", "p.wrong", { "\($0.wrongFrames)" }),
                ("changes", "p.change", { "\($0.changes)" }), ("ids", nil, { "\($0.ids)" }),
            ]
            : [
                ("humans", "p.humans", { $0.foundShare(\.humans) }), ("wrong", "p.wrong", { $0.wrongShare(\.humans) }),
                ("cats", "p.cats", { $0.foundShare(\.cats) }), ("wrong", "p.wrong", { $0.wrongShare(\.cats) }),
                ("changes", "p.change", { "\($0.changes)" }), ("switches", nil, { "\($0.switches)" }),
            ]
        return parts.map { part in Column(part.title) { part.cell(score($0)) } }
            + parts.compactMap { part in part.peerTitle.map { Column($0) { part.cell(score($0, .peer)) } } }
            + [.goal(goal)]
    }

    private static let scenes = [
        DrawnStream(kind: "faces", count: 2, size: .vga, ground: .waves),
        DrawnStream(kind: "cats", count: 2, size: .vga, ground: .waves),
        DrawnStream(kind: "both", count: 4, size: .vga, ground: .waves),
        DrawnStream(kind: "both", count: 4, size: .vga, ground: .bars),
        DrawnStream(kind: "both", count: 4, size: .vga, ground: .pan),
        DrawnStream(kind: "both", count: 4, size: .hd, ground: .waves),
    ]

    static func all(_ setting: Setting) -> [FaceAccuracy] {
        let isQuick = setting.effort.isQuick
        let clip = FaceDetectors.presets.map {
            FaceAccuracy(
                name: "faces/accuracy/\($0)/carphone", preset: $0, contents: [.carphone(file: setting.decodedClip)],
                preparations: [setting.decoding], effort: setting.effort.lasting(Content.carphoneFrames))
        }
        return clip
            + scenes.flatMap { scene in
                let contents = (1...(isQuick ? 1 : UInt64(3))).map { seed in
                    var stream = scene
                    stream.seed = seed
                    return Content.drawn(stream)
                }
                return FaceDetectors.presets.map {
                    FaceAccuracy(
                        name: "faces/accuracy/\($0)/\(scene.kind)-\(scene.name)", preset: $0, contents: contents,
                        effort: setting.effort.lasting(isQuick ? 60 : 300), isForCats: scene.kind == "cats")
                }
            }
    }
}
