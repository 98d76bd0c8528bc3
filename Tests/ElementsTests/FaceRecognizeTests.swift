// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Glibc
import Imaging
import Scenes
import TestScope
import TestSupport
import Testing
import Vision

func recognizeHarness(_ properties: [(String, String)] = [], like frame: TestFrame) throws -> Harness {
    guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
    return try Harness("svfacerecognize", properties, like: frame)
}

/// Frames of two drawn people at different times, with the detections of a perfect detector.
private struct PeopleFrames {
    static let shared = Result { try PeopleFrames() }

    let frames: [(picture: TestFrame, faces: [Detection])]

    private init() throws {
        let drawn = DrawnFaces(.people, count: 2, width: 320, height: 200)
        frames = try (0..<8).map { moment in
            let (picture, actors) = try drawn.frame(at: 0.7 * Double(moment))
            return (picture, actors.map { $0.detection(id: Int32($0.id) + 100) })
        }
    }
}

@Suite("svfacerecognize")
struct FaceRecognizeTests {
    private let folder: TemporaryFolder
    private let frames: [(picture: TestFrame, faces: [Detection])]

    init() throws {
        folder = try TemporaryFolder()
        frames = try PeopleFrames.shared.get().frames
    }

    private static let second: UInt64 = 1_000_000_000

    /// Returns the names of the faces of a buffer, by their ids.
    private func names(_ buffer: Buffer) -> [Int32: String] {
        var names: [Int32: String] = [:]
        for face in buffer.detections(320, 200) {
            names[face.id] = face.classifications.first { $0.name == "person" }?.label
        }
        return names
    }

    /// Sends the frames repeatedly, one per second.
    /// - Returns: the names in the last frame.
    private func run(_ harness: Harness, _ count: Int, from first: Int = 0) throws -> [Int32: String] {
        var names: [Int32: String] = [:]
        for number in first..<first + count {
            let (picture, faces) = frames[number % frames.count]
            let result = harness.push(try picture.buffer(marked: faces, at: UInt64(number) * Self.second))
            #expect(result == GST_FLOW_OK)
            names = self.names(try harness.pull())
        }
        return names
    }

    /// Writes a model of both people.
    private func model(_ algorithm: String = "lbph") throws -> String {
        let path = folder.file("both-\(algorithm).yml")
        let harness = try recognizeHarness(collecting(path) + [("algorithm", algorithm)], like: frames[0].picture)
        _ = try run(harness, 16)
        let isSaved = eventually { folder.names.contains("both-\(algorithm).yml") }
        try #require(isSaved)
        return path
    }

    private func collecting(_ path: String) -> [(String, String)] {
        [
            ("collect-name", "Ada, Ben"), ("collect-count", "4"), ("collect-difference", "0.001"),
            ("save-location", path), ("draw", "false"), ("vote-frames", "1"),
        ]
    }

