// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
@testable import Elements
import Imaging
import Scenes
import TestSupport
import Testing
import Vision

@Suite("svfacemerge: partner images, reports and insets")
struct FaceMergePartnerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes an image of drawn faces, and returns its path.
    private func image(
        _ kind: Scene.Kind, count: Int = 1, seed: UInt64 = 5, part: Rectangle? = nil, _ name: String = "partner.png"
    ) throws -> String {
        let picture = try DrawnFaces(kind, count: count, seed: seed, width: 480, height: 400).frame().picture
        let part = part ?? Rectangle(width: 480, height: 400)
        return try folder.write(
            TestFrame(.rgb, part.width, part.height) { x, y in picture.color(x + part.x, y + part.y).pixel(.rgb) },
            name)
    }

    private func error(_ properties: String) throws -> String {
        let line = try pipeline("videotestsrc num-buffers=3 ! svfacemerge \(properties) ! fakesink")
        #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        return try #require(line.bus.wait(GST_MESSAGE_ERROR)).text
    }

    @Test("An image whose face is cut off is refused, with the reason and the fix")
    func cutOff() throws {
        let actor = try #require(DrawnFaces(.cats, count: 1, seed: 5, width: 480, height: 400).frame().actors.first)
        let eye = actor.leftEye
        let path = try image(
            .cats, part: Rectangle(x: Int(eye.x) - 8, y: 0, width: 480 - Int(eye.x) + 8, height: 400))
        let y = Int(eye.y)
        let text = try error("partner=\(path) partner-points=\"8,\(y) 60,\(y) 34,\(y + 30)\"")
        #expect(text.contains(path) && text.contains("cut off"), "\(text)")
    }

    @Test("partner-face that selects no face is refused, and the error names the faces that there are")
    func selection() throws {
        let path = try image(.faces, count: 2)
        let text = try error("partner=\(path) partner-face=9")
        #expect(text.contains("partner-face"), "\(text)")
        #expect(try error("partner=\(path) partner-face=middle").contains("partner-face=middle"))
        let line = try pipeline("videotestsrc num-buffers=3 ! svfacemerge partner=\(path) partner-face=left ! fakesink")
        try line.play()
        try line.finish()
    }

    @Test(
        "Malformed positions are refused, with an example",
        arguments: ["1,2", "cat 1,2 3,4", "10,10 10,10 10,10", "a,b c,d e,f", "1,2 3 4,5", "nan,1 5,5 9,9"])
    func badPoints(_ points: String) throws {
        let text = try error("partner=\(image(.cats)) partner-points=\"\(points)\"")
        #expect(text.contains("partner-points=\(points)") && text.contains("120,80"), "\(text)")
        // A page refuses the text with the same advice. The page adds the name of the property.
        let obstacle = try #require(PartnerPoints.obstacle(points))
        #expect(obstacle.hasPrefix("not valid. ") && obstacle.contains("120,80"))
        #expect(PartnerPoints.obstacle("cat 120,80 182,81 150,120") == nil && PartnerPoints.obstacle("") == nil)
    }

    @Test("With positions, an image without a detected face is a partner")
    func points() throws {
        let path = try folder.write(
            TestFrame(.rgb, 300, 300) { x, y in Color(90, Double(x % 200), Double(y % 200)).pixel(.rgb) }, "plain.png")
        let (picture, actors) = try DrawnFaces(.faces, count: 1).frame()
        let harness = try mergeHarness(
            [("partner", path), ("partner-points", "cat 110,120 190,120 150,165 150,185 150,220")], like: picture)
        let faces = actors.map { $0.detection(id: 101) }
        #expect(harness.push(try picture.buffer(marked: faces)) == GST_FLOW_OK)
        let hybrids = try harness.pull().detections(picture.width, picture.height).filter { $0.type == "hybrid-face" }
        #expect(hybrids.map { $0.classifications.map(\.label) } == [["hybrid"]])
    }

    @Test("partner-points does not apply to the images of a folder")
    func pointsOfFolder() throws {
        let folder = folder.path + "/images"
        _ = g_mkdir_with_parents(folder, 0o755)
        _ = try image(.cats, "images/cat.png")
        let line = try pipeline(
            "videotestsrc num-buffers=3 ! svfacemerge partners=\(folder) partner-points=\"cat 1,1 5,1 3,4\" ! fakesink")
        try line.play()
        try line.finish()
        let chin = try PartnerPoints("cat 110,120 190,120 150,165 150,185 150,220")?.face(.cat).chin
        #expect(chin == Point(150, 220))
    }

    @Test("A new partner-face or partner-points loads the image again while the stream runs")
    func changedSelection() throws {
        let (drawn, actors) = try DrawnFaces(.both, count: 2, seed: 5, width: 480, height: 400).frame()
        let path = try folder.write(TestFrame(.rgb, 480, 400) { x, y in drawn.color(x, y).pixel(.rgb) }, "both.png")
        let cat = try #require(actors.first { $0.kind != .human })
        let human = try #require(actors.first { $0.kind == .human })
        let isCatLeft = cat.leftEye.x < human.leftEye.x
        let (picture, faces) = try DrawnFaces(.faces, count: 1).frame()
        let harness = try mergeHarness(
            [("partner", path), ("partner-face", isCatLeft ? "left" : "right")], like: picture)
        func species() throws -> String? {
            #expect(harness.push(try picture.buffer(marked: faces.map { $0.detection(id: 101) })) == GST_FLOW_OK)
            return try harness.pull().detections(picture.width, picture.height).first { $0.type == "hybrid-face" }?
                .classifications.first?.label
        }
        #expect(try species() == "hybrid")
        harness.element.set("partner-face", isCatLeft ? "right" : "left")
        #expect(try eventually { try species() == "human" })
        let points = [cat.leftEye, cat.rightEye, cat.nose].map { "\($0.x),\($0.y)" }.joined(separator: " ")
        harness.element.set("partner-points", "cat " + points)
        #expect(try eventually { try species() == "hybrid" })
        #expect(harness.bus.pending(GST_MESSAGE_WARNING).isEmpty)
    }

    @Test(
        "An invalid partner-face or partner-points gives one warning, and the last value returns",
        arguments: [[], ["partner"], ["partner", "partners"]])
    func invalidSelection(_ properties: [String]) throws {
        let images = folder.path + "/images"
        _ = g_mkdir_with_parents(images, 0o755)
        let paths = ["partner": try image(.cats, "images/cat.png"), "partners": images]
        let frame = TestFrame(.rgb, 64, 48, color: Color(gray: 150))
        let harness = try mergeHarness(
            [("layout", "swap"), ("partner-face", "left")] + properties.map { ($0, paths[$0] ?? "") }, like: frame)
        for (name, bad, old) in [("partner-face", "middle", "left"), ("partner-points", "1,2", nil)] {
            harness.element.set(name, bad)
            for number in 0..<3 {
                #expect(harness.push(try frame.buffer(marked: [], at: UInt64(number))) == GST_FLOW_OK)
                _ = try harness.pull()
            }
            let warnings = harness.bus.pending(GST_MESSAGE_WARNING).map(\.text)
            #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("\(name)=\(bad)") }, "\(warnings)")
            #expect(harness.element.text(name) == old)
        }
    }

    // MARK: - Reports

    @Test("Without a face for two seconds, one message names the reason")
    func absence() throws {
        let path = try image(.cats)
        let dark = TestFrame(.rgb, 320, 240, color: Color(gray: 10))
        let bright = TestFrame(.rgb, 320, 240, color: Color(gray: 150))
        let (faces, actors) = try DrawnFaces(.faces, count: 1).frame()
        let human = actors.map { $0.detection(id: 101) }
        var possible = try #require(human.first)
        possible.type = possible.type.possible
        var small = possible
        small.box = Rectangle(x: small.box.x, y: small.box.y, width: 16, height: 16)
        let cases: [(TestFrame, [Detection], [(String, String)], String)] = [
            (dark, [], [], "too-dark"), (bright, [], [], "no-face"), (faces, human, [("species", "cat")], "species"),
            (faces, human, [("layout", "swap")], "too-few"), (faces, human, [("face", "9")], "selection"),
            (faces, [possible], [], "unclear"), (faces, [small], [], "too-small"),
        ]
        for (frame, marked, properties, reason) in cases {
            let harness = try mergeHarness([("partner", path)] + properties, like: frame)
            for second in 0..<5 {
                #expect(
                    harness.push(try frame.buffer(marked: marked, at: UInt64(second) * 1_000_000_000)) == GST_FLOW_OK)
                _ = try harness.pull()
                let reasons = harness.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }
                    .filter { $0.text("event") == "nothing-to-merge" }.map { $0.text("reason") }
                #expect(reasons == (second == 2 ? [reason] : []), "\(reason) \(second)")
            }
        }
    }

    @Test("A face in profile is left unchanged, and reported once")
    func profile() throws {
        let (picture, actors) = try DrawnFaces(.faces, count: 1).frame()
        var face = try #require(actors.first).detection(id: 101)
        face.landmarks?.pose = HeadPose(roll: 0, yaw: 60, pitch: 0)
        let harness = try mergeHarness([("partner", try image(.cats))], like: picture)
        var reports = 0
        for number in 0..<4 {
            let buffer = try picture.buffer(marked: [face], at: UInt64(number) * 40_000_000)
            #expect(harness.push(buffer) == GST_FLOW_OK)
            #expect(try harness.shown(try harness.pull()) == picture)
            reports += harness.bus.pending(GST_MESSAGE_INFO).filter { $0.text.contains("turned") }.count
        }
        #expect(reports == 1)
    }

    @Test("A turned face is the reason only if it prevents each merge")
    func turned() throws {
        let (picture, actors) = try DrawnFaces(.both, count: 2).frame()
        let front = actors.map { $0.detection(id: Int32($0.id) + 100) }
        var third = try #require(front.first)
        (third.id, third.type) = (109, "face")
        third.box = Rectangle(x: 0, y: 0, width: 30, height: 30)
        func turned(_ face: Detection) -> Detection {
            var face = face
            face.landmarks?.pose = HeadPose(roll: 0, yaw: 60, pitch: 0)
            return face
        }
        let cases: [([Detection], [(String, String)], [String])] = [
            ([turned(front[0])], [], ["turned"]), ([turned(front[0]), front[1]], [], []),
            ([turned(front[0]), front[1]], [("layout", "swap")], ["turned"]),
            (front + [turned(third)], [("layout", "swap")], []), (front + [turned(third)], [("layout", "pair")], []),
            ([turned(front[0])], [("preset", "classic")], []),
            ([turned(front[0])], [("preset", "classic"), ("face", "9")], ["selection"]),
            ([turned(front[0])], [("face", "9")], ["selection"]),
        ]
        let path = try image(.cats)
        for (faces, properties, expected) in cases {
            let harness = try mergeHarness([("partner", path)] + properties, like: picture)
            for second in 0..<4 {
                let buffer = try picture.buffer(marked: faces, at: UInt64(second) * 1_000_000_000)
                #expect(harness.push(buffer) == GST_FLOW_OK)
                _ = try harness.pull()
            }
            let reasons = harness.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }
                .filter { $0.text("event") == "nothing-to-merge" }.map { $0.text("reason") }
            #expect(reasons == expected, "\(properties)")
        }
    }

    // MARK: - Fades

    @Test("A hybrid that fades out has a region, so that elements that hide faces also hide it")
    func fadingRegion() throws {
        let (picture, actors) = try DrawnFaces(.faces, count: 1).frame()
        let face = try #require(actors.first).detection(id: 101)
        let harness = try mergeHarness([("partner", try image(.cats))], like: picture)
        var ids: Set<Int32> = []
        for (milliseconds, faces, isVisible) in [(0, [face], true), (40, [], true), (80, [], true), (400, [], false)] {
            let buffer = try picture.buffer(marked: faces, at: UInt64(milliseconds) * 1_000_000)
            #expect(harness.push(buffer) == GST_FLOW_OK)
            let result = try harness.pull()
            let hybrids = result.detections(picture.width, picture.height).filter { $0.type == "hybrid-face" }
            let change = try harness.shown(result).difference(from: picture)
            #expect((change != nil) == isVisible && hybrids.count == (isVisible ? 1 : 0))
            #expect(hybrids.allSatisfy { $0.box == face.box })
            ids.formUnion(hybrids.map(\.id))
        }
        #expect(ids.count == 1)
    }

    @Test("Hybrids disappear at once if a swapped face is lost, or if the layout changes")
    func lostHybrids() throws {
        let (picture, actors) = try DrawnFaces(.both, count: 2).frame()
        let faces = actors.map { $0.detection(id: Int32($0.id) + 100) }
        for layout in ["swap", "replace"] {
            let harness = try mergeHarness([("layout", layout), ("partner", try image(.cats))], like: picture)
            #expect(harness.push(try picture.buffer(marked: faces)) == GST_FLOW_OK)
            #expect(try harness.shown(try harness.pull()) != picture)
            if layout == "replace" { harness.element.set("layout", "swap") }
            #expect(harness.push(try picture.buffer(marked: [faces[0]], at: 40_000_000)) == GST_FLOW_OK)
            #expect(try harness.shown(try harness.pull()) == picture)
            harness.element.set("layout", "replace")
            #expect(harness.push(try picture.buffer(marked: [], at: 80_000_000)) == GST_FLOW_OK)
            #expect(try harness.shown(try harness.pull()) == picture)
        }
    }

    // MARK: - Insets

    @Test("An explicit inset-position shows the hybrid at the full inset-size, even over faces")
    func insetSize() throws {
        let (picture, actors) = try DrawnFaces(.both, count: 2).frame()
        let faces = actors.map { $0.detection(id: Int32($0.id) + 100) }
        let harness = try mergeHarness([("layout", "pair"), ("inset-size", "0.6")], like: picture)
        for position in ["auto", "top-right"] {
            harness.element.set("inset-position", position)
            #expect(harness.push(try picture.buffer(marked: faces)) == GST_FLOW_OK)
            let changed = try #require(try harness.shown(try harness.pull()).difference(from: picture))
            let full = Rectangle(x: 480 - 192 - 8, y: 8, width: 192, height: 192)
            #expect((changed == full) == (position == "top-right"), "\(changed)")
        }
    }

    @Test("inset-position=auto avoids faces, and an explicit position wins")
    func insetPosition() throws {
        let (picture, actors) = try DrawnFaces(.both, count: 2).frame()
        var faces = actors.map { $0.detection(id: Int32($0.id) + 100) }
        // The second face covers the upper right corner, which is the preferred position.
        faces[1].box = Rectangle(x: picture.width - 160, y: 0, width: 160, height: 160)
        for (position, isFree) in [("auto", true), ("top-right", false)] {
            let harness = try mergeHarness([("layout", "pair"), ("inset-position", position)], like: picture)
            #expect(harness.push(try picture.buffer(marked: faces)) == GST_FLOW_OK)
            let changed = try #require(try harness.shown(try harness.pull()).difference(from: picture))
            #expect(changed.intersection(faces[1].box).isEmpty == isFree, "\(position)")
        }
    }

    @Test("Insets stay inside of the frame, and stay at their place while it is free")
    func placer() {
        let corners = FaceMerge.InsetPosition.auto.places
        var placer = InsetPlacer()
        let frame = (width: 320, height: 240)
        func place(_ areas: [Rectangle], side: Int = 84) -> Rectangle {
            placer.place(0, size: (side, side), at: corners, avoiding: areas, in: frame)
        }
        #expect(place([]) == Rectangle(x: 230, y: 6, width: 84, height: 84))
        let right = Rectangle(x: 200, y: 0, width: 120, height: 120)
        #expect(place([right]) == Rectangle(x: 6, y: 6, width: 84, height: 84))
        #expect(place([]) == Rectangle(x: 6, y: 6, width: 84, height: 84))
        // Only a smaller inset is free.
        let small = place([Rectangle(x: 0, y: 0, width: 320, height: 170)])
        #expect(small.width < 84 && small.y >= 170)
        #expect(place([]).width == 84)
        // The size does not alternate while a face moves a little: a larger place needs some distance from faces.
        _ = place([Rectangle(x: 0, y: 0, width: 320, height: 170)])
        #expect(place([Rectangle(x: 0, y: 0, width: 320, height: 148)]).width < 84)
        #expect(place([Rectangle(x: 0, y: 0, width: 320, height: 130)]).width == 84)
        // No place is free: the inset stays, unless another place is clearly better.
        let all = Rectangle(width: 320, height: 240)
        let kept = place([all, Rectangle(x: 280, y: 0, width: 40, height: 40)])
        #expect(kept.x == 6)
        #expect(place([all, Rectangle(width: 12, height: 12)]) == kept)
        #expect(place([all, kept, kept]) != kept)
        for side in [1, 240, 1000, 0, -5] {
            for areas in [[], [Rectangle(width: 320, height: 240)], [Rectangle(x: -50, y: -50, width: 9, height: 9)]] {
                let area = place(areas, side: side)
                #expect(Rectangle(width: 320, height: 240).intersection(area) == area && !area.isEmpty)
            }
        }
    }
}
