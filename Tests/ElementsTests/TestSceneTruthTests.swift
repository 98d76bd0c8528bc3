// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import Scenes
import TestSupport
import Testing

/// Tests of the ground truth after other elements. These are also the general tests of landmarks in the metadata.
@Suite("svtestscene: truth downstream")
struct TestSceneTruthTests {
    private static let (width, height) = (320, 222)

    /// Returns frames of a scene after these elements.
    private func frames(
        after elements: String, _ format: String = "I420", count: Int = 3
    ) throws -> [(buffer: Buffer, width: Int, height: Int)] {
        let line = try pipeline(
            "videotestsrc num-buffers=\(count) pattern=black ! video/x-raw,format=\(format),width=\(Self.width),"
                + "height=\(Self.height),framerate=1/1 ! svtestscene scene=both count=3 ! \(elements) "
                + "! appsink name=out sync=false")
        try line.play()
        var frames: [(Buffer, Int, Int)] = []
        while let frame = try line.pullBuffer() { frames.append(frame) }
        #expect(frames.count == count)
        return frames
    }

    private func entities(at second: Int) -> [SceneEntity] {
        Scene(.both, count: 3, width: Self.width, height: Self.height).entities(at: Double(second))
    }

    private func expectSameIDs(_ frames: [(buffer: Buffer, width: Int, height: Int)]) {
        let ids = frames.map { $0.buffer.truth($0.width, $0.height).map(\.id) }
        #expect(Set(ids).count == 1)
        #expect(ids.first.map { Set($0).count } == 3)
    }

    @Test("Nothing changes where the frame does not", arguments: ["queue", "tee ! queue", "identity", "videorate"])
    func same(_ elements: String) throws {
        let frames = try frames(after: elements)
        for (second, frame) in frames.enumerated() {
            #expect(frame.buffer.truth(frame.width, frame.height).areTruth(of: entities(at: second)))
            #expect(frame.buffer.detections(frame.width, frame.height).isEmpty)
            #expect(frame.buffer.regions.allSatisfy { Buffer.parameter("detection", of: $0) != nil })
        }
        expectSameIDs(frames)
    }

    @Test("People: the truth tells who it is, by name and number")
    func people() throws {
        let line = try pipeline(
            "videotestsrc num-buffers=2 ! video/x-raw,width=640,height=240,framerate=1/1 "
                + "! svtestscene scene=people count=3 seed=9 ! videoconvert ! appsink name=out sync=false")
        try line.play()
        while let frame = try line.pullBuffer() {
            let people = frame.buffer.truth(frame.width, frame.height).map { $0.classifications.first }
            #expect(people.map { $0?.name } == ["person", "person", "person"])
            #expect(people.map { $0?.label } == ["Ada", "Ben", "Cleo"])
            #expect(people.map { $0?.labelID } == [1, 2, 3])
        }
    }

    @Test("Both branches of a tee have it")
    func tee() throws {
        let line = try pipeline(
            "videotestsrc num-buffers=2 ! video/x-raw,format=BGRA,width=121,height=111 ! svtestscene ! tee name=t "
                + "! queue ! svtestscene seed=3 ! appsink name=out sync=false "
                + "t. ! queue ! videoconvert ! video/x-raw,format=RGB ! appsink name=other sync=false")
        try line.play()
        let out = try #require(try line.pullBuffer("out"))
        let other = try #require(try line.pullBuffer("other"))
        let first = Scene(.faces, width: 121, height: 111).entities(at: 0)
        let second = Scene(.faces, seed: 3, width: 121, height: 111).entities(at: 0)
        #expect(other.buffer.truth(121, 111).areTruth(of: first))
        // If a second scene is drawn over the first, the ground truth of the first stays. Other buffers do not change.
        #expect(out.buffer.truth(121, 111).areTruth(of: first + second))
    }

    @Test(
        "Converters drop the regions' parameters, and the truth is still there",
        arguments: [("I420", "BGRA"), ("BGRA", "NV12"), ("YUY2", "GRAY8"), ("GRAY8", "RGB")])
    func converted(_ from: String, _ to: String) throws {
        let frames = try frames(after: "videoconvert ! video/x-raw,format=\(to)", from)
        for (second, frame) in frames.enumerated() {
            #expect(frame.buffer.regions.count == 3)
            #expect(frame.buffer.regions.allSatisfy { $0.params == nil })
            #expect(frame.buffer.truth(frame.width, frame.height).areTruth(of: entities(at: second)))
            #expect(frame.buffer.detections(frame.width, frame.height).isEmpty)
        }
        expectSameIDs(frames)
    }

    @Test(
        "Where the frame is scaled, boxes and landmarks are",
        arguments: [(640, 444), (160, 111), (320, 444), (233, 171), (1, 1)])
    func scaled(_ width: Int, _ height: Int) throws {
        let caps = "video/x-raw,width=\(width),height=\(height),pixel-aspect-ratio=[1/999,999/1]"
        let (across, down) = (Double(width) / Double(Self.width), Double(height) / Double(Self.height))
        for elements in [
            "videoscale ! \(caps)", "videoscale ! \(caps) ! videoconvert ! video/x-raw,format=RGB ! queue",
            "tee ! queue ! videoconvert ! video/x-raw,format=BGRA ! videoscale ! \(caps)",
        ] {
            let frames = try frames(after: elements)
            for (second, frame) in frames.enumerated() {
                let truth = frame.buffer.truth(width, height)
                let entities = entities(at: second)
                // In a frame of one pixel, the boxes are empty, so they are omitted.
                guard width > 1 else {
                    #expect(truth.isEmpty)
                    continue
                }
                #expect(truth.map(\.type) == ["truth/face", "truth/cat-face", "truth/face"])
                for (detection, entity) in zip(truth, entities) {
                    let (box, original) = (detection.box, entity.rectangle)
                    // GStreamer rounds fractions down.
                    #expect(box.x == original.x * width / Self.width)
                    #expect(box.y == original.y * height / Self.height)
                    #expect(box.width == original.width * width / Self.width)
                    #expect(box.height == original.height * height / Self.height)
                    #expect(
                        detection.confidence == 1 && detection.label == detection.type.rawValue
                            && detection.parent == nil)
                    let landmarks = try #require(detection.landmarks)
                    for (point, other) in [
                        (landmarks.leftEye, entity.leftEye), (landmarks.rightEye, entity.rightEye),
                        (landmarks.nose, entity.nose), (landmarks.mouthLeft, entity.mouthLeft),
                        (landmarks.mouthRight, entity.mouthRight),
                    ] {
                        // Both the position and the size of the box were rounded down, so a point may differ by up to 2
                        // pixels.
                        #expect(point.x <= other.x * across + 1e-6 && point.x > other.x * across - 2)
                        #expect(point.y <= other.y * down + 1e-6 && point.y > other.y * down - 2)
                    }
                }
            }
            if width > 1 { expectSameIDs(frames) }
        }
    }
}
