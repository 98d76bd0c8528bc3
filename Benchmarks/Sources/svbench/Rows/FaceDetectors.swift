// SPDX-License-Identifier: LGPL-2.1-or-later
import FoundationEssentials
import Scenes

/// Rows of what each detector of human faces finds, and what that costs.
extension Catalogue {
    /// Properties of svfacedetect for each detector; the network is left out where its file is not there.
    private var detectors: [(name: String, properties: String)] {
        [("cascade", "detector=cascade")] + (network.map { [("network", "detector=network model=\"\($0)\"")] } ?? [])
    }

    /// Path of the network: that of the tests' data, else that which is installed for the user.
    private var network: String? {
        let environment = ProcessInfo.processInfo.environment
        let own = environment["XDG_DATA_HOME"] ?? "\(environment["HOME"] ?? "")/.local/share"
        return ["\(data)/models", "\(own)/swiftvision/models"].map { "\($0)/face_detection_yunet_2023mar.onnx" }
            .first { FileManager.default.fileExists(atPath: $0) }
    }

    private static func drawn(_ kind: Scene.Kind, _ count: Int) -> FaceStream {
        ("\(kind)/vga", Content(.drawn(DrawnStream(kind: kind, count: count, ground: .waves)), .vga))
    }

    var faceDetectors: [Row] {
        let title =
            "Detectors of human faces: finds and wrong finds per 100 true faces, the peer's. CPU per frame above the carrier's, "
            + "ms" + (network == nil ? ". The network is not there: ./launch models get yunet" : "")
        let streams = [clipStream, Self.drawn(.people, 2), Self.drawn(.both, 2)]
        return streams.flatMap { name, content in
            detectors.map { detector in
                let frames = name == clipStream.name ? Content.carphoneFrames : effort.isQuick ? 60 : 300
                let effort = effort.lasting(frames)
                func score(_ readings: Readings, _ side: Side) -> FaceScore {
                    FaceScore(Array(readings[side].prefix(1)), of: [content], frames: frames)
                }
                func added(_ readings: Readings) -> Comparison {
                    Comparison(ours: readings.added(), other: readings.added(.peer))
                }
                return Row(
                    title: title, name: "faces/detector/\(detector.name)/\(name)", peer: Self.facePeer,
                    preparations: decoding(content),
                    runs: [
                        (Side.ours, "\(faceDetector()) \(detector.properties)"), (.peer, facePeerElement()),
                        (.carrier, nil),
                    ].map { Run($0, StreamJob($1, on: content, effort), isShared: $0 != .ours) },
                    columns: [
                        Column("found") { score($0, .ours).foundShare(.human) },
                        Column("wrong") { score($0, .ours).wrongShare(.human) },
                        Column("p.found") { score($0, .peer).foundShare(.human) },
                        Column("p.wrong") { score($0, .peer).wrongShare(.human) },
                    ] + Column.comparison("ours ms", "peer ms", added) + [
                        .carrier, .peak("ours MB"), .goal("<=0.33", "CPU goal") { added($0).ratio <= 1.0 / 3 },
                    ])
            }
        }
    }

    /// Live streams that are searched by each detector.
    var liveDetectors: [Row] {
        let large = drawnFaces(.hd, .waves)
        return detectors.map { detector in
            live(
                "faces/live/async-\(detector.name)/\(large.name)",
                "\(faceDetector(mode: "async")) \(detector.properties)", on: large.content,
                frames: effort.isQuick ? 60 : 300, hasFaces: true)
        }
    }
}
