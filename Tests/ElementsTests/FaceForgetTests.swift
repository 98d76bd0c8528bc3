// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
@testable import Elements
import Glibc
import Imaging
import TestSupport
import Testing
import Vision

/// Computed faces. The frames are so small that each frame counts as a whole face.
enum MadeFaces {
    /// Returns an image of blocks with different levels and a texture. Both depend on the person. Some pixels have
    /// noise.
    static func face(of name: String, _ number: Int) -> FaceSample {
        var person = Random(seed: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
        let blocks = (0..<49).map { _ in Int(person.byte()) * 15 / 16 }
        let (across, down) = (Int(person.byte() % 8) * 2 + 1, Int(person.byte() % 8) * 2 + 1)
        var noise = Random(seed: UInt64(number) + 1)
        let pixels = (0..<FaceSample.pixelCount).map { index in
            let (x, y) = (index % FaceSample.side, index / FaceSample.side)
            let texture = (across * x + down * y) % 16
            return UInt8(clamping: blocks[y / 10 * 7 + x / 10] + texture + (noise.byte() < 8 ? 8 : 0))
        }
        return FaceSample(pixels: pixels) ?? face(of: name, number)
    }

    static func gallery(_ names: [String], each count: Int = 3) -> Gallery {
        var gallery = Gallery()
        for name in names { for number in 0..<count { gallery.add(face(of: name, number), of: name) } }
        return gallery
    }

    static func frame(of name: String) -> TestFrame {
        let pixels = face(of: name, 50).pixels
        return TestFrame(.gray8, FaceSample.side, FaceSample.side) { x, y in [pixels[y * FaceSample.side + x]] }
    }
}

@Suite("svfacerecognize: forgetting")
struct FaceForgetTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("family.yml")
        try write(["Ada", "Ben"])
    }

    private func write(_ names: [String], _ algorithm: Recognizer.Algorithm = .fisherfaces) throws {
        try ModelFile(gallery: MadeFaces.gallery(names), algorithm: algorithm).save(to: path)
    }

    private func harness(_ properties: [(String, String)] = []) throws -> Harness {
        try recognizeHarness(
            [("model", path), ("vote-frames", "5"), ("draw", "false")] + properties, like: MadeFaces.frame(of: "Ada"))
    }

    private func names(in file: String) throws -> [String] { try ModelFile(path: file).gallery.people.map(\.name) }

    /// Pushes a frame, and returns the name of its face. Returns nil if no person is known.
    private func name(_ harness: Harness, _ who: String = "Ada") throws -> String? {
        #expect(harness.push(try MadeFaces.frame(of: who).buffer(marked: [])) == GST_FLOW_OK)
        return try harness.pull().detections(FaceSample.side, FaceSample.side).first?.classifications.first?.label
    }

    private func forget(_ name: String, _ harness: Harness) -> Bool? {
        harness.element.ask("forget", name, as: Bool.self)
    }

    private func forgotten(_ harness: Harness) -> [String] {
        harness.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }
            .filter { $0.text("event") == "forgotten" }.compactMap { $0.text("name") }
    }

    @Test("Of two with fisherfaces: when forget has answered, nothing of that person is left, and nobody is recognised")
    func tooFewAreLeft() throws {
        let harness = try harness([("save-location", path)])
        #expect(try name(harness) == "Ada")
        #expect(forget("Ada", harness) == true)
        #expect(try names(in: path) == ["Ben"])
        for _ in 0..<6 { #expect(try name(harness) == nil) }
        let isTold = eventually {
            harness.bus.wait(GST_MESSAGE_WARNING)?.text.contains("two people") == true
        }
        #expect(isTold)
        #expect(harness.element.text("phase") == "idle" && forget("Ada", harness) == false)
        // The element can load the remaining file at the next start.
        let next = try self.harness()
        #expect(next.bus.wait(GST_MESSAGE_WARNING)?.text.contains("two people") == true)
        #expect(try name(next, "Ben") == nil && next.element.text("phase") == "idle")
    }

    @Test("The rest is recognised again", arguments: [Recognizer.Algorithm.lbph, .eigenfaces, .fisherfaces])
    func theRest(_ algorithm: Recognizer.Algorithm) throws {
        try write(["Ada", "Ben", "Eva"], algorithm)
        let harness = try harness()
        for _ in 0..<5 { #expect(try name(harness) == "Ada") }
        #expect(forget("Ada", harness) == true)
        #expect(try name(harness) != "Ada")
        #expect(forgotten(harness) == ["Ada"])
        let isKnown = try eventually { try name(harness, "Eva") == "Eva" }
        #expect(isKnown)
        for _ in 0..<5 { #expect(try name(harness) != "Ada") }
        #expect(try names(in: path) == ["Ben", "Eva"])
    }

    @Test("A file that cannot be written: a warning with its path, no claim, and nobody is recognised all the same")
    func unwritable() throws {
        let nowhere = folder.file("no/such/folder/family.yml")
        let harness = try harness([("save-location", nowhere)])
        #expect(try name(harness) == "Ada")
        #expect(forget("Ada", harness) == false)
        let warning = try #require(harness.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.isError(GST_RESOURCE_ERROR_WRITE) && warning.text.contains(nowhere), "\(warning.text)")
        #expect(try name(harness) == nil)
        #expect(try names(in: path) == ["Ada", "Ben"])
        #expect(forget("Ada", harness) == false)
        #expect(forgotten(harness).isEmpty)
        // The pending removal is still done.
        harness.element.set("save-location", folder.file("other.yml"))
        #expect(forget("Ada", harness) == true)
        #expect(forgotten(harness) == ["Ada"])
        #expect(try names(in: path) == ["Ben"] && names(in: folder.file("other.yml")) == ["Ben"])
        #expect(forget("Ada", harness) == false)
    }

    @Test("At the start forget-name empties the files, or is an error")
    func atStart() throws {
        let other = folder.file("other.yml")
        try ModelFile(gallery: MadeFaces.gallery(["Ada", "Eva"]), algorithm: .lbph).save(to: other)
        let line = "videotestsrc num-buffers=2 ! svfacerecognize forget-name=Ada,Nobody"
        let playing = try pipeline("\(line) save-location=\(other) ! fakesink")
        try playing.play()
        try playing.finish()
        #expect(try names(in: other) == ["Eva"])
        let failing = try pipeline("\(line) model=\(path) save-location=\(folder.path) ! fakesink")
        #expect(failing.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        #expect(failing.bus.wait(GST_MESSAGE_ERROR)?.text.contains(folder.path) == true)
        #expect(try names(in: path) == ["Ada", "Ben"])
    }

    @Test("In PLAYING forget-name and the key do the same beside the stream; a stop waits for the file")
    func beside() throws {
        try write(["Ada", "Ben", "Eva"], .lbph)
        let harness = try harness()
        harness.element.set("forget-name", "Ben")
        #expect(try name(harness, "Ben") != "Ben")
        let isWritten = try eventually { try names(in: path) == ["Ada", "Eva"] }
        #expect(isWritten)
        let isKnown = try eventually { try name(harness) == "Ada" }
        #expect(isKnown)
        harness.press("Delete")
        gst_element_set_state(harness.element.element, GST_STATE_NULL)
        #expect(try names(in: path) == ["Eva"])
    }

    @Test("Of an element that is not running, too, as far as the files go")
    func notRunning() throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        let element = try Handle(factory: "svfacerecognize", [("model", path)])
        let answers = [element.ask("forget", "Ada", as: Bool.self), element.ask("forget", "Ada", as: Bool.self)]
        #expect(answers == [true, false])
        #expect(try names(in: path) == ["Ben"])
    }

    @Test("Who is forgotten while somebody reads, learns or saves does not come back with that")
    func meanwhile() throws {
        let other = folder.file("other.yml")
        for round in 0..<12 {
            for file in [path, other] {
                try ModelFile(gallery: MadeFaces.gallery(["Ada", "Ben", "Eva"]), algorithm: .lbph).save(to: file)
            }
            let harness = try harness([("message", "none")])
            harness.element.set("model", value: other)
            _ = try name(harness)
            for _ in 0..<round % 3 { harness.element.emit("train") }
            harness.element.emit("save", other)
            g_usleep(UInt(round) * 700)
            #expect(forget("Ada", harness) == true)
            #expect(try names(in: other) == ["Ben", "Eva"])
            for _ in 0..<4 { #expect(try name(harness) != "Ada") }
            gst_element_set_state(harness.element.element, GST_STATE_NULL)
            #expect(try names(in: other) == ["Ben", "Eva"])
        }
    }

    @Test("What is read while somebody is forgotten comes without them")
    func reading() {
        var people = People()
        people.begin()
        people.begin()
        let isKnown = [people.forget("Ada"), people.forget("Ada")]
        #expect(isKnown == [false, false])
        var areTaken = [people.end(.folder, MadeFaces.gallery(["Ada", "Ben"]))]
        areTaken.append(people.end(.model, MadeFaces.gallery(["Eva", "Ada"])))
        #expect(people.gallery.people.map(\.name) == ["Eva", "Ben"])
        people.begin()
        areTaken.append(people.end(.model, MadeFaces.gallery(["Ada"])))
        #expect(people.gallery.people.map(\.name) == ["Ada", "Ben"])
        #expect(areTaken == [true, true, true])
    }
}

@Suite("svfacerecognize: jobs and limits")
struct FaceJobTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Jobs of an element that is not running outlive it, and do what they have to")
    func notRunning() throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        var fates: [Fate] = []
        for number in 0..<30 {
            let element = try Handle(factory: "svfacerecognize")
            fates.append(Fate(element))
            element.emit("save", folder.file("\(number).yml"))
            element.emit("train")
        }
        #expect(eventually { fates.allSatisfy(\.isGone) })
        #expect(folder.names.count == 30)
    }

    @Test("A stop ends the reading of a folder of people; nobody of it is known then")
    func stopWhileEnrolling() throws {
        let people = folder.file("people")
        _ = g_mkdir_with_parents("\(people)/Ada", 0o755)
        let picture = try folder.write(TestFrame(.rgb, 320, 240, seed: 5), "picture.png")
        for number in 0..<60 { symlink(picture, "\(people)/Ada/\(number).png") }
        defer {
            for number in 0..<60 { unlink("\(people)/Ada/\(number).png") }
            rmdir("\(people)/Ada")
            rmdir(people)
        }
        let frame = TestFrame(.gray8, 200, 24, seed: 3)
        let harness = try recognizeHarness(like: frame)
        harness.element.set("people", people)
        _ = try harness.process(frame)
        gst_element_set_state(harness.element.element, GST_STATE_NULL)
        #expect(harness.element.text("phase") == "idle")
        // If the first frame arrives before a person is known, a warning says that no person is learned.
        let told = harness.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR)
        #expect(told.allSatisfy { $0.text.contains("no person is learned") })
    }

    @Test("More faces than can be learned: a source is refused, and collecting comes to its end")
    func limits() throws {
        var people = People()
        let crowd = MadeFaces.gallery((0..<20).map { "Person \($0)" }, each: Gallery.maxFaces / 20)
        var areTaken: [Bool] = []
        // If two sources have the same faces, the faces count only once.
        for (source, gallery) in [
            (People.Source.model, crowd), (.folder, MadeFaces.gallery(["Ada"])), (.folder, crowd),
        ] {
            people.begin()
            areTaken.append(people.end(source, gallery))
        }
        #expect(areTaken == [true, false, true])
        #expect(people.gallery.faceCount == Gallery.maxFaces)
        people.collections = [SampleCollector("Ada", trains: true)]
        let face = MadeFaces.face(of: "Ada", 0)
        let taking = people.take(.sample(face), face, at: .zero, FaceRecognize.Settings())
        guard case .full = taking else {
            Issue.record("a face was taken")
            return
        }
        #expect(people.collections.isEmpty && people.gallery.faceCount == Gallery.maxFaces)
    }

    @Test("A model that cannot be read: the error says of which kind it is")
    func kinds() throws {
        let malformed = try folder.write(Array("kind: other".utf8), "other.yml")
        for (path, isRight) in [
            (folder.file("none.yml"), { $0.isError(GST_RESOURCE_ERROR_NOT_FOUND) }),
            (folder.path, { $0.isError(GST_RESOURCE_ERROR_READ) }),
            (malformed, { $0.isError(GST_STREAM_ERROR_DECODE) }),
        ] as [(String, (Message) -> Bool)] {
            let line = try pipeline("videotestsrc ! svfacerecognize model=\(path) ! fakesink")
            #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
            let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
            #expect(isRight(error) && error.text.contains(path), "\(error.text)")
        }
    }

    @Test("What was collected is saved, too, where it cannot be learned yet")
    func savedUnlearned() throws {
        let path = folder.file("one.yml")
        let frame = MadeFaces.frame(of: "Ada")
        let harness = try recognizeHarness(
            [
                ("collect-name", "Ada"), ("collect-count", "1"), ("algorithm", "fisherfaces"),
                ("save-location", path), ("draw", "false"),
            ], like: frame)
        #expect(harness.push(try frame.buffer(marked: [])) == GST_FLOW_OK)
        #expect(harness.bus.wait(GST_MESSAGE_WARNING)?.text.contains("two people") == true)
        let isSaved = eventually { folder.names.contains("one.yml") }
        #expect(isSaved)
        #expect(try ModelFile(path: path).gallery.people.map(\.name) == ["Ada"])
    }
}
