// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Imaging
import Scenes
import TestScope
import TestSupport
import Testing

func mergeHarness(_ properties: [(String, String)] = [], like frame: TestFrame) throws -> Harness {
    guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
    return try Harness("svfacemerge", properties, like: frame)
}

extension SceneEntity {
    /// Returns the detection of a perfect detector.
    func detection(id: Int32) -> Detection {
        Detection(
            type: kind == .human ? "face" : "cat-face", id: id, box: rectangle, confidence: 0.9,
            landmarks: landmarks)
    }
}

extension TestFrame {
    /// Returns a buffer on which these faces are marked.
    func buffer(marked faces: [Detection], at pts: UInt64 = 0) throws -> Buffer {
        let buffer = try buffer(at: pts)
        DetectionMeta(buffer: buffer.pointer, size: PixelSize(width: width, height: height))
            .attach(faces, searched: ["face", "cat-face"])
        return buffer
    }

    /// Returns the smallest rectangle with all differences; nil if there are none.
    func difference(from other: TestFrame) -> Rectangle? {
        var (left, top, right, bottom) = (width, height, -1, -1)
        for y in 0..<height {
            for x in 0..<width where self[x, y] != other[x, y] {
                (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x), max(bottom, y))
            }
        }
        return right < 0 ? nil : Rectangle(x: left, y: top, width: right + 1 - left, height: bottom + 1 - top)
    }
}

