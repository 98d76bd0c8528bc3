// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import Scenes
import TestSupport
import Testing

/// A frame of drawn coins and beans on paper. Drawing is slow, so each frame is drawn only once.
struct DrawnCoins {
    let picture: TestFrame
    let actors: [SceneEntity]

    private init(_ faces: DrawnFaces) throws { (picture, actors) = try faces.frame() }

    private static let ready = [
        1: Result { try DrawnCoins(DrawnFaces(.coins, count: 1, seed: 3, width: 240, height: 200)) },
        2: Result { try DrawnCoins(DrawnFaces(.coins, count: 2, width: 320, height: 200)) },
        4: Result { try DrawnCoins(DrawnFaces(.coins, count: 4, width: 400, height: 300)) },
        6: Result { try DrawnCoins(DrawnFaces(.coins, count: 6, width: 480, height: 360)) },
    ]

    /// - Parameter count: number of objects: 1, 2, 4 or 6.
    static func of(_ count: Int) throws -> DrawnCoins { try required(ready[count], "no such picture").get() }
}

/// A training set that svtestscene writes to a separate folder.
final class DrawnTraining: Sendable {
    let folder: TemporaryFolder
    var list: String { folder.file("training.plist") }

    /// A training set for all tests that do not change it.
    static var shared: DrawnTraining { get throws { try ready.get() } }
    private static let ready = Result { try DrawnTraining() }

    /// - Parameter properties: properties of svtestscene, which select the objects to learn.
    init(_ properties: String = "scene=coins") throws {
        folder = try TemporaryFolder()
        let line = try pipeline(
            "videotestsrc num-buffers=1 ! svtestscene \(properties) training-location=\(folder.path) ! fakesink")
        try line.play()
        try line.finish()
    }
}

/// svblobdetect and svblobclassify between pads of the test. By default, each frame waits for the names of its blobs.
struct BlobChain {
    let detect: Harness
    let classify: Harness

    init(_ detecting: [(String, String)] = [], _ classifying: [(String, String)], like frame: TestFrame) throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        detect = try Harness("svblobdetect", [("draw", "false")] + detecting, like: frame)
        classify = try Harness("svblobclassify", [("mode", "sync"), ("draw", "false")] + classifying, like: frame)
    }

    func push(_ frame: TestFrame, at time: UInt64) throws -> Buffer {
        let found = try detect.process(giving: frame.buffer(at: time).reference)
        return try classify.process(giving: found.reference)
    }

    /// Pushes a frame, and returns the boxes and names of its blobs.
    func names(_ frame: TestFrame, at time: UInt64 = 0) throws -> [(box: Rectangle, name: String?)] {
        try push(frame, at: time).detections(frame.width, frame.height).map {
            ($0.box, $0.classifications.first { $0.name == "blob-class" }?.label)
        }
    }
}

extension [(box: Rectangle, name: String?)] {
    /// Returns the number of actors whose name and box are right. A box is right if its IoU with the actor is above
    /// 0.5.
    func right(_ actors: [SceneEntity]) -> Int {
        actors.count { actor in
            contains { box, name in
                overlap(box, actor.rectangle) > 0.5 && name == actor.object?.label
            }
        }
    }
}

/// Returns the intersection over union (IoU) of two rectangles, 0–1.
func overlap(_ first: Rectangle, _ second: Rectangle) -> Double {
    let common = first.intersection(second)
    guard !common.isEmpty else { return 0 }
    let shared = Double(common.width * common.height)
    return shared / (Double(first.width * first.height + second.width * second.height) - shared)
}

let paper = Color(red: 228, green: 236, blue: 240)
