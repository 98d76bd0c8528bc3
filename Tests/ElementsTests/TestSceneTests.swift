// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import Scenes
import TestSupport
import Testing

@Suite("svtestscene: truth and time")
struct TestSceneTests {
    private static let (width, height) = (240, 111)

    private func scene(_ properties: [(String, String)] = [], rate: String = "25/1") throws -> SceneHarness {
        try SceneHarness(properties, width: Self.width, height: Self.height, rate: rate)
    }

    private func entities(
        _ kind: Scene.Kind = .faces, count: Int = 2, seed: UInt64 = 0, speed: Double = 1, at time: Double
    ) -> [SceneEntity] {
        Scene(kind, count: count, seed: seed, speed: speed, width: Self.width, height: Self.height).entities(at: time)
    }

    @Test("The truth is on the buffer, with ids that stay, and nothing seems detected")
    func truth() throws {
        let scene = try scene([("scene", "both")])
        var ids = Set<[Int32]>()
        for number in 0..<10 {
            let result = try scene.process(at: UInt64(number) * 400 * GStreamer.millisecond)
            let truth = result.truth(Self.width, Self.height)
            #expect(truth.areTruth(of: entities(.both, at: Double(number) * 0.4)))
            #expect(truth.map(\.type) == ["truth/face", "truth/cat-face"])
            #expect(result.detections(Self.width, Self.height).isEmpty)
            ids.insert(truth.map(\.id))
        }
        #expect(ids.count == 1)
        #expect(ids.first?.allSatisfy { $0 > 0 } == true)
        #expect(ids.first.map { Set($0).count } == 2)
    }

    /// This test reads the metadata without code of this project.
    @Test("Any program can read it")
    func fields() throws {
        let result = try scene([("count", "1")]).process()
        let entity = try #require(entities(count: 1, at: 0).first)
        let (box, width) = (entity.rectangle, Double(entity.rectangle.width))
        let region = try #require(result.regions.first)
        #expect(result.regions.count == 1)
        let type = g_quark_from_string("truth/face")
        #expect(region.roi_type == type)
        #expect(region.parent_id == -1)
        #expect([region.x, region.y, region.w, region.h].map { Int($0) } == [box.x, box.y, box.width, box.height])
        let detection = try #require(Buffer.parameter("detection", of: region))
        #expect(detection.double("confidence") == 1)
        #expect(detection.text("label") == "truth/face")
        #expect(detection.double("x_min") == Double(box.x) / Double(Self.width))
        #expect(detection.double("y_max") == Double(box.y + box.height) / Double(Self.height))
        let number = try #require(Buffer.parameter("object_id", of: region))
        #expect(number.int("id") == Int(region.id))
        let points = [entity.leftEye, entity.rightEye, entity.nose, entity.mouthLeft, entity.mouthRight]
        let expected = points.flatMap { [($0.x - Double(box.x)) / width, ($0.y - Double(box.y)) / width] }
        let landmarks = try LandmarkFields(region)
        #expect(landmarks.format == "landmark_points")
        #expect(zip(landmarks.named, expected).allSatisfy { abs($0 - $1) < 1e-9 })
        #expect(zip(landmarks.bytes, expected).allSatisfy { abs(Double($0) - $1) < 1e-6 })
        #expect([landmarks.named.count, landmarks.bytes.count, landmarks.found.count] == [10, 10, 2])
        #expect(landmarks.found.allSatisfy { $0 })
    }

    @Test("The same number gives the same scene, in any order of times; another one another")
    func repeatable() throws {
        let times = [0, 900, 3100, 250].map { UInt64($0) * GStreamer.millisecond }
        func frames(_ seed: Int, _ times: [UInt64]) throws -> [[UInt8]] {
            let scene = try SceneHarness([("scene", "cats"), ("seed", "\(seed)")])
            return try times.map { TestFrame.memory(of: try scene.process(at: $0)) }
        }
        let first = try frames(7, times)
        #expect(try frames(7, times.reversed()) == first.reversed())
        #expect(Set(first).count == 4)
        #expect(try Set(frames(8, times)).isDisjoint(with: first))
        let large = try scene([("seed", "4294967295")])
        #expect(try large.truth().areTruth(of: entities(seed: 4_294_967_295, at: 0)))
    }

    // MARK: - Time

