// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Imaging
import Scenes
import TestSupport
import Testing
import Vision

@Suite("svoverlay: hidden faces")
struct OverlayPrivacyTests {
    private let frame = TestFrame(.bgra, 240, 180, seed: 21)
    private let box = Rectangle(x: 100, y: 70, width: 50, height: 50)
    private static let ways = ["blur-faces", "pixelate-faces"]

    private func hiding(_ way: String, _ properties: [(String, String)] = nothingDrawn) throws -> Harness {
        try overlayHarness([(way, "true")] + properties, like: frame)
    }

    // MARK: - Hidden areas

    /// The cascades that svfacedetect uses, and other cascades that detect many faces.
    private static let cascades = [
        "haarcascade_frontalface_alt", "haarcascade_frontalface_default", "haarcascade_frontalcatface_extended",
        "lbpcascade_frontalface_improved", "lbpcascade_frontalcatface",
    ]

    /// Returns the detections near the actors.
    private func finds(_ frame: TestFrame, _ actors: [SceneEntity]) throws -> [String] {
        let plane = OwnedImage(.gray8)
        var bytes = frame.bytes
        try bytes.withUnsafeMutableBytes {
            let base = try required($0.baseAddress, "no bytes")
            try plane.fill(
                grayOf: Image(
                    base: base, width: frame.width, height: frame.height, stride: 4 * frame.width, format: .bgra))
        }
        return try Self.cascades.flatMap { name in
            let cascade = try Cascade(path: CascadeLibrary().path(of: name), purpose: .face)
            let search = Cascade.Search(scaleFactor: 1.1, minNeighbors: 3, minSize: 24)
            return try cascade.detect(in: plane.image, search).filter { find in
                actors.contains { !$0.rectangle.intersection(find.rectangle).isEmpty }
            }.map { "\(name) \($0.rectangle)" }
        }
    }

    @Test("No cascade finds a face in what comes out", arguments: ways, [(0, 240, 120), (1, 321, 181)])
    func unrecognisable(_ way: String, _ scene: (seed: UInt64, width: Int, height: Int)) throws {
        let faces = DrawnFaces(.both, count: 2, seed: scene.seed, width: scene.width, height: scene.height)
        let first = try faces.frame().picture
        let line = try pipeline(
            "appsrc name=in format=time caps=\(first.caps()) ! svfacedetect draw=false mode=sync interval=1 "
                + "! svoverlay \(way)=true labels=false boxes=false ! appsink name=out sync=false")
        try line.play()
        // A weak detection is reported only after a few frames.
        for number in 0..<6 {
            let (picture, actors) = try faces.frame(at: Double(number) / 25)
            try line.push(picture, into: "in", at: UInt64(number) * 40_000_000)
            let shown = try #require(try line.pull())
            guard number == 5 else { continue }
            #expect(try finds(picture, actors).count >= 4)
            #expect(shown.buffer.detections(scene.width, scene.height).show(actors))
            let found = try finds(shown.frame, actors)
            #expect(found.isEmpty, "\(found)")
        }
        try line.end("in")
    }

    @Test("Every format is hidden", arguments: ways, FrameFormat.all.map(\.name))
    func formats(_ way: String, _ format: String) throws {
        // The area of the face alternates between two values.
        let board = TestFrame(.bgra, 120, 96) { x, y in
            Color(gray: box.contains(x + 60, y + 40) && (x / 2 + y / 2) % 2 == 0 ? 200 : 60).pixel(.bgra)
        }
        let face = Detection.face(Rectangle(x: 40, y: 30, width: 50, height: 50))
        let line = try pipeline(
            "appsrc name=in format=time caps=\(board.caps()) ! videoconvert ! video/x-raw,format=\(format) ! svoverlay "
                + "\(way)=true labels=false boxes=false ! videoconvert ! video/x-raw,format=BGRA "
                + "! appsink name=out sync=false")
        try line.play()
        try line.push(board.buffer(with: [face], searched: ["face"]), into: "in")
        let shown = try #require(try line.pull()).frame
        try line.end("in")
        func contrast(_ frame: TestFrame) -> Int {
            let values = (50..<54).flatMap { y in (60..<64).map { x in Int(frame.color(x, y).green) } }
            return (values.max() ?? 0) - (values.min() ?? 0)
        }
        #expect(contrast(board) == 140)
        #expect(contrast(shown) < 8)
    }

