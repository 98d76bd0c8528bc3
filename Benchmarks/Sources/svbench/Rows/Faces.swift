// SPDX-License-Identifier: LGPL-2.1-or-later
import FoundationEssentials
import Scenes

/// Rows of the element that finds faces.
extension Catalogue {
    typealias FaceStream = (name: String, content: Content)

    static let facePeer = Peer.opencv("facedetect")
    private static let defaultPreset = "balanced"
    private static let presets = [defaultPreset, "fast", "accurate", "classic"]

    func faceDetector(_ preset: String = Self.defaultPreset, mode: String = "sync") -> String {
        "svfacedetect preset=\(preset) mode=\(mode) draw=false"
    }

    func facePeerElement(forCats: Bool = false) -> String {
        let cascade = "/usr/share/opencv4/haarcascades/haarcascade_frontalcatface_extended.xml"
        return "\(Self.facePeer.factory) display=false" + (forCats ? " profile=\(cascade)" : "")
    }

    // MARK: Streams

    /// Streams for speed: the clip, and a human and a cat.
    var faceStreams: [FaceStream] {
        [clipStream, drawnFaces(.vga, .waves), drawnFaces(.hd, .waves), drawnFaces(.hd, .pan)]
    }

    func drawnFaces(_ size: FrameSize, _ ground: DrawnStream.Ground) -> FaceStream {
        ("\(ground)/\(size)", Content(.drawn(DrawnStream(kind: .both, count: 2, ground: ground)), size))
    }

    /// The clip; if it is absent, a drawn stream of its size.
    var clipStream: FaceStream {
        let drawn = Content(.drawn(DrawnStream(kind: .faces, count: 1, ground: .waves)), .carphone)
        return ("carphone", hasClip ? decodedClip : drawn)
    }

    private var decodedClip: Content { Content(.carphone(file: "\(folder)/carphone.rgb"), .carphone) }

    /// Folder of real data, the same as for the tests: `SWIFTVISION_DATA`, else `../shared/data` beside the repository.
    var data: String {
        ProcessInfo.processInfo.environment["SWIFTVISION_DATA"] ?? "\(Machine.repository)/../shared/data"
    }

    private var clip: String { "\(data)/clips/carphone.mp4" }

    private var hasClip: Bool { FileManager.default.fileExists(atPath: clip) }

    /// Returns the run that decodes the clip if that is the content.
    func decoding(_ content: Content) -> [Run] {
        guard case .carphone(let file) = content.kind else { return [] }
        let job = StreamJob(
            description: "filesrc location=\"\(clip)\" ! decodebin ! videoconvert ! video/x-raw,format=RGB "
                + "! filesink location=\"\(file)\"")
        return [Run(.clip, job, isShared: true)]
    }

    // MARK: Speed

    /// Rows of CPU time, and of the longest time that a frame spends in the element.
    var faceSpeed: [Row] {
        let title =
            "Faces: CPU per frame above the carrier's, ms. How long our element keeps the first frame, and the longest that "
            + "it\nand the peer keep another, ms"
            + (hasClip ? "" : ". The carphone clip is absent: a drawn scene of its size takes its place")
        func added(_ readings: Readings) -> Comparison {
            Comparison(ours: readings.added(), other: readings.added(.peer))
        }
        /// Returns the longest time of a frame in the element, the first frame excepted, in milliseconds.
        func longest(_ readings: [Reading]) -> Double {
            readings.map { Array($0.stays.dropFirst()).largest }.median / 1e6
        }
        return faceStreams.flatMap { name, content in
            Self.presets.map { preset in
                Row(
                    title: title, name: "faces/speed/\(preset)/\(name)", peer: Self.facePeer,
                    preparations: decoding(content),
                    runs: [(Side.ours, faceDetector(preset)), (.peer, facePeerElement()), (.carrier, nil)].map {
                        Run($0, StreamJob($1, on: content, effort))
                    },
                    columns: Column.comparison("ours ms", "peer ms", added) + [
                        Column("first", \.tenths) { $0[.ours].map { $0.stays.first ?? 0 }.median / 1e6 },
                        Column("longest", \.tenths) { longest($0[.ours]) },
                        Column("peer's", \.tenths) { longest($0[.peer]) },
                        .carrier, .peak("ours MB"), .peak("peer MB", .peer),
                        .goal(preset == Self.defaultPreset ? "<=0.33" : nil, "CPU goal") { added($0).ratio <= 1.0 / 3 },
                    ])
            }
        }
    }