    @Test("Frames without a time stamp are counted", arguments: [("25/1", 25.0), ("30000/1001", 29.97), ("0/1", 30.0)])
    func untimed(_ rate: String, _ frames: Double) throws {
        let scene = try scene(rate: rate)
        for number in 0..<4 {
            #expect(try scene.truth(at: nil).areTruth(of: entities(at: Double(number) / frames)), "\(number)")
        }
        // After a frame with a timestamp, the time continues from this timestamp. After a flush, it starts again.
        #expect(try scene.truth(at: 7 * GStreamer.second).areTruth(of: entities(at: 7)))
        #expect(try scene.truth(at: nil).areTruth(of: entities(at: 7 + 1 / frames)))
        scene.harness.flush()
        scene.harness.startSegment(at: 0, streamTime: 0)
        #expect(try scene.truth(at: nil).areTruth(of: entities(at: 0)))
    }

    @Test("The time is the stream's, not the time stamp")
    func streamTime() throws {
        let scene = try scene()
        scene.harness.startSegment(at: 100 * GStreamer.second, streamTime: 3 * GStreamer.second)
        #expect(try scene.truth(at: 101 * GStreamer.second).areTruth(of: entities(at: 4)))
    }

    @Test("A seek shows the right moment")
    func seek() throws {
        let line = try pipeline(
            "videotestsrc pattern=black ! video/x-raw,format=GRAY8,width=\(Self.width),height=\(Self.height) "
                + "! svtestscene ! appsink name=out sync=false max-buffers=1")
        try line.play()
        let before = try #require(try line.pull()).buffer.truth(Self.width, Self.height)
        #expect(before.areTruth(of: entities(at: 0)))
        for second in [5, 2] {
            let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
            let place = gint64(second) * gint64(GStreamer.second)
            #expect(gst_element_seek_simple(line.handle.element, GST_FORMAT_TIME, flags, place) != 0)
            let truth = try #require(try line.pull()).buffer.truth(Self.width, Self.height)
            #expect(truth.areTruth(of: entities(at: Double(second))))
            // The people are still the same.
            #expect(truth.map(\.id) == before.map(\.id))
        }
    }

    // MARK: - Changes

    @Test("Properties take effect with the next frame, and whoever comes new has a new id")
    func changes() throws {
        let scene = try scene()
        let pts = 2 * GStreamer.second
        var seen = try Set(scene.truth(at: pts).map(\.id))
        func expect(_ entities: [SceneEntity]) throws {
            let truth = try scene.truth(at: pts)
            #expect(truth.areTruth(of: entities))
            let ids = truth.map(\.id)
            #expect(seen.isDisjoint(with: ids))
            #expect(try scene.truth(at: pts).map(\.id) == ids)
            seen.formUnion(ids)
        }
        scene.harness.element.set("scene", "cats")
        try expect(entities(.cats, at: 2))
        scene.harness.element.set("seed", "5")
        try expect(entities(.cats, seed: 5, at: 2))
        scene.harness.element.set("speed", "3.5")
        try expect(entities(.cats, seed: 5, speed: 3.5, at: 2))
        scene.harness.element.set("count", "1")
        try expect(entities(.cats, count: 1, seed: 5, speed: 3.5, at: 2))
        scene.harness.element.set("speed", "0")
        let still = try scene.truth(at: 0)
        #expect(try scene.truth(at: 9 * GStreamer.second) == still)
    }

    @Test("Properties at random from threads while it plays")
    func atRandom() throws {
        let line = try pipeline(
            "videotestsrc pattern=black num-buffers=30 ! video/x-raw,format=I420,width=121,height=111 "
                + "! svtestscene name=scene ! appsink name=out sync=false")
        let element = try line.element("scene")
        let threads = (0..<2).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(seed * 104_729 + round))
                element.set("scene", ["faces", "cats", "both"][Int(random.next() % 3)])
                element.set("count", value: UInt32.random(in: 0...100, using: &random))
                element.set("seed", value: UInt32.random(in: 0...UInt32.max, using: &random))
                element.set("speed", value: Double.random(in: 0...100, using: &random))
                g_usleep(200)
            }
        }
        #expect(eventually { threads.allSatisfy { $0.rounds > 0 } })
        try line.play()
        var count = 0
        while let frame = try line.pullBuffer() {
            #expect(frame.buffer.regions.count <= 1)
            count += 1
        }
        #expect(count == 30)
        for thread in threads { thread.stop() }
        #expect(line.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("Started and stopped again and again")
    func states() throws {
        let line = try pipeline(
            "videotestsrc pattern=black ! video/x-raw,format=NV12,width=121,height=111 ! svtestscene ! fakesink")
        for _ in 0..<20 {
            try line.reach(GST_STATE_PAUSED)
            try line.reach(GST_STATE_NULL)
        }
        #expect(line.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }
}