@Suite("svfacemerge")
struct FaceMergeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a picture file of one drawn face.
    private func partner(_ kind: Scene.Kind = .cats, seed: UInt64 = 5, _ name: String = "partner.png") throws -> String
    {
        let picture = try DrawnFaces(kind, count: 1, seed: seed, width: 400, height: 400).frame().picture
        return try folder.write(
            TestFrame(.rgb, 400, 400) { x, y in picture.color(x, y).pixel(.rgb) }, name)
    }

    private func marked(_ actors: [SceneEntity]) -> [Detection] {
        actors.map { $0.detection(id: Int32($0.id) + 100) }
    }

    private func hybrids(_ buffer: Buffer, _ frame: TestFrame) -> [Detection] {
        buffer.detections(frame.width, frame.height).filter { $0.type == "hybrid-face" }
    }

    @Test(
        "replace: the face changes, all else stays, and the hybrid is in the metadata",
        arguments: ["smooth", "classic"])
    func replace(_ preset: String) throws {
        let (picture, actors) = try DrawnFaces(.faces, count: 1).frame()
        let actor = try #require(actors.first)
        let harness = try mergeHarness([("partner", partner()), ("preset", preset)], like: picture)
        #expect(harness.push(try picture.buffer(marked: marked(actors))) == GST_FLOW_OK)
        let result = try harness.pull()
        let shown = try harness.shown(result)
        let changed = try #require(shown.difference(from: picture))
        let face = actor.rectangle
        // Hair and chin belong to it, the surrounding scene does not.
        let around = Rectangle(
            x: face.x - face.width / 2, y: face.y - face.height / 2, width: 2 * face.width, height: 2 * face.height)
        #expect(changed.intersection(around) == changed)
        #expect(changed.intersection(face).width * 2 > face.width)
        let hybrid = try #require(hybrids(result, picture).first)
        #expect(hybrid.parent == 101)
        #expect(hybrid.classifications.map(\.label) == ["hybrid"])
        let eye = try #require(hybrid.landmarks).leftEye
        #expect(abs(eye.x - actor.leftEye.x) < 1.5 && abs(eye.y - actor.leftEye.y) < 1.5)
        #expect(result.detections(picture.width, picture.height).contains { $0.type == "face" && $0.id == 101 })
    }

    @Test("A frame without faces, or with none of the wanted species, goes on untouched and uncopied")
    func nothingToMerge() throws {
        let (picture, actors) = try DrawnFaces(.faces, count: 1).frame()
        let harness = try mergeHarness([("partner", partner()), ("species", "cat")], like: picture)
        for faces in [[], marked(actors)] {
            let kept = try picture.buffer(marked: faces)
            #expect(harness.push(kept) == GST_FLOW_OK)
            #expect(try harness.pull().pointer == kept.pointer)
        }
    }

    @Test("opacity 0 shows the frame as it was; the species of two humans is human")
    func opacity() throws {
        let (picture, actors) = try DrawnFaces(.faces, count: 1).frame()
        let harness = try mergeHarness([("partner", partner(.faces)), ("opacity", "0")], like: picture)
        #expect(harness.push(try picture.buffer(marked: marked(actors))) == GST_FLOW_OK)
        var result = try harness.pull()
        #expect(try harness.shown(result) == picture)
        harness.element.set("opacity", value: 1.0)
        #expect(harness.push(try picture.buffer(marked: marked(actors))) == GST_FLOW_OK)
        result = try harness.pull()
        #expect(try harness.shown(result) != picture)
        #expect(hybrids(result, picture).first?.classifications.map(\.label) == ["human"])
    }

    @Test("partners: each face that appears gets the next one and keeps it")
    func partners() throws {
        let people = folder.path + "/people"
        _ = g_mkdir_with_parents(people, 0o755)
        for (index, kind) in [Scene.Kind.cats, .faces].enumerated() {
            _ = try partner(kind, seed: 7, "people/\(index).png")
        }
        try folder.write(Array("not a picture".utf8), "people/notes.txt")
        let (picture, actors) = try DrawnFaces(.faces, count: 2).frame()
        let harness = try mergeHarness([("partners", people)], like: picture)
        for faces in [marked(actors), marked(actors).reversed()] {
            #expect(harness.push(try picture.buffer(marked: faces)) == GST_FLOW_OK)
            let found = hybrids(try harness.pull(), picture)
            #expect(Set(found.compactMap { $0.classifications.first?.label }) == ["hybrid", "human"])
        }
    }

    @Test("swap: each face is where the other was; pair: the hybrid is in its corner")
    func layouts() throws {
        let (picture, actors) = try DrawnFaces(.both, count: 2).frame()
        var harness = try mergeHarness([("layout", "swap")], like: picture)
        #expect(harness.push(try picture.buffer(marked: marked(actors))) == GST_FLOW_OK)
        let swapped = try harness.pull()
        #expect(Set(hybrids(swapped, picture).compactMap(\.parent)) == [101, 102])
        let shown = try harness.shown(swapped)
        for actor in actors {
            let (x, y) = (Int(actor.nose.x), Int(actor.nose.y))
            #expect(shown[x, y] != picture[x, y])
        }
        harness = try mergeHarness(
            [("layout", "pair"), ("inset-position", "bottom-left"), ("inset-size", "0.25")], like: picture)
        #expect(harness.push(try picture.buffer(marked: marked(actors))) == GST_FLOW_OK)
        let paired = try harness.pull()
        let changed = try #require(try harness.shown(paired).difference(from: picture))
        #expect(changed.intersection(Rectangle(x: 0, y: 230, width: 90, height: 90)) == changed)
        #expect(changed.width >= 70)
        #expect(hybrids(paired, picture).count == 1)
    }

    @Test("One face alone is not swapped")
    func alone() throws {
        let (picture, actors) = try DrawnFaces(.faces, count: 1).frame()
        for layout in ["swap", "pair"] {
            let harness = try mergeHarness([("layout", layout)], like: picture)
            #expect(harness.push(try picture.buffer(marked: marked(actors))) == GST_FLOW_OK)
            #expect(try harness.shown(try harness.pull()) == picture)
        }
    }

    @Test("Faces without numbers, as stock detectors leave them, have hybrids of their own")
    func withoutNumbers() throws {
        let (picture, actors) = try DrawnFaces(.faces, count: 2).frame()
        let harness = try mergeHarness([("partner", partner())], like: picture)
        var ids: [Set<Int32>] = []
        for _ in 0..<2 {
            let buffer = try picture.buffer()
            for actor in actors {
                let box = actor.rectangle
                try buffer.addRegion(
                    "face", id: 0, [UInt32(box.x), UInt32(box.y), UInt32(box.width), UInt32(box.height)])
            }
            #expect(harness.push(buffer) == GST_FLOW_OK)
            let found = hybrids(try harness.pull(), picture)
            #expect(found.count == 2 && found.allSatisfy { $0.parent == nil })
            for hybrid in found {
                #expect(actors.contains { !$0.rectangle.intersection(hybrid.box).isEmpty })
            }
            ids.append(Set(found.map(\.id)))
        }
        #expect(ids[0] == ids[1] && ids[0].count == 2)
    }

    @Test("A detector that says that it has not looked yet, or not everywhere, is a detector")
    func detectorWithARegion() throws {
        let line = try pipeline(
            "videotestsrc num-buffers=100 ! video/x-raw,width=160,height=120,framerate=30/1 "
                + "! svfacedetect draw=false region=0,0,50,50 ! svfacemerge partner=\(partner()) ! fakesink")
        try line.play()
        try line.finish()
        #expect(line.bus.pending(GST_MESSAGE_WARNING).isEmpty)
    }

    // MARK: - Errors

    @Test(
        "No partner, no face in the picture, nothing in the folder: said at start, with the path",
        arguments: [
            ("partner", "missing.png", "no such file"), ("partner", "empty.png", "face detected"),
            ("partners", "nowhere", "no such folder"), ("partners", "", "shows a face"),
        ])
    func badPartner(_ property: String, _ name: String, _ words: String) throws {
        try folder.write(TestFrame(.rgb, 60, 60, color: Color(gray: 120)), "empty.png")
        let path = name.isEmpty ? folder.path : folder.file(name)
        let line = try pipeline("videotestsrc num-buffers=3 ! svfacemerge \(property)=\(path) ! fakesink")
        #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.text.contains(path) && error.text.contains(words), "\(error.text)")
    }

    @Test("Without svfacedetect upstream: one warning after two seconds that says so")
    func noDetector() throws {
        let frame = TestFrame(.rgb, 32, 24, seed: 3)
        let harness = try mergeHarness([("partner", partner())], like: frame)
        for second in 0..<6 {
            #expect(harness.push(try frame.buffer(at: UInt64(second) * 1_000_000_000)) == GST_FLOW_OK)
            _ = try harness.pull()
            let warnings = harness.bus.pending(GST_MESSAGE_WARNING)
            #expect(warnings.count == (second == 2 ? 1 : 0))
            #expect(warnings.allSatisfy { $0.text.contains("svfacedetect") })
        }
        // A detector that finds nobody is still a detector.
        let other = try mergeHarness([("partner", partner())], like: frame)
        for second in 0..<6 {
            #expect(other.push(try frame.buffer(marked: [], at: UInt64(second) * 1_000_000_000)) == GST_FLOW_OK)
            _ = try other.pull()
        }
        #expect(other.bus.pending(GST_MESSAGE_WARNING).isEmpty)
    }

    @Test("Metadata that makes no sense: nothing is drawn where nothing can be, and no harm", arguments: Int32(0)..<12)
    func nonsense(_ kind: Int32) throws {
        let (picture, actors) = try DrawnFaces(.faces, count: 1).frame()
        var face = try #require(actors.first).detection(id: kind + 1)
        let far = 1e300
        switch kind {
        case 0: face.landmarks?.leftEye = Point(.nan, 5)
        case 1: face.landmarks?.rightEye = Point(.infinity, -.infinity)
        case 2: face.landmarks?.nose = Point(far, -far)
        case 3: if let eye = face.landmarks?.leftEye { face.landmarks?.rightEye = eye }
        case 4:
            // On one line.
            if let eye = face.landmarks?.leftEye {
                face.landmarks?.rightEye = Point(eye.x + 40, eye.y)
                face.landmarks?.nose = Point(eye.x + 80, eye.y)
            }
        case 5: face.box = Rectangle(x: 10, y: 10, width: 8, height: 8)
        case 6: face.box = Rectangle(x: -60, y: 100, width: 120, height: 120)
        case 7: face.box = Rectangle(x: 0, y: 0, width: 1, height: 1)
        case 8: face.box = Rectangle(x: 0, y: 0, width: 480, height: 320)
        case 9: face.landmarks = nil
        case 10:
            face.landmarks?.leftEye = Point(-3000, -3000)
            face.landmarks?.rightEye = Point(4000, -2500)
            face.landmarks?.nose = Point(500, 5000)
        default:
            face.landmarks?.leftEye = Point(470, 10)
            face.landmarks?.rightEye = Point(560, 12)
            face.landmarks?.nose = Point(510, 60)
        }
        if kind == 5 || kind == 6 { face.landmarks = nil }
        // Each kind with two of the layouts.
        for layout in [["replace", "swap"], ["pair", "studio"]][Int(kind) % 2] {
            for preset in layout == "swap" ? ["smooth", "classic"] : ["smooth"] {
                // The other layouts do not use a partner image.
                let partners = layout == "replace" ? [("partner", try partner())] : []
                let harness = try mergeHarness(partners + [("layout", layout), ("preset", preset)], like: picture)
                var other = face
                other.id += 100
                for number in 0..<3 {
                    let buffer = try picture.buffer(marked: [face, other], at: UInt64(number) * 40_000_000)
                    #expect(harness.push(buffer) == GST_FLOW_OK)
                    let result = try harness.pull()
                    let inside = hybrids(result, picture).allSatisfy { !$0.box.isEmpty }
                    #expect(inside)
                }
            }
        }
    }

    @Test(
        "Formats, with what a detector found",
        arguments: TestScope.some(FrameFormat.all.map(\.name), oneIn: 3, offset: 2))
    func formats(_ format: String) throws {
        let path = try partner()
        let line = try pipeline(
            "videotestsrc num-buffers=4 ! video/x-raw,format=\(format),width=321,height=241 ! svtestscene scene=faces count=1 "
                + "! svfacedetect draw=false mode=sync ! svfacemerge name=m partner=\(path) ! fakesink")
        let before = try FrameProbe(line.pad("m", "sink"))
        let after = try FrameProbe(line.pad("m", "src"))
        try line.play()
        try line.finish()
        #expect(before.frames.count == 4)
        for (one, other) in zip(before.frames, after.frames) {
            #expect(one.bytes != other.bytes)
            #expect(other.buffer.detections(321, 241).contains { $0.type == "hybrid-face" })
        }
    }

    @Test("Properties at random from threads while it plays")
    func random() throws {
        let (picture, actors) = try DrawnFaces(.both, count: 2, width: 240, height: 160).frame()
        let path = try partner()
        let harness = try mergeHarness([("partner", path)], like: picture)
        let element = harness.element
        let threads = (0..<2).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(seed) &* 1000 &+ UInt64(round))
                switch random.next() % 9 {
                case 0:
                    element.set("layout", ["replace", "swap", "pair", "studio"].randomElement(using: &random) ?? "")
                case 1: element.set("preset", ["smooth", "classic"].randomElement(using: &random) ?? "")
                case 2: element.set("mode", ["screen", "hud", "hue", "none"].randomElement(using: &random) ?? "")
                case 3: element.set("opacity", value: Double(random.byte()) / 255)
                case 4: element.set("feather", value: Double(random.byte()) / 255)
                case 5: element.set("partner", random.next() % 2 == 0 ? path : "none")
                case 6: element.emit("select-face", UInt32(random.next() % 4))
                case 7: element.emit("merge")
                default: element.set("inset-size", value: 0.05 + Double(random.byte()) / 300)
                }
            }
        }
        for number in 0..<60 {
            #expect(
                harness.push(try picture.buffer(marked: marked(actors), at: UInt64(number) * 40_000_000)) == GST_FLOW_OK
            )
            _ = try harness.pull()
        }
        for thread in threads { thread.stop() }
        #expect(harness.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }
}