    @Test("Forehead, chin and ears too; what is far from a face stays", arguments: ways)
    func head(_ way: String) throws {
        for type in ["face", "cat-face", "hybrid-face"] as [Detection.Kind] {
            let shown = try hiding(way).process(frame, [.face(box, type: type)], searched: ["face"])
            let change = shown.change(from: frame)
            // A quarter of the face's size is hidden to the left, right and below. Above, two fifths are hidden, or
            // three fifths for the ears of cats.
            let head = Rectangle(x: 88, y: type == "face" ? 50 : 40, width: 74, height: type == "face" ? 82 : 92)
            #expect(head.intersection(change) == change)
            #expect(change.width >= 72 && change.height >= 80)
            // All noise in the box of the face has changed.
            let kept = (box.y..<box.y + box.height).flatMap { y in
                (box.x..<box.x + box.width).filter { shown[$0, y] == frame[$0, y] }
            }
            #expect(kept.count < 5)
        }
        for type in ["blob", "truth/face", "person"] as [Detection.Kind] {
            let result = try hiding(way).process(frame, [Detection(type: type, id: 1, box: box)], searched: ["face"])
            #expect(result == frame)
        }
    }

    @Test(
        "If the box of a face suddenly becomes smaller, the hidden area shrinks slowly", arguments: [1, 0] as [Int32])
    func shrinks(_ id: Int32) throws {
        let large = Rectangle(x: 90, y: 60, width: 60, height: 60)
        let small = large.inset(10)
        func face(_ box: Rectangle, isExact: Bool? = nil) -> Detection {
            var face = Detection.face(box, id: id, type: id == 0 ? Detection.Kind.face.possible : .face)
            face.isExact = isExact
            return face
        }
        func width(_ harness: Harness, _ face: Detection) throws -> Int {
            try harness.process(frame, [face], searched: ["face"]).change(from: frame).width
        }
        let harness = try overlayHarness([("hide", "face"), ("hide-style", "black")] + nothingDrawn, like: frame)
        // The margins are a quarter of the size at each side.
        #expect(try width(harness, face(large)) == 90)
        var widths: [Int] = []
        for _ in 0..<20 { widths.append(try width(harness, face(small))) }
        // 87 = 1.5 * 0.97 * 60
        #expect((87...90).contains(widths[0]))
        #expect(zip(widths, widths.dropFirst()).allSatisfy { $0 >= $1 && $0 - $1 <= 6 })
        // 0.97 to the power of 14 is less than 40 / 60.
        #expect(widths[9] > 60 && widths.dropFirst(14).allSatisfy { $0 == 60 })
        // A new face elsewhere has no earlier size.
        #expect(try width(harness, face(large)) == 90)
        #expect(try width(harness, Detection.face(Rectangle(x: 10, y: 10, width: 40, height: 40), id: id + 2)) == 60)
        // The margins of an exact box are 0.15 times the size.
        #expect(try width(harness, face(large, isExact: true)) == 78)
        #expect((75...78).contains(try width(harness, face(small, isExact: true))))
    }

