// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Foundation
import Imaging
import Scenes
import TestSupport
import Testing
import Vision

/// Returns a harness with svfacedetect. By default, the mode is `sync`, so each frame waits for its faces. The harness
/// counts as a live source.
func faceHarness(_ properties: [(String, String)] = [], like frame: TestFrame) throws -> Harness {
    guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
    return try Harness("svfacedetect", [("mode", "sync")] + properties, like: frame)
}

/// The path of the real face detection network; nil if the file does not exist.
let realNetwork = realModel(FaceModel.fileName)

/// The path of the real face recognition network; nil if the file does not exist.
let realEmbedding = realModel(EmbeddingModel.fileName)

private func realModel(_ name: String) -> String? {
    let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let data =
        ProcessInfo.processInfo.environment["SWIFTVISION_DATA"].map { URL(fileURLWithPath: $0) }
        ?? repository.deletingLastPathComponent().appendingPathComponent("shared/data")
    let path = data.appendingPathComponent("models/\(name)").path
    return FileManager.default.fileExists(atPath: path) ? path : nil
}

/// A drawn scene over colour bars.
struct DrawnFaces {
    let scene: Scene
    let width: Int
    let height: Int

    init(_ kind: Scene.Kind = .both, count: Int = 2, seed: UInt64 = 0, width: Int = 480, height: Int = 320) {
        scene = Scene(kind, count: count, seed: seed, width: width, height: height)
        self.width = width
        self.height = height
    }

    /// Draws the frame at a time in seconds. Returns the frame and its actors.
    func frame(at time: Double = 0, light: SceneLight = SceneLight()) throws -> (
        picture: TestFrame, actors: [SceneEntity]
    ) {
        let bars: [Color] = [
            Color(gray: 180), Color(red: 180, green: 180, blue: 16), Color(red: 16, green: 180, blue: 180),
            Color(red: 16, green: 180, blue: 16), Color(red: 180, green: 16, blue: 180),
            Color(red: 180, green: 16, blue: 16), Color(red: 16, green: 16, blue: 180),
        ]
        let pixels = bars.map { $0.pixel(.bgra) }
        var picture = TestFrame(.bgra, width, height) { x, _ in pixels[x * pixels.count / width] }
        let actors: [SceneEntity] = picture.bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return [] }
            let image = Image(base: base, width: width, height: height, stride: 4 * width, format: .bgra)
            return ScenePainter(scene).draw(on: FrameImage(image), at: time, light: light)
        }
        return (picture, try actors.isEmpty ? { throw TestFailure("nobody fits") }() : actors)
    }
}

extension Buffer {
    /// Returns the detections in the buffer, as elements downstream read them.
    func detections(_ width: Int, _ height: Int) -> [Detection] {
        DetectionMeta(buffer: pointer, size: PixelSize(width: width, height: height)).detections(truth: false)
    }

    /// Returns true if a detector has marked the buffer as searched. This is also true if another element has changed
    /// the frame.
    func wasSearched(for type: Detection.Kind) -> Bool { SearchMark.on(pointer)?.flag(of: type) == true }
}

extension Detection {
    /// Returns true if the detection is the face of an actor. The species must be the same, and the IoU must be above
    /// 0.4.
    func shows(_ actor: SceneEntity) -> Bool {
        let other = actor.rectangle
        let common = box.intersection(other)
        guard type == (actor.kind == .human ? "face" : "cat-face"), !common.isEmpty else { return false }
        let shared = Double(common.width * common.height)
        return shared / (Double(box.width * box.height + other.width * other.height) - shared) > 0.4
    }
}

extension [Detection] {
    /// Returns true if the detections are exactly the faces of the actors.
    func show(_ actors: [SceneEntity]) -> Bool {
        count == actors.count && actors.allSatisfy { actor in contains { $0.shows(actor) } }
    }
}
