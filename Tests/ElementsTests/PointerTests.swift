// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
@testable import Elements
import Imaging
import Scenes
import TestSupport
import Testing

@Suite("The mouse in the video window")
struct PointerTests {
    private func click(_ harness: Harness, _ box: Rectangle, button: Int32 = 1) {
        let (x, y) = (Double(box.x) + Double(box.width) / 2, Double(box.y) + Double(box.height) / 2)
        harness.pushUpstream(gst_navigation_event_new_mouse_button_press(button, x, y, GST_NAVIGATION_MODIFIER_NONE))
    }

    /// Returns the position of the last mouse event that was sent upstream. Skips earlier events.
    private func upstream(_ harness: Harness) -> Point? {
        var place: Point?
        for _ in 0..<50 { place = harness.takeUpstreamPlace() ?? place }
        return place
    }

    private func told(_ harness: Harness) -> String? { harness.bus.wait(GST_MESSAGE_INFO)?.text }

    // MARK: - svfilter

    @Test(
        "svfilter sends the mouse upstream to where the pixel under it comes from: the colours tell",
        arguments: [
            "mirror", "mirror axis=both", "rotate angle=30", "crop-zoom zoom=2", "pinch", "twirl angle=60",
            "lens k1=0.2",
            "perspective", "mirror | rotate angle=20 | sepia-tone intensity=0", "gaussian-blur radius=1",
        ])
    func filter(_ chain: String) throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        // The colour of a pixel contains its position.
        let frame = TestFrame(.bgra, 120, 100) { x, y in
            Color(red: UInt8(2 * x), green: UInt8(2 * y), blue: 255).pixel(.bgra)
        }
        let harness = try Harness("svfilter", [("filters", chain)], like: frame)
        let shown = try harness.process(frame)
        var count = 0
        for (x, y) in [(60, 50), (30, 25), (90, 70), (45, 80), (100, 40), (70, 20), (20, 60)] {
            let color = shown.color(x, y)
            _ = upstream(harness)
            harness.pushUpstream(
                gst_navigation_event_new_mouse_move(Double(x) + 0.5, Double(y) + 0.5, GST_NAVIGATION_MODIFIER_NONE))
            let place = upstream(harness)
            // Pixels that show no part of the input are black.
            guard color.blue == 255 else {
                if color.blue == 0 { #expect(place == nil) }
                continue
            }
            let source = try required(place, "\(x),\(y) comes from nowhere")
            count += 1
            #expect(abs(source.x - 0.5 - Double(color.red) / 2) < 1.5, "\(x),\(y)")
            #expect(abs(source.y - 0.5 - Double(color.green) / 2) < 1.5, "\(x),\(y)")
        }
        #expect(count >= 3)
    }

    // MARK: - svfacemerge

    @Test(
        "Two clicks in the studio merge the two faces under them; a click on the hybrid clears; others go on upstream")
    func studio() throws {
        let (picture, actors) = try DrawnFaces(.both, count: 2).frame()
        let faces = actors.map { $0.detection(id: Int32($0.id) + 100) }
        let harness = try mergeHarness([("layout", "studio")], like: picture)
        var time: UInt64 = 0
        func push() throws -> Detection? {
            #expect(harness.push(try picture.buffer(marked: faces, at: time)) == GST_FLOW_OK)
            time += 40_000_000
            return try harness.pull().detections(picture.width, picture.height).first { $0.type == "hybrid-face" }
        }
        #expect(try push() == nil)
        _ = upstream(harness)
        click(harness, faces[0].box)
        #expect(upstream(harness) == nil)
        #expect(try push() == nil)
        #expect(told(harness) == "selected face 1. Select another face.")
        // A double click does not select a second face.
        click(harness, faces[0].box)
        #expect(try push() == nil)
        #expect(told(harness)?.hasPrefix("this face is already selected") == true)
        click(harness, Rectangle(x: 0, y: 0, width: 2, height: 2))
        #expect(try push() == nil)
        #expect(told(harness) == "no face to select")
        click(harness, faces[1].box)
        let hybrid = try required(try push(), "no hybrid")
        #expect(told(harness) == "selected face 2 and merged both faces")
        // The hybrid is reduced to up to half of its size, so that it covers no face.
        #expect(hybrid.box.height > picture.height / 5)
        click(harness, hybrid.box)
        #expect(try push() == nil)
        #expect(told(harness) == "removed the merged face and the selected faces")
        // Other buttons and other layouts do not select faces.
        click(harness, faces[0].box, button: 3)
        #expect(upstream(harness) != nil)
        harness.element.set("keys", "false")
        click(harness, faces[0].box)
        #expect(upstream(harness) != nil)
        harness.element.set("keys", "true")
        harness.element.set("layout", "swap")
        click(harness, faces[0].box)
        #expect(upstream(harness) != nil)
    }

    // MARK: - svblobclassify