    @Test("If an exact box loses one side, the hidden area follows the eyes")
    func losesOneSide() throws {
        func face(at x: Int, _ y: Int, _ height: Int) -> Detection {
            var face = Detection.face(Rectangle(x: x, y: y, width: 60, height: height))
            face.isExact = true
            face.landmarks?.leftEye = Point(Double(x) + 15, 84)
            face.landmarks?.rightEye = Point(Double(x) + 45, 84)
            return face
        }
        let harness = try overlayHarness([("hide", "face"), ("hide-style", "black")] + nothingDrawn, like: frame)
        func hidden(_ face: Detection) throws -> Rectangle {
            try harness.process(frame, [face], searched: ["face"]).change(from: frame)
        }
        #expect(try hidden(face(at: 70, 60, 60)) == Rectangle(x: 61, y: 48, width: 78, height: 84))
        // The face moves by 12 pixels. The upper part of the box is missing. 61 = 84 - 0.97 * 24
        let next = try hidden(face(at: 82, 80, 40))
        #expect(next.y <= 61 - 11 && next.y + next.height >= 128)
        #expect(next.x <= 73 && next.x >= 70 && next.x + next.width >= 151 && next.x + next.width <= 154)
    }

    @Test("Pixelate goes before blur")
    func both() throws {
        let result = try hiding("blur-faces", nothingDrawn + [("pixelate-faces", "true")])
            .process(frame, [.face(box)], searched: ["face"])
        #expect(try result == hiding("pixelate-faces").process(frame, [.face(box)], searched: ["face"]))
        #expect(try result != hiding("blur-faces").process(frame, [.face(box)], searched: ["face"]))
    }

    @Test("Boxes and labels are drawn over what is hidden")
    func drawnOver() throws {
        let shown = try hiding("pixelate-faces", []).process(frame, [.face(box)], searched: ["face"])
        #expect(shown.color(98, 90) == Color(red: 255, green: 255, blue: 0))
    }

    @Test("A gap's buffer, which base classes may skip, is hidden as well", arguments: ways)
    func gap(_ way: String) throws {
        let buffer = try frame.buffer(with: [.face(box)], searched: ["face"])
        let pointer = buffer.pointer
        pointer.pointee.mini_object.flags |= GST_BUFFER_FLAG_GAP.rawValue
        let harness = try hiding(way)
        let shown = try harness.shown(harness.process(giving: buffer.reference))
        #expect(shown[125, 95] != frame[125, 95])
    }

    // MARK: - Frames that were not searched

    /// Returns the difference between the maximum and the minimum of the green values.
    private func spread(_ frame: TestFrame) -> Int {
        let green = frame.bytes.indices.filter { $0 % 4 == 1 }.map { Int(frame.bytes[$0]) }
        return (green.max() ?? 0) - (green.min() ?? 0)
    }

    @Test("Detection that has not looked yet: the whole frame is hidden", arguments: ways)
    func unsearched(_ way: String) throws {
        #expect(spread(frame) > 250)
        let cases: [([Detection.Kind], [Detection])] = [(["face"], []), (["face", "cat-face"], [.face(box)])]
        for (marks, detections) in cases {
            let harness = try hiding(way)
            let buffer = try frame.buffer(with: detections, unsearched: marks)
            // The mean of many random bytes is almost constant.
            #expect(try spread(harness.shown(harness.process(giving: buffer.reference))) < 60)
            #expect(try harness.process(frame, [], searched: ["face"]) == frame)
            // After this, a frame without a mark counts as a frame of the same detector.
            #expect(try spread(harness.process(frame, [])) < 60)
            #expect(try spread(harness.process(frame, [.face(box)])) < 60)
            harness.flush()
            #expect(try spread(harness.process(frame, [])) < 60)
            #expect(harness.bus.pending(GST_MESSAGE_ERROR).isEmpty)
        }
    }