    private func events(_ harness: Harness) -> [Fields] {
        harness.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }.filter { $0.text("event") != nil }
    }

    @Test("collect-name: collects one after another, trains, saves, and tells both apart; messages and phases")
    func collectByName() throws {
        let path = folder.file("family.yml")
        let harness = try recognizeHarness(collecting(path), like: frames[0].picture)
        #expect(harness.element.text("phase") == "collect")
        _ = try run(harness, 16)
        // A harness counts as a live source, so the element trains in the background.
        var all: [Fields] = []
        let isSaved = eventually {
            all += events(harness)
            return all.last?.text("event") == "saved"
        }
        try #require(isSaved)
        #expect(harness.element.text("phase") == "recognise")
        let kinds = all.compactMap { $0.text("event") }
        let person = [String](repeating: "collecting", count: 3) + ["collected"]
        #expect(kinds == person + person + ["trained", "saved"])
        #expect(all[5].text("name") == "Ben" && all[5].int("count") == 2 && all[5].int("wanted") == 4)
        #expect(all[8].int("faces") == 8 && all[8].int("people") == 2 && all[8].text("algorithm") == "lbph")
        #expect((all[8].double("threshold") ?? 0) > 0)
        let names = try run(harness, 3, from: 16)
        #expect(names == [101: "Ada", 102: "Ben"])
        #expect(try ModelFile(path: path).gallery.people.map(\.faces.count) == [4, 4])
    }

    @Test("A stream that ends early: what was collected is trained and saved")
    func earlyEnd() throws {
        let path = folder.file("early.yml")
        let harness = try recognizeHarness(collecting(path), like: frames[0].picture)
        _ = try run(harness, 3)
        gst_element_set_state(harness.element.element, GST_STATE_NULL)
        #expect(try ModelFile(path: path).gallery.people.map(\.name) == ["Ada"])
    }

    @Test(
        "A model is loaded at start, and its algorithm holds unless another is set",
        arguments: ["lbph", "eigenfaces", "fisherfaces"])
    func models(_ algorithm: String) throws {
        let path = try model(algorithm)
        let harness = try recognizeHarness([("model", path), ("draw", "false")], like: frames[0].picture)
        #expect(harness.element.text("algorithm") == algorithm && harness.element.text("phase") == "recognise")
        let (picture, faces) = frames[3]
        #expect(harness.push(try picture.buffer(marked: faces)) == GST_FLOW_OK)
        let result = try harness.pull()
        let person = try #require(
            result.detections(320, 200).first { $0.id == 102 }?.classifications.first { $0.name == "person" })
        #expect(person.label == "Ben" && person.labelID == 2 && person.modelName == algorithm)
        #expect((0.5...1).contains(person.confidence ?? 0) && (person.distance ?? -1) >= 0)
        // The element does not change pixels.
        #expect(try harness.shown(result) == picture)
        let other = try recognizeHarness([("algorithm", "lbph"), ("model", path)], like: frames[0].picture)
        #expect(other.element.text("algorithm") == "lbph")
    }

    @Test("threshold: below all distances everybody is unknown; drawing writes on the frame")
    func threshold() throws {
        let harness = try recognizeHarness([("model", model()), ("vote-frames", "1")], like: frames[0].picture)
        #expect(try run(harness, 1) == [101: "Ada", 102: "Ben"])
        harness.element.set("threshold", value: 0.001)
        let (picture, faces) = frames[1]
        // The faces differ slightly from all collected faces.
        let moved = faces.map { face in
            var face = face
            face.landmarks?.leftEye.x -= 3
            return face
        }
        #expect(harness.push(try picture.buffer(marked: moved, at: Self.second)) == GST_FLOW_OK)
        let result = try harness.pull()
        #expect(names(result) == [101: "unknown", 102: "unknown"])
        let changed = try #require(try harness.shown(result).difference(from: picture))
        #expect(changed.width > faces[0].box.width)
    }

    @Test("Actions: collect, train, save and forget; keys do the same")
    func actions() throws {
        let frame = frames[0].picture
        let harness = try recognizeHarness(
            [("collect-count", "3"), ("collect-difference", "0"), ("vote-frames", "1"), ("draw", "false")], like: frame)
        let element = harness.element
        #expect(element.text("phase") == "idle")
        #expect(element.ask("collect", "", as: Bool.self) == false)
        #expect(element.ask("collect", "Eva", as: Bool.self) == true)
        _ = try run(harness, 6)
        element.emit("train")
        var isKnown = eventually { element.text("phase") == "recognise" }
        #expect(isKnown)
        // With images of only one person, the element cannot distinguish the other face from Eva.
        #expect(try run(harness, 1, from: 6)[101] == "Eva")
        element.emit("save", folder.file("eva.yml"))
        let isSaved = eventually { folder.names.contains("eva.yml") }
        #expect(isSaved)

        // The first face already has a name, so the key continues with the other face.
        harness.press("c")
        _ = try run(harness, 6, from: 7)
        harness.press("t")
        isKnown = try eventually { try run(harness, 1)[102] == "Person 1" }
        #expect(isKnown)
        #expect(element.ask("forget", "Nobody", as: Bool.self) == false)
        #expect(element.ask("forget", "Eva", as: Bool.self) == true)
        let isForgotten = try eventually { try run(harness, 1)[101] != "Eva" }
        #expect(isForgotten)
        harness.press("s")
        #expect(harness.bus.pending(GST_MESSAGE_WARNING).last?.text.contains("save-location") == true)
        // The key removes the person with the largest face, who is the last known person.
        harness.press("Delete")
        let isIdle = try eventually {
            _ = try run(harness, 1)
            harness.press("Delete")
            return element.text("phase") == "idle"
        }
        #expect(isIdle)
    }

    @Test("forget-name removes somebody from a model file")
    func forgetting() throws {
        let path = try model()
        let harness = try recognizeHarness(
            [("model", path), ("forget-name", "Ada"), ("save-location", path)], like: frames[0].picture)
        #expect(try ModelFile(path: path).gallery.people.map(\.name) == ["Ben"])
        #expect(harness.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("people: a folder of pictures for each; tight crops are taken whole, what is no picture is left out")
    func enrolment() throws {
        let people = folder.file("people")
        for (index, name) in ["Ada", "Ben"].enumerated() {
            _ = g_mkdir_with_parents("\(people)/\(name)", 0o755)
            for number in 0..<2 {
                let face = FaceSample.level(index, number)
                try folder.write(
                    TestFrame(.gray8, 70, 70) { x, y in [face(x, y)] }, "people/\(name)/\(number).png")
            }
        }
        try folder.write(Array("not a picture".utf8), "people/Ada/notes.txt")
        defer { removeFolders(people) }
        // Small frames without a detected face also count as faces.
        let query = TestFrame(.gray8, 35, 35) { x, y in [FaceSample.level(1, 0)(2 * x, 2 * y)] }
        let harness = try recognizeHarness(
            [("people", people), ("vote-frames", "1"), ("algorithm", "eigenfaces"), ("draw", "false")], like: query)
        #expect(harness.push(try query.buffer(marked: [])) == GST_FLOW_OK)
        let faces = try harness.pull().detections(35, 35)
        #expect(faces.map(\.box) == [Rectangle(width: 35, height: 35)])
        #expect(faces.first?.classifications.map(\.label) == ["Ben"])
    }

    @Test("people: faces that are too small are learned with one warning that names file and size")
    func smallFaces() throws {
        let people = folder.file("people")
        _ = g_mkdir_with_parents("\(people)/Ada", 0o755)
        for number in 0..<2 {
            let face = FaceSample.level(0, number)
            try folder.write(
                TestFrame(.gray8, 20, 24) { x, y in [face(3 * x, 3 * y)] }, "people/Ada/\(number).png")
        }
        defer { removeFolders(people) }
        let harness = try recognizeHarness([("people", people)], like: frames[0].picture)
        let warnings = harness.bus.pending(GST_MESSAGE_WARNING)
        #expect(warnings.count == 1)
        let text = warnings.first?.text ?? ""
        for words in ["people/Ada/0.png", "20 pixels", "20x24", "1 more", "26 pixels"] {
            #expect(text.contains(words), "\(text)")
        }
        #expect(warnings.first?.details.contains("people/Ada/1.png") == true)
        #expect(harness.element.text("phase") == "recognise")
    }

    private func removeFolders(_ people: String) {
        for name in ["Ada", "Ben"] {
            for file in ["0.png", "1.png", "notes.txt"] { remove("\(people)/\(name)/\(file)") }
            rmdir("\(people)/\(name)")
        }
    }

    @Test("Formats: a name for each face", arguments: TestScope.some(FrameFormat.all.map(\.name), oneIn: 3, offset: 1))
    func formats(_ format: String) throws {
        let (picture, faces) = frames[2]
        let line = try pipeline(
            "appsrc name=in format=time caps=\(picture.caps()) ! videoconvert ! video/x-raw,format=\(format) "
                + "! svfacerecognize model=\(try model()) ! appsink name=out sync=false")
        try line.play()
        try line.push(picture.buffer(marked: faces), into: "in")
        let result = try #require(try line.pullBuffer())
        #expect(names(result.buffer) == [101: "Ada", 102: "Ben"])
        try line.end("in")
    }

    @Test("Converters and scalers before and behind it: landmarks are used, and names arrive")
    func converters() throws {
        let (picture, faces) = frames[2]
        let scaled = "videoconvert ! videoscale ! video/x-raw,format=I420,width=480,height=300"
        let line = try pipeline(
            "appsrc name=in format=time caps=\(picture.caps()) ! \(scaled) ! svfacerecognize model=\(try model()) "
                + "! videoconvert ! videoscale ! video/x-raw,format=BGRA,width=320,height=200 "
                + "! appsink name=out sync=false")
        try line.play()
        try line.push(picture.buffer(marked: faces), into: "in")
        let result = try #require(try line.pullBuffer())
        #expect(names(result.buffer) == [101: "Ada", 102: "Ben"])
        try line.end("in")
    }

    @Test(
        "What cannot be loaded is an error at start, with the path, and a warning later",
        arguments: [
            ("model", "missing.yml", "no such file"), ("model", "other.yml", "line 1"),
            ("people", "nowhere", "no such folder"), ("people", "", "no subfolder with images"),
        ])
    func unloadable(_ property: String, _ name: String, _ words: String) throws {
        try folder.write(Array("%YAML:1.0\n---\nopencv_lbphfaces:\n".utf8), "other.yml")
        let path = name.isEmpty ? folder.path : folder.file(name)
        let line = try pipeline("videotestsrc num-buffers=3 ! svfacerecognize \(property)=\(path) ! fakesink")
        #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.text.contains(path) && error.text.contains(words), "\(error.text)")

        let harness = try recognizeHarness([("model", model()), ("vote-frames", "1")], like: frames[0].picture)
        harness.element.set(property, path)
        _ = try run(harness, 1)
        let warning = try #require(harness.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.text.contains(words))
        #expect(try run(harness, 1) == [101: "Ada", 102: "Ben"])
    }

    @Test("fisherfaces of one person is refused with a reason")
    func oneFisher() throws {
        let harness = try recognizeHarness(
            collecting(folder.file("f.yml")) + [("collect-name", "Ada"), ("algorithm", "fisherfaces")],
            like: frames[0].picture)
        _ = try run(harness, 6)
        let warning = try #require(harness.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.text.contains("two people"))
    }

    @Test("Without svfacedetect upstream: one warning that says so")
    func noDetector() throws {
        let frame = TestFrame(.rgb, 200, 24, seed: 3)
        let harness = try recognizeHarness([("model", model())], like: frame)
        for second in 0..<5 {
            #expect(harness.push(try frame.buffer(at: UInt64(second) * Self.second)) == GST_FLOW_OK)
            _ = try harness.pull()
            let warnings = harness.bus.pending(GST_MESSAGE_WARNING)
            #expect(warnings.map { $0.text.contains("svfacedetect") } == (second == 2 ? [true] : []))
        }
    }

    @Test("Metadata that makes no sense does no harm", arguments: 0..<8)
    func nonsense(_ kind: Int) throws {
        let (picture, faces) = frames[0]
        var face = faces[0]
        switch kind {
        case 0: face.landmarks?.leftEye = Point(.nan, 5)
        case 1: face.landmarks?.rightEye = Point(.infinity, -.infinity)
        case 2: face.landmarks?.rightEye = Point(1e300, -1e300)
        case 3: if let eye = face.landmarks?.leftEye { face.landmarks?.rightEye = eye }
        case 4: face.box = Rectangle(x: -60, y: 100, width: 120, height: 120)
        case 5: face.box = Rectangle(x: 0, y: 0, width: 1, height: 1)
        case 6: face.landmarks = nil
        default: (face.id, face.box) = (0, Rectangle(x: 0, y: 0, width: 320, height: 200))
        }
        let harness = try recognizeHarness([("model", model())], like: picture)
        for _ in 0..<2 {
            #expect(harness.push(try picture.buffer(marked: [face, faces[1]])) == GST_FLOW_OK)
            #expect(names(try harness.pull())[102] == "Ben")
        }
    }

    @Test("Properties at random from threads while it plays")
    func random() throws {
        let path = try model()
        let harness = try recognizeHarness([("model", path), ("message", "none")], like: frames[0].picture)
        let element = harness.element
        let threads = (0..<2).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(seed) &* 1000 &+ UInt64(round))
                switch random.next() % 9 {
                case 0: element.set("algorithm", random.next() % 2 == 0 ? "lbph" : "eigenfaces")
                case 1: element.set("model", random.next() % 3 > 0 ? path : "none")
                case 2: element.set("threshold", value: Double(random.byte()))
                case 3: element.set("vote-frames", value: UInt32(random.byte()) + 1)
                case 4: element.emit("collect", "Eva")
                case 5: element.emit("train")
                case 6: _ = element.ask("forget", "Eva", as: Bool.self)
                case 7: element.set("draw", value: random.next() % 2 == 0)
                default: element.set("collect-count", value: UInt32(random.byte() % 4) + 1)
                }
                // If the test waited for the training, it would not test parallel changes.
                g_usleep(5000)
            }
        }
        _ = try run(harness, 60)
        for thread in threads { thread.stop() }
        #expect(harness.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }
}

extension FaceSample {
    /// Returns a smooth pattern. It depends on the person, and slightly on the number of the image.
    fileprivate static func level(_ person: Int, _ number: Int) -> (Int, Int) -> UInt8 {
        { x, y in UInt8(clamping: 128 + (person == 0 ? 3 * (x - 35) : 3 * (y - 35)) + 20 * number * (x * y % 7) / 7) }
    }
}
