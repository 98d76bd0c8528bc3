// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Imaging
import Scenes
import TestScope
import TestSupport
import Testing

@Suite("svfacedetect: properties, modes, messages")
struct FaceDetectLiveTests {
    // MARK: - Presets

    @Test("A preset sets numbers; what is set by hand stays, in whatever order")
    func presets() throws {
        let element = try faceHarness(like: TestFrame(.gray8, 8, 8, seed: 1)).element
        #expect(element.get("scale-factor") == 1.25)
        element.set("interval", value: UInt32(7))
        element.set("preset", "classic")
        #expect(element.get("scale-factor") == 1.4)
        #expect(element.get("scale") == 0.5)
        #expect(element.get("min-neighbors", as: UInt32.self) == 4)
        #expect(element.get("track") == false)
        #expect(element.get("interval", as: UInt32.self) == 7)
        element.set("track", value: true)
        element.set("preset", "fast")
        #expect(element.get("track") == true)
        #expect(element.get("interval", as: UInt32.self) == 7)
        #expect(element.get("scale-factor") == 1.3)
    }

    @Test(
        "region takes four numbers, or none",
        arguments: [
            ("1,2,3,4", "1,2,3,4"), (" -5, 6 ,70,80 ", "-5,6,70,80"), ("none", nil), ("", nil),
            // Invalid texts are rejected, and the property keeps its old value.
            ("1,2,3", "9,9,9,9"), ("1,2,3,0", "9,9,9,9"), ("a,b,c,d", "9,9,9,9"), ("1,2,3,4,5", "9,9,9,9"),
            ("1,2,3,99999999999999999999", "9,9,9,9"), ("1,,2,3", "9,9,9,9"),
        ] as [(String, String?)])
    func region(_ text: String, _ expected: String?) throws {
        let element = try faceHarness(like: TestFrame(.gray8, 8, 8, seed: 1)).element
        element.set("region", value: "9,9,9,9")
        element.set("region", value: text)
        #expect(element.get("region", as: String.self) == expected)
    }

    // MARK: - Messages

    @Test("Messages: nothing, every change, every frame")
    func messages() throws {
        let faces = DrawnFaces(.faces, count: 1)
        let (picture, actors) = try faces.frame()
        let empty = TestFrame(.bgra, picture.width, picture.height, color: Color(gray: 90))
        for (policy, expected) in [("none", []), ("on-change", [1, 0, 1]), ("every-frame", [0, 1, 1, 0, 0, 1])] {
            let harness = try faceHarness([("message", policy), ("draw", "false")], like: picture)
            for (number, frame) in [empty, picture, picture, empty, empty, picture].enumerated() {
                #expect(harness.push(try frame.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
                _ = try harness.pull()
            }
            let messages = harness.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }
            #expect(messages.map { $0.structures("objects")?.count } == expected)
            guard let message = messages.first(where: { $0.structures("objects")?.isEmpty == false }) else { continue }
            #expect(message.name == "svfacedetect")
            #expect(message.uint64("timestamp") == 40_000_000)
            #expect(message.uint64("stream-time") == 40_000_000)
            #expect(message.uint64("running-time") == 40_000_000)
            let face = try #require(message.structures("objects")?.first)
            let actor = try #require(actors.first)
            #expect(face.name == "face")
            #expect(face.text("label") == "face")
            let box = try Rectangle(
                x: #require(face.int("x")), y: #require(face.int("y")), width: #require(face.int("width")),
                height: #require(face.int("height")))
            #expect(Detection(type: "face", id: 1, box: box).shows(actor))
            let eye = try #require(face.double("left_eye_x")) * Double(box.width) + Double(box.x)
            #expect(abs(eye - actor.leftEye.x) < 8)
            #expect(face.bool("left_eye_found") != nil)
            #expect(try #require(face.int("id")) > 0)
        }
    }