    @Test("Detection beside the stream: not a single frame shows a face", arguments: ways)
    func async(_ way: String) throws {
        let (picture, actors) = try DrawnFaces(width: 320, height: 240).frame()
        let line = try pipeline(
            "appsrc name=in format=time caps=\(picture.caps()) ! svfacedetect draw=false mode=async "
                + "! svoverlay \(way)=true labels=false boxes=false ! appsink name=out sync=false")
        try line.play()
        let wasFound = try eventually { number in
            try line.push(picture, into: "in", at: UInt64(number) * 40_000_000)
            let shown = try #require(try line.pull())
            let isFound = shown.buffer.wasSearched(for: "face")
            // Check the first frames, and the frame in which the faces are known.
            if number < 2 || isFound { #expect(try finds(shown.frame, actors).isEmpty) }
            if number == 0 { #expect(!isFound) }
            return isFound
        }
        #expect(wasFound)
        try line.end("in")
    }

    @Test("No detector upstream: one clear error, and no frame comes out", arguments: ways)
    func undetected(_ way: String) throws {
        for type in [nil, "blob", "cat-face", "truth/face"] as [Detection.Kind?] {
            let harness = try hiding(way)
            let detections = type.map { [Detection.face(box, type: $0)] } ?? []
            for _ in 0..<3 {
                let buffer = try frame.buffer(with: detections, searched: ["blob", "cat-face"])
                #expect(harness.push(buffer) == GST_FLOW_ERROR)
            }
            #expect(harness.waiting == 0)
            let errors = harness.bus.pending(GST_MESSAGE_ERROR)
            #expect(errors.count == 1)
            #expect(errors.first?.isError(GST_STREAM_ERROR_FAILED) == true)
            #expect(errors.first?.text.contains("Put svfacedetect with species=human+cat before") == true)
        }
    }

    @Test("Detectors of others, which put no marks: a frame with a face shows the rest, one without is hidden")
    func silent() throws {
        let harness = try hiding("pixelate-faces")
        #expect(try harness.process(frame, [.face(box)]).color(10, 10) == frame.color(10, 10))
        #expect(try spread(harness.process(frame, [])) < 60)
        #expect(try harness.process(frame, [.face(box)]).color(10, 10) == frame.color(10, 10))
        #expect(harness.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("Switched on while it plays, with and without a detector")
    func switched() throws {
        for way in Self.ways {
            let harness = try overlayHarness(nothingDrawn, like: frame)
            #expect(try harness.process(frame, []) == frame)
            harness.element.set(way, "true")
            #expect(try harness.push(frame.buffer(with: [])) == GST_FLOW_ERROR)
            let other = try overlayHarness(nothingDrawn, like: frame)
            #expect(try other.process(frame, [], searched: ["face"]) == frame)
            other.element.set(way, "true")
            #expect(try spread(other.process(frame, [])) < 60)
        }
    }

    @Test("A detector that was told to look at a part, or for some faces only, has not searched the frame")
    func limited() throws {
        let (picture, actors) = try DrawnFaces(.faces, count: 2, width: 320, height: 160).frame()
        for (property, isWhole) in [
            ("region=0,0,160,160", false), ("max-faces=2", false), ("max-faces=3", true), ("species=human", true),
        ] {
            let line = try pipeline(
                "appsrc name=in format=time caps=\(picture.caps()) ! svfacedetect draw=false mode=sync \(property) "
                    + "! svoverlay pixelate-faces=true boxes=false labels=false ! appsink name=out sync=false")
            try line.play()
            try line.push(picture, into: "in", at: 0)
            let shown = try #require(try line.pull())
            try line.end("in")
            #expect(shown.buffer.wasSearched(for: "face") == isWhole)
            #expect((shown.frame.color(2, 2) == picture.color(2, 2)) == isWhole, "\(property)")
            #expect(try finds(shown.frame, actors).isEmpty)
        }
        let line = try pipeline(
            "videotestsrc num-buffers=3 ! svfacedetect species=cat ! svoverlay pixelate-faces=true ! fakesink")
        line.set(GST_STATE_PLAYING)
        #expect(try #require(line.bus.wait(GST_MESSAGE_ERROR)).text.contains("species"))
    }
}
