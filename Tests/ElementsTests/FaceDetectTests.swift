// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Imaging
import Scenes
import TestScope
import TestSupport
import Testing
import Vision

@Suite("svfacedetect: frames")
struct FaceDetectTests {
    @Test("Faces are in the metadata, and with drawing off no byte changes")
    func found() throws {
        let (picture, actors) = try DrawnFaces().frame()
        let harness = try faceHarness([("draw", "false")], like: picture)
        let buffer = try picture.buffer()
        #expect(harness.push(buffer) == GST_FLOW_OK)
        let result = try harness.pull()
        let faces = result.detections(picture.width, picture.height)
        #expect(faces.show(actors))
        #expect(try harness.shown(result) == picture)
        #expect(result.wasSearched(for: "face") && result.wasSearched(for: "cat-face"))
        let human = try #require(faces.first { $0.type == "face" })
        let actor = try #require(actors.first { $0.kind == .human })
        let eye = try #require(human.landmarks).leftEye
        #expect(abs(eye.x - actor.leftEye.x) < 8 && abs(eye.y - actor.leftEye.y) < 8)
    }

    @Test("A shared buffer: the same memory goes on, and only our copy of the buffer has metadata")
    func shared() throws {
        let (picture, actors) = try DrawnFaces().frame()
        let harness = try faceHarness([("draw", "false")], like: picture)
        let kept = try picture.buffer()
        #expect(harness.push(kept) == GST_FLOW_OK)
        let result = try harness.pull()
        #expect(result.pointer != kept.pointer)
        #expect(gst_buffer_n_memory(result.pointer) == 1)
        #expect(gst_buffer_peek_memory(result.pointer, 0) == gst_buffer_peek_memory(kept.pointer, 0))
        #expect(result.detections(picture.width, picture.height).show(actors))
        #expect(kept.regions.isEmpty)
    }