    @Test("Smile and closed eyes are told of, when asked for")
    func questions() throws {
        let (picture, _) = try DrawnFaces(.faces, count: 1).frame()
        let harness = try faceHarness([("smile", "true"), ("eyes-closed", "true")], like: picture)
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        let face = try #require(try harness.pull().detections(picture.width, picture.height).first)
        let names = Set(face.classifications.map(\.name))
        #expect(names.contains("smile"))
        // Closed eyes are only reported if an eye of the face was detected.
        let landmarks = try #require(face.landmarks)
        #expect(!names.contains("eyes") || landmarks.isLeftEyeFound || landmarks.isRightEyeFound)
    }

    // MARK: - Cascades

    @Test(
        "A cascade that is missing, none, or of another kind: an error at start that says so",
        arguments: [
            ("face-cascade", "no-such-cascade", "opencv-data"),
            ("cat-cascade", "/no/such/file.xml", "/no/such/file.xml"),
            ("left-eye-cascade", "no-such-cascade", "haarcascades"),
            ("right-eye-cascade", "BROKEN", "not a cascade"), ("smile-cascade", "BROKEN", "not a cascade"),
            ("open-eye-cascade", "FOLDER", "FOLDER"), ("face-cascade", "haarcascade_smile", "unsuitable cascade"),
            ("smile-cascade", "haarcascade_eye", "unsuitable cascade"), ("face-cascade", "EMPTY", "not a cascade"),
        ])
    func cascades(_ property: String, _ value: String, _ words: String) throws {
        let folder = try TemporaryFolder()
        let paths = [
            "BROKEN": try folder.write(Array("<?xml version=\"1.0\"?><opencv_storage><cascade>".utf8), "b.xml"),
            "EMPTY": try folder.write([], "e.xml"), "FOLDER": folder.path,
        ]
        let name = paths[value] ?? value
        let line = try pipeline(
            "videotestsrc num-buffers=3 ! svfacedetect smile=true eyes-closed=true landmarks=eyes+mouth "
                + "\(property)=\(name) ! fakesink")
        #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.text.contains(paths[words] ?? words), "\(error.text)")
        #expect(error.domain == gst_resource_error_quark())
    }

    @Test("A cascade set wrongly while playing: a warning, once, and faces are found as before")
    func cascadeInPlaying() throws {
        let (picture, actors) = try DrawnFaces().frame()
        let harness = try faceHarness([("draw", "false")], like: picture)
        for round in 0..<4 {
            if round == 1 { harness.element.set("cat-cascade", "no-such-cascade") }
            #expect(harness.push(try picture.buffer(at: UInt64(round) * 40_000_000)) == GST_FLOW_OK)
            #expect(try harness.pull().detections(picture.width, picture.height).show(actors))
        }
        #expect(harness.bus.pending(GST_MESSAGE_WARNING).count == 1)
    }

    @Test("cascade-dir is looked in first")
    func directory() throws {
        let folder = try TemporaryFolder()
        try folder.write(Array("nothing".utf8), "haarcascade_frontalface_alt.xml")
        let line = try pipeline("videotestsrc num-buffers=3 ! svfacedetect cascade-dir=\(folder.path) ! fakesink")
        #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.text.contains(folder.path))
    }

    @Test("Without tracks every frame is searched, whatever the interval is")
    func untracked() throws {
        let (picture, _) = try DrawnFaces().frame()
        let harness = try faceHarness([("track", "false"), ("interval", "3"), ("draw", "false")], like: picture)
        let marks = try (0..<5).map { number in
            #expect(harness.push(try picture.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
            return try harness.pull().wasSearched(for: "face")
        }
        #expect(marks == [true, true, true, true, true])
    }

    @Test("A cascade that was refused is tried again after another was in use")
    func cascadeAgain() throws {
        let (picture, _) = try DrawnFaces(.faces, count: 1).frame()
        let harness = try faceHarness(like: picture)
        for round in 0..<6 {
            harness.element.set("face-cascade", round % 2 == 1 ? "no-such-cascade" : "none")
            #expect(harness.push(try picture.buffer(at: UInt64(round) * 40_000_000)) == GST_FLOW_OK)
            _ = try harness.pull()
        }
        #expect(harness.bus.pending(GST_MESSAGE_WARNING).count == 3)
    }

    // MARK: - Beside the stream