    @Test("A clicked blob is learned: by learn-label at once, else by the next learn")
    func blobs() throws {
        let coins = try DrawnCoins.of(2)
        let chain = try BlobChain([], [("learn-label", "none")], like: coins.picture)
        let boxes = try chain.names(coins.picture).map(\.box).sorted { $0.area < $1.area }
        #expect(boxes.count == 2)
        _ = upstream(chain.classify)
        click(chain.classify, boxes[0])
        #expect(upstream(chain.classify) == nil)
        #expect(told(chain.classify) == "selected a blob. Press l to learn this blob")
        _ = try chain.names(coins.picture, at: 40_000_000)
        // The selected object is the smaller one.
        #expect(chain.classify.element.ask("learn", "small", as: Bool.self) == true)
        var names = try chain.names(coins.picture, at: 80_000_000)
        names = try chain.names(coins.picture, at: 120_000_000)
        #expect(names.first { $0.box == boxes[0] }?.name == "small")
        #expect(names.first { $0.box == boxes[1] }?.name != "small")
        chain.classify.element.set("learn-label", "large")
        click(chain.classify, boxes[1])
        #expect(told(chain.classify) == "learning large")
        for number in 4..<20 { names = try chain.names(coins.picture, at: UInt64(number) * 40_000_000) }
        #expect(names.first { $0.box == boxes[1] }?.name == "large")
        #expect(names.first { $0.box == boxes[0] }?.name == "small")
        _ = upstream(chain.classify)
        click(chain.classify, Rectangle(x: 0, y: 0, width: 2, height: 2))
        #expect(upstream(chain.classify) == Point(1, 1))
    }

    @Test("learn-picture learns a picture file; a missing one is answered, a broken one is a warning")
    func pictures() throws {
        let training = try DrawnTraining.shared
        let coins = try DrawnCoins.of(2)
        let chain = try BlobChain([], [("learn-label", "none")], like: coins.picture)
        _ = try chain.names(coins.picture)
        let element = chain.classify.element
        #expect(element.ask("learn-picture", "gold coin", "/no/such.png", as: Bool.self) == false)
        for (label, file) in [("gold coin", "gold-coin.png"), ("silver coin", "silver-coin.png")] {
            #expect(element.ask("learn-picture", label, training.folder.file(file), as: Bool.self) == true)
        }
        var learned = 0
        #expect(
            eventually {
                learned +=
                    chain.classify.bus.pending(GST_MESSAGE_ELEMENT).filter { $0.structure.contains("learned") }.count
                return learned == 2
            })
        #expect(element.ask("learn-picture", "text", training.list, as: Bool.self) == true)
        #expect(chain.classify.bus.wait(GST_MESSAGE_WARNING)?.text.contains("training.plist") == true)
        let names = try chain.names(coins.picture, at: 40_000_000).compactMap(\.name)
        #expect(!names.isEmpty && names.allSatisfy { ["gold coin", "silver coin", "unidentified"].contains($0) })
    }

    // MARK: - svfacerecognize

    @Test("The clicked face is collected, not the largest one, and followed while it moves")
    func collecting() throws {
        let drawn = DrawnFaces(.people, count: 2, width: 320, height: 200)
        let (picture, actors) = try drawn.frame()
        let faces = actors.map { $0.detection(id: Int32($0.id) + 100) }.sorted { $0.box.area < $1.box.area }
        let harness = try recognizeHarness(
            [("draw", "false"), ("collect-count", "1"), ("collect-difference", "0")], like: picture)
        #expect(harness.push(try picture.buffer(marked: faces, at: 0)) == GST_FLOW_OK)
        _ = try harness.pull()
        _ = upstream(harness)
        click(harness, faces[0].box)
        #expect(upstream(harness) == nil)
        #expect(told(harness) == "collecting faces of Person 1")
        #expect(harness.push(try picture.buffer(marked: faces, at: 1_000_000_000)) == GST_FLOW_OK)
        _ = try harness.pull()
        #expect(harness.bus.wait(GST_MESSAGE_ELEMENT)?.structure.contains("collected") == true)
        click(harness, faces[1].box)
        #expect(told(harness) == "collecting faces of Person 2")
        #expect(harness.push(try picture.buffer(marked: faces, at: 2_000_000_000)) == GST_FLOW_OK)
        _ = try harness.pull()
        harness.element.emit("train")
        #expect(
            eventually {
                harness.bus.pending(GST_MESSAGE_ELEMENT).contains { $0.structure.contains("trained") }
            })
        #expect(harness.push(try picture.buffer(marked: faces, at: 3_000_000_000)) == GST_FLOW_OK)
        let named = try harness.pull().detections(320, 200)
        func name(_ id: Int32) -> String? { named.first { $0.id == id }?.classifications.first?.label }
        #expect(name(faces[0].id) == "Person 1" && name(faces[1].id) == "Person 2")
        click(harness, Rectangle(x: 0, y: 0, width: 2, height: 2))
        #expect(upstream(harness) == Point(1, 1))
    }

    @Test("A chosen face that is lost is taken up again in its place, and nobody else instead")
    func following() {
        func face(_ id: Int32, _ x: Int) -> Detection {
            Detection(type: .face, id: id, box: Rectangle(x: x, y: 10, width: 40, height: 40))
        }
        var collector = SampleCollector("Ada", trains: false, of: face(1, 10))
        #expect(collector.choose(among: [face(2, 100), face(1, 20)])?.id == 1)
        #expect(collector.choose(among: [face(2, 100)]) == nil)
        #expect(collector.choose(among: [face(2, 100), face(3, 25)])?.id == 3)
        var any = SampleCollector("Ben", trains: false)
        #expect(any.choose(among: [face(2, 100), face(3, 25)])?.id == 2)
        #expect(any.choose(among: [face(3, 25), face(2, 100)])?.id == 2)
        #expect(any.choose(among: [face(3, 25)])?.id == 3)
    }
}