    // MARK: Accuracy

    var faceAccuracy: [Row] {
        let isQuick = effort.isQuick
        let scenes: [(Scene.Kind, Int, FrameSize, DrawnStream.Ground)] = [
            (.faces, 2, .vga, .waves), (.cats, 2, .vga, .waves), (.both, 4, .vga, .waves), (.both, 4, .vga, .bars),
            (.both, 4, .vga, .pan), (.both, 4, .hd, .waves),
        ]
        let clip = accuracy(
            "The carphone clip: frames in which the face is found, of \(Content.carphoneFrames); frames with a wrong find; "
                + "changes of\nthe number of faces; ids; the peer's",
            "carphone", on: [decodedClip], frames: Content.carphoneFrames,
            [
                ("found", "p.found", { "\($0[.human].found)" }), ("wrong", "p.wrong", { "\($0.wrongFrames)" }),
                ("changes", "p.change", { "\($0.changes)" }), ("ids", nil, { "\($0.ids)" }),
            ], goal: ">=115 <=2 <=4"
        ) { $0[.human].found >= 115 && $0.wrongFrames <= 2 && $0.changes <= 4 }
        return clip
            + scenes.flatMap { kind, count, size, ground in
                accuracy(
                    "Drawn scenes: finds and wrong finds per 100 true faces of that kind; changes of the number of faces; "
                        + "faces with\nanother id than before; the peer's, with the cascade for cats where there are only "
                        + "cats",
                    "\(kind)-\(ground)/\(size)",
                    on: (1...(isQuick ? 1 : 3)).map {
                        Content(.drawn(DrawnStream(kind: kind, count: count, seed: $0, ground: ground)), size)
                    }, frames: isQuick ? 60 : 300, isForCats: kind == .cats,
                    [
                        ("humans", "p.humans", { $0.foundShare(.human) }),
                        ("wrong", "p.wrong", { $0.wrongShare(.human) }), ("cats", "p.cats", { $0.foundShare(.cat) }),
                        ("wrong", "p.wrong", { $0.wrongShare(.cat) }), ("changes", "p.change", { "\($0.changes)" }),
                        ("switches", nil, { "\($0.switches)" }),
                    ], goal: ">=98 <=1 0"
                ) { $0.isGood }
            }
    }

    /// Returns rows of finds.
    /// - Parameters:
    ///   - contents: the clip, or drawn scenes of one kind, with other faces on other paths.
    ///   - isForCats: true if the peer gets the cascade for cats.
    ///   - parts: titles of our columns, and those of the peer's if they are shown.
    private func accuracy(
        _ title: String, _ name: String, on contents: [Content], frames: Int, isForCats: Bool = false,
        _ parts: [(title: String, peerTitle: String?, cell: (FaceScore) -> String)], goal: String,
        isMet: @escaping (FaceScore) -> Bool
    ) -> [Row] {
        let effort = effort.lasting(frames)
        func score(_ readings: Readings, _ side: Side = .ours) -> FaceScore {
            // The peer has only one kind.
            FaceScore(readings[side], of: contents, frames: frames, kind: side == .peer && isForCats ? .cat : nil)
        }
        return Self.presets.map { preset in
            Row(
                title: title, name: "faces/accuracy/\(preset)/\(name)", peer: Self.facePeer,
                preparations: contents.flatMap(decoding),
                runs: contents.map { Run(.ours, StreamJob(faceDetector(preset), on: $0, effort)) }
                    + contents.map {
                        Run(.peer, StreamJob(facePeerElement(forCats: isForCats), on: $0, effort), isShared: true)
                    }, isRepeated: false,
                columns: parts.map { part in Column(part.title) { part.cell(score($0)) } }
                    + parts.compactMap { part in part.peerTitle.map { Column($0) { part.cell(score($0, .peer)) } } }
                    + [.goal(preset == Self.defaultPreset ? goal : nil) { isMet(score($0)) }])
        }
    }
}