    @Test("With eye-shape=rectangle, rectangles surround the eyes, without circles")
    func eyeRectangles() throws {
        let picture = try DrawnFaces(.faces, count: 1, width: 320, height: 240).frame().picture
        let properties = [("landmarks", "eyes"), ("mode", "sync"), ("eye-shape", "rectangle")]
        let harness = try faceHarness(properties, like: picture)
        let buffer = try harness.process(giving: picture.buffer().reference)
        let output = try harness.shown(buffer)
        let face = try #require(buffer.detections(320, 240).first)
        let points = try #require(face.landmarks)
        let size = Double(min(face.box.width, face.box.height))
        for (eye, color) in [
            (points.leftEye, Color(red: 255, green: 0, blue: 0)), (points.rightEye, Color(red: 0, green: 255, blue: 0)),
        ] {
            let (left, right) = (Int((eye.x - 0.14 * size).rounded()), Int((eye.x + 0.14 * size).rounded()) - 1)
            let (top, bottom) = (Int((eye.y - 0.1 * size).rounded()), Int((eye.y + 0.1 * size).rounded()) - 1)
            for x in left + 1..<right { #expect([output.color(x, top), output.color(x, top + 1)].contains(color)) }
            #expect((bottom - 1...bottom + 1).contains { output.color(left + 2, $0) == color })
            #expect((right - 1...right + 1).contains { output.color($0, top + 2) == color })
            // A circle would pass this point.
            #expect(output.color(Int(eye.x.rounded()), Int((eye.y - 0.08 * size).rounded())) != color)
        }
    }

    @Test("With drawing on a shared buffer stays as it was, and boxes have their colours")
    func drawn() throws {
        let (picture, actors) = try DrawnFaces().frame()
        let harness = try faceHarness(like: picture)
        let kept = try picture.buffer()
        #expect(harness.push(kept) == GST_FLOW_OK)
        let result = try harness.pull()
        #expect(try harness.shown(kept) == picture)
        let shown = try harness.shown(result)
        let faces = result.detections(picture.width, picture.height)
        #expect(faces.show(actors))
        for face in faces {
            let color = face.type == "face" ? Color(red: 255, green: 255, blue: 0) : Color(gray: 255)
            let margin = 2 * max(1, (min(picture.width, picture.height) + 120) / 240)
            #expect(shown.color(max(0, face.box.x - margin), face.box.y + face.box.height / 2) == color)
            let right = min(picture.width, face.box.x + face.box.width + margin) - 1
            #expect(shown.color(right, max(0, face.box.y - margin)) == color)
        }
    }

    @Test("The preset classic is what the detector alone finds, with one property for both species")
    func classic() throws {
        let (picture, actors) = try DrawnFaces(.faces, count: 1).frame()
        let properties = [("preset", "classic"), ("min-size", "0.3"), ("draw", "false")]
        let harness = try faceHarness(properties, like: picture)
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        let found = try harness.pull().detections(picture.width, picture.height)
        var settings = FaceSettings.classic
        settings.human.minSize = 0.3
        settings.cat.minSize = 0.3
        let plane = OwnedImage(.gray8)
        var bytes = picture.bytes
        try bytes.withUnsafeMutableBytes {
            let base = try required($0.baseAddress, "no bytes")
            try plane.fill(
                grayOf: Image(
                    base: base, width: picture.width, height: picture.height, stride: 4 * picture.width, format: .bgra))
        }
        let detector = try FaceDetector(settings: settings, library: CascadeLibrary())
        let expected = try detector.faces(in: plane.image)
        #expect(found.contains { face in actors.contains { face.shows($0) } })
        #expect(found.map(\.box.x) == expected.map { Int($0.box.x) })
        #expect(found.map(\.box.width) == expected.map { Int($0.box.width) })
        #expect(found.map { $0.landmarks?.leftEye } == expected.map(\.leftEye))
    }

    @Test("Formats", arguments: TestScope.some(FrameFormat.all.map(\.name), oneIn: 3, offset: 1))
    func formats(_ format: String) throws {
        let (picture, actors) = try DrawnFaces().frame()
        let number = FrameFormat.all.firstIndex { $0.name == format } ?? 0
        for draw in [false, true] where draw || TestScope.runs(number, oneIn: 4) {
            let line = try pipeline(
                "appsrc name=in format=time caps=\(picture.caps()) ! videoconvert ! video/x-raw,format=\(format) "
                    + "! svfacedetect draw=\(draw) name=f ! fakesink")
            let source = try FrameProbe(line.pad("f", "sink"))
            let result = try FrameProbe(line.pad("f", "src"))
            try line.play()
            try line.push(picture, into: "in", at: 0)
            try line.end("in")
            try line.finish()
            let (before, after) = (try #require(source.frames.first), try #require(result.frames.first))
            #expect(after.buffer.detections(picture.width, picture.height).show(actors), "\(format) \(draw)")
            #expect((before.bytes == after.bytes) == !draw)
        }
    }

    @Test("Ids stay along each path, also where the pad's frames are cropped to odd sizes")
    func ids() throws {
        let faces = DrawnFaces(.both, count: 2, seed: 1, width: 481, height: 321)
        let harness = try faceHarness([("draw", "false")], like: faces.frame().picture)
        var ids: [Int: Set<Int32>] = [:]
        var (there, missed, wrong) = (0, 0, 0)
        for number in 0..<60 {
            let (picture, actors) = try faces.frame(at: Double(number) / 25)
            #expect(harness.push(try picture.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
            let found = try harness.pull().detections(picture.width, picture.height)
            wrong += found.filter { face in !actors.contains { face.shows($0) } }.count
            for actor in actors {
                there += 1
                let faces = found.filter { $0.shows(actor) }
                // While the evidence is weak, a face is only a candidate.
                if faces.isEmpty, ids[actor.id] != nil { missed += 1 }
                if !faces.isEmpty { ids[actor.id, default: []].formUnion(faces.map(\.id)) }
            }
        }
        #expect(missed * 50 <= there)
        #expect(wrong * 100 <= there)
        #expect(ids.count == 2 && ids.values.allSatisfy { $0.count == 1 && !$0.contains(0) })
    }

    @Test(
        "Frames too small for a face, and one pixel: none, and no harm",
        arguments: TestScope.pairs([1, 2, 7, 19, 23, 24, 40], ["classic", "fast", "balanced", "accurate"]))
    func small(_ side: Int, _ preset: String) throws {
        let frame = TestFrame(.rgb, side, side, seed: 5)
        let harness = try faceHarness(
            [("preset", preset), ("landmarks", "eyes+nose+mouth"), ("smile", "true"), ("eyes-closed", "true")],
            like: frame)
        #expect(try harness.process(frame) == frame)
    }

    @Test("A face half out of the picture: whatever is found lies inside")
    func halfOut() throws {
        let (picture, actors) = try DrawnFaces(.faces, count: 1).frame()
        let actor = try #require(actors.first).rectangle
        for cut in stride(from: 0, through: actor.width, by: TestScope.choose(24, all: 8)) {
            let part = picture.part(actor.x + cut, 0, picture.width - actor.x - cut, picture.height)
            let harness = try faceHarness([("preset", "accurate")], like: part)
            #expect(harness.push(try part.buffer()) == GST_FLOW_OK)
            let result = try harness.pull()
            #expect(result.regions.allSatisfy { Int($0.x + $0.w) <= part.width && Int($0.y + $0.h) <= part.height })
            if cut == 0 { #expect(!result.regions.isEmpty) }
        }
    }

    @Test("region and max-faces")
    func limits() throws {
        let (picture, actors) = try DrawnFaces(.faces, count: 2).frame()
        let first = try #require(actors.first)
        let box = first.rectangle
        let region = "\(box.x - 30), \(box.y - 30), \(box.width + 60),\(box.height + 60)"
        var harness = try faceHarness([("region", region)], like: picture)
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        #expect(try harness.pull().detections(picture.width, picture.height).show([first]))
        harness = try faceHarness([("max-faces", "1")], like: picture)
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        #expect(try harness.pull().detections(picture.width, picture.height).count == 1)
    }

    @Test("A flush begins anew: the faces get new ids")
    func flush() throws {
        let (picture, actors) = try DrawnFaces().frame()
        let harness = try faceHarness([("draw", "false")], like: picture)
        var ids: [[Int32]] = []
        for round in 0..<2 {
            if round > 0 { harness.flush() }
            #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
            let found = try harness.pull().detections(picture.width, picture.height)
            #expect(found.show(actors))
            ids.append(found.map(\.id))
        }
        #expect(Set(ids[0]).isDisjoint(with: ids[1]))
    }

    @Test("Cats count in the first frame if mirror images show them, too", arguments: [UInt64](1...7))
    func stillCats(seed: UInt64) throws {
        let (picture, actors) = try DrawnFaces(seed: seed, width: 480, height: 400).frame()
        let harness = try faceHarness([("draw", "false")], like: picture)
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        let found = try harness.pull().detections(picture.width, picture.height)
        #expect(found.show(actors), "\(found.map(\.type))")
    }

    @Test("LBP cascades find people in the first frame", arguments: [UInt64](1...3))
    func lbp(seed: UInt64) throws {
        let (picture, actors) = try DrawnFaces(.people, seed: seed, width: 640, height: 480).frame()
        let harness = try faceHarness([("features", "lbp"), ("draw", "false")], like: picture)
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        let found = try harness.pull().detections(picture.width, picture.height)
        let boxes = actors.map { Box($0.rectangle) }
        #expect(found.contains { face in boxes.contains { $0.intersectionOverUnion(Box(face.box)) > 0.3 } })
    }
}
