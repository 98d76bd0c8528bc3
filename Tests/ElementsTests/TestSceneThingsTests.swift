// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Imaging
import Scenes
import TestSupport
import Testing

@Suite("svtestscene: things and light")
struct TestSceneThingsTests {
    @Test("The truth has names and numbers, six by itself", arguments: ["coins", "things"])
    func truth(_ kind: String) throws {
        let scene = try SceneHarness([("scene", kind)], width: 640, height: 480)
        let truth = try scene.truth()
        let scenes: [String: Scene.Kind] = ["coins": .coins, "things": .things]
        let entities = Scene(try #require(scenes[kind]), count: 6, width: 640, height: 480).entities(at: 0)
        #expect(truth.count == 6 && truth.allSatisfy { $0.type == "truth/blob" && $0.landmarks == nil })
        #expect(truth.map(\.box) == entities.map(\.rectangle))
        #expect(truth.map(\.label) == entities.map { $0.object?.label })
        #expect(truth.map { Int($0.labelID) } == entities.map { $0.object?.number })
    }

    @Test("Light changes while it plays: the picture is another, the truth and its ids stay")
    func light() throws {
        let scene = try SceneHarness([("scene", "things")], width: 320, height: 240)
        let first = try scene.process()
        let (truth, bytes) = (first.truth(320, 240), TestFrame.memory(of: first))
        var seen = [bytes]
        for (name, value) in [("shadow", 0.5), ("shadow-angle", 200), ("light-falloff", 0.3)] {
            scene.harness.element.set(name, value: value)
            #expect(scene.harness.element.get(name) == value)
            let frame = try scene.process()
            #expect(frame.truth(320, 240) == truth)
            #expect(!seen.contains(TestFrame.memory(of: frame)))
            seen.append(TestFrame.memory(of: frame))
        }
        scene.harness.element.set("shadow", value: 0.0)
        scene.harness.element.set("light-falloff", value: 0.0)
        #expect(try TestFrame.memory(of: scene.process()) == bytes)
    }

    @Test("training-location writes a picture of each thing, and a list that svblobclassify reads")
    func training() throws {
        let folder = try TemporaryFolder()
        let line = try pipeline(
            "videotestsrc num-buffers=1 ! svtestscene scene=things training-location=\(folder.path) ! fakesink")
        try line.play()
        try line.finish()
        let names = SceneObject.things.map { $0.label.replacing(" ", with: "-") + ".png" }
        #expect(folder.names.sorted() == (names + ["training.plist"]).sorted())
        let frame = TestFrame(.bgra, 64, 48, color: paper)
        let chain = try BlobChain([], [("training", folder.file("training.plist"))], like: frame)
        #expect(chain.classify.bus.pending(GST_MESSAGE_WARNING).isEmpty)
    }
}