    @Test("async: every frame goes on in its order, faces come later, and until then nothing counts as searched")
    func async() throws {
        let (picture, actors) = try DrawnFaces().frame()
        for preset in ["balanced", "classic"] {
            let harness = try faceHarness(
                [
                    ("mode", "async"), ("draw", "false"), ("preset", preset), ("min-size", "0.2"),
                    ("scale-factor", "1.1"),
                ],
                like: picture)
            var number: UInt64 = 0
            var found: [Detection] = []
            let isThere = try eventually {
                #expect(harness.push(try picture.buffer(at: number * 40_000_000)) == GST_FLOW_OK)
                let result = try harness.pull()
                #expect(result.pts == number * 40_000_000)
                found = result.detections(picture.width, picture.height)
                if number == 0 { #expect(found.isEmpty && !result.wasSearched(for: "face")) }
                if !found.isEmpty, preset == "balanced" { #expect(result.wasSearched(for: "face")) }
                number += 1
                return found.contains { face in actors.contains { face.shows($0) } }
            }
            #expect(isThere, "\(preset)")
        }
    }

    @Test("async: at the end of the stream nobody waits for what is still searched")
    func asyncEnd() throws {
        let line = try pipeline(
            "videotestsrc num-buffers=2 ! video/x-raw,width=1280,height=720 ! svfacedetect mode=async ! fakesink")
        try line.play()
        try line.finish()
        try line.reach(GST_STATE_NULL)
    }

    @Test("auto: sync for files, async for live sources")
    func auto() throws {
        let (picture, actors) = try DrawnFaces().frame()
        // A harness counts as a live source.
        let harness = try faceHarness([("mode", "auto"), ("draw", "false")], like: picture)
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        #expect(try !harness.pull().wasSearched(for: "face"))
        let line = try pipeline(
            "appsrc name=in format=time caps=\(picture.caps()) ! svfacedetect name=f draw=false ! fakesink")
        let result = try FrameProbe(line.pad("f", "src"))
        try line.play()
        try line.push(picture, into: "in", at: 0)
        try line.end("in")
        try line.finish()
        let first = try #require(result.frames.first).buffer
        #expect(first.detections(picture.width, picture.height).show(actors))
    }

    // MARK: - Soundness

    @Test("Properties at random from threads while it plays", arguments: ["sync", "async"])
    func random(_ mode: String) throws {
        let (picture, _) = try DrawnFaces(width: 160, height: 120).frame()
        let harness = try faceHarness([("mode", mode)], like: picture)
        let element = harness.element
        let threads = (0..<2).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(seed) &* 1000 &+ UInt64(round))
                switch random.next() % 9 {
                case 0:
                    element.set(
                        "preset", ["classic", "fast", "balanced", "accurate"].randomElement(using: &random) ?? "")
                case 1: element.set("interval", value: UInt32(1 + random.next() % 30))
                case 2: element.set("draw", value: random.next() % 2 == 0)
                case 3:
                    element.set("region", value: "\(random.byte()),\(random.byte()),\(random.byte()),\(random.byte())")
                case 4: element.set("scale", value: Double(random.byte()) / 255)
                case 5: element.set("min-size", value: Double(random.byte()) / 255)
                case 6: element.set("equalize", ["none", "histogram", "clahe"].randomElement(using: &random) ?? "")
                case 7: element.set("track", value: random.next() % 2 == 0)
                default: element.set("max-faces", value: UInt32(random.next() % 3))
                }
            }
        }
        for number in 0..<8 {
            #expect(harness.push(try picture.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
            _ = try harness.pull()
        }
        for thread in threads { thread.stop() }
        #expect(harness.bus.pending(GST_MESSAGE_ERROR, GST_MESSAGE_WARNING).isEmpty)
    }

    @Test("States up and down many times, with a search under way", .timeLimit(.minutes(2)))
    func states() throws {
        let line = try pipeline(
            "videotestsrc ! video/x-raw,width=160,height=120 ! svfacedetect mode=async interval=1 ! fakesink")
        for round in 0..<TestScope.choose(20, all: 100) {
            try line.reach(round % 2 == 0 ? GST_STATE_PAUSED : GST_STATE_READY)
        }
        try line.reach(GST_STATE_NULL)
    }
}
