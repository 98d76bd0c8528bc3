/// Rows that set `svfacedetect` beside the stock `facedetect`, which gets the same frames.
struct FaceRows {
    /// CPU and the longest stay of a frame.
    struct Speed {
        var preset: String
        /// Nil is the carphone clip.
        var stream: DrawnStream?
        var effort: Effort

        var name: String { "faces/speed/\(preset)/\(stream?.name ?? FaceRows.clip)" }
        var element: String { FaceRows.ours(preset: preset, mode: "sync") }
        var goal: Goal { preset == FaceRows.defaultPreset ? Goal(ratio: 1.0 / 3) : Goal() }
    }

    /// What is found.
    struct Accuracy {
        var preset: String
        /// What is seen: the same for all presets.
        var scene = FaceRows.clip
        /// Of one kind, with other faces on other ways; none is the carphone clip.
        var streams: [DrawnStream] = []
        var effort: Effort

        var name: String { "faces/accuracy/\(preset)/\(scene)" }
        var element: String { FaceRows.ours(preset: preset, mode: "sync") }
        var hasGoal: Bool { preset == FaceRows.defaultPreset }
        /// Then the peer is given the cascade for cats.
        var isForCats: Bool { !streams.isEmpty && streams.allSatisfy { $0.kind == "cats" } }
    }

    /// What becomes of a live stream.
    struct Live {
        var side: String
        /// Nil for a pipeline without one.
        var element: String?
        /// Nil is the carphone clip.
        var stream: DrawnStream?
        var frames: Int

        var name: String { "faces/live/\(side)/\(stream?.name ?? FaceRows.clip)" }
        var isPeer: Bool { element?.hasPrefix(FaceRows.peer) == true }
        var hasGoal: Bool { side == "async" || side == "recognise" }
    }

    private(set) var speeds: [Speed] = []
    private(set) var accuracies: [Accuracy] = []
    private(set) var lives: [Live] = []

    var names: [String] { speeds.map(\.name) + accuracies.map(\.name) + lives.map(\.name) }

    init(effort: Effort) {
        let isQuick = effort.frames < Effort.full.frames
        for stream in Self.pairs {
            speeds += Self.presets.map { Speed(preset: $0, stream: stream, effort: effort) }
        }
        func long(_ frames: Int) -> Effort { Effort(warmUp: effort.warmUp, frames: frames - effort.warmUp) }
        accuracies = Self.presets.map { Accuracy(preset: $0, effort: long(FaceStream.carphoneFrames)) }
        for scene in Self.scenes {
            let streams = (1...(isQuick ? 1 : UInt64(3))).map { seed in
                var stream = scene
                stream.seed = seed
                return stream
            }
            accuracies += Self.presets.map {
                Accuracy(
                    preset: $0, scene: "\(scene.kind)-\(scene.name)", streams: streams,
                    effort: long(isQuick ? 60 : 300))
            }
        }
        let async = Self.ours(preset: Self.defaultPreset, mode: "async")
        let others: [(side: String, element: String?)] = [
            ("nothing", nil), ("sync", Self.ours(preset: Self.defaultPreset, mode: "sync")), ("peer", Self.peer()),
        ]
        let frames = isQuick ? 60 : 300
        lives = Self.pairs.map { stream in
            Live(
                side: "async", element: async, stream: stream,
                frames: stream == nil ? min(frames, FaceStream.carphoneFrames) : frames)
        }
        lives.append(
            Live(
                side: "recognise", element: "\(async) ! \(NamingRow.element(algorithm: "lbph")) draw=true",
                stream: Self.two(.vga, .waves), frames: frames))
        lives += others.map {
            Live(side: $0.side, element: $0.element, stream: Self.two(.hd, .waves), frames: frames)
        }
    }

    /// Those of `names` that `isWanted` likes.
    func filtered(_ isWanted: (String) -> Bool) -> FaceRows {
        var rows = self
        rows.speeds.removeAll { !isWanted($0.name) }
        rows.accuracies.removeAll { !isWanted($0.name) }
        rows.lives.removeAll { !isWanted($0.name) }
        return rows
    }

    // MARK: - Streams

    private static let clip = "carphone"
    private static let pairs = [nil, two(.vga, .waves), two(.hd, .waves), two(.hd, .pan)]

    /// A human and a cat.
    private static func two(_ size: FrameSize, _ ground: DrawnStream.Ground) -> DrawnStream {
        DrawnStream(kind: "both", count: 2, size: size, ground: ground)
    }

    private static let scenes = [
        DrawnStream(kind: "faces", count: 2, size: .vga, ground: .waves),
        DrawnStream(kind: "cats", count: 2, size: .vga, ground: .waves),
        DrawnStream(kind: "both", count: 4, size: .vga, ground: .waves),
        DrawnStream(kind: "both", count: 4, size: .vga, ground: .bars),
        DrawnStream(kind: "both", count: 4, size: .vga, ground: .pan),
        DrawnStream(kind: "both", count: 4, size: .hd, ground: .waves),
    ]

    // MARK: - Elements

    static let ours = "svfacedetect"
    static let peer = "facedetect"
    static let peerPackage = "gstreamer1.0-opencv"
    private static let defaultPreset = "balanced"
    private static let presets = [defaultPreset, "fast", "accurate", "classic"]

    private static func ours(preset: String, mode: String) -> String {
        "\(ours) preset=\(preset) mode=\(mode) draw=false"
    }

    static func peer(forCats: Bool = false) -> String {
        let cascade = "/usr/share/opencv4/haarcascades/haarcascade_frontalcatface_extended.xml"
        return "\(peer) display=false" + (forCats ? " profile=\(cascade)" : "")
    }
}
