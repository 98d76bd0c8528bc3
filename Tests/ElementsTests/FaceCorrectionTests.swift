// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
@testable import Elements
import Imaging
import TestSupport
import Testing
import Vision

@Suite("svfacerecognize: correcting names")
struct FaceCorrectionTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("family.yml")
        try ModelFile(gallery: MadeFaces.gallery(["Ada", "Ben"]), algorithm: .lbph).save(to: path)
    }

    private func harness(_ properties: [(String, String)] = []) throws -> Harness {
        try recognizeHarness(
            [("model", path), ("save-location", path), ("vote-frames", "5"), ("draw", "false")] + properties,
            like: MadeFaces.frame(of: "Ada"))
    }

    /// Pushes a frame that a face fills.
    /// - Returns: the id and the label of the face.
    private func push(_ harness: Harness, _ who: String = "Ada", id: Int32 = 7) throws -> (id: Int32, label: String?) {
        let frame = MadeFaces.frame(of: who)
        let face = Detection(
            type: .face, id: id, box: Rectangle(x: 0, y: 0, width: 70, height: 70), landmarks: FaceLandmarks.inSample)
        #expect(harness.push(try frame.buffer(marked: [face])) == GST_FLOW_OK)
        let seen = try #require(try harness.pull().detections(FaceSample.side, FaceSample.side).first)
        return (seen.id, seen.classifications.first?.label)
    }

    private func warning(_ harness: Harness) -> String? { harness.bus.wait(GST_MESSAGE_WARNING)?.text }

    private func saved(_ condition: (Gallery) -> Bool) -> Bool {
        eventually { (try? ModelFile(path: path)).map { condition($0.gallery) } ?? false }
    }

    @Test(
        "A rejected name goes with the next frame, does not come back in another track or after a restart, and is saved"
    )
    func rejecting() throws {
        let harness = try harness()
        for _ in 0..<3 { #expect(try push(harness).label == "Ada") }
        #expect(harness.element.ask("reject", 7 as Int32, as: Bool.self) == true)
        #expect(try push(harness).label != "Ada")
        #expect(saved { $0.people.first { $0.name == "Ada" }?.rejected.count == 1 })
        for _ in 0..<3 { #expect(try push(harness, id: 8).label != "Ada") }
        #expect(try push(harness, "Ben", id: 9).label == "Ben")
        #expect(try ModelFile(path: path).text.contains("version: 2"))
        let next = try self.harness()
        #expect(try push(next, id: 10).label != "Ada")
        #expect(try push(next, "Ben", id: 11).label == "Ben")
    }

    @Test("A confirmed face is learned and saved, also under a new name, and ends an earlier rejection")
    func confirming() throws {
        let harness = try harness()
        #expect(try push(harness, "Eva").label != "Eva")
        #expect(harness.element.ask("confirm", 7 as Int32, "Eva", as: Bool.self) == true)
        #expect(saved { $0.faces(of: "Eva").count == 1 })
        #expect(eventually { (try? push(harness, "Eva").label) == "Eva" })
        #expect(harness.element.ask("reject", 7 as Int32, as: Bool.self) == true)
        // The rejection removes what was learned from the confirmation. This was Eva's only face, so Eva is removed,
        // too.
        #expect(saved { $0.faces(of: "Eva").isEmpty })
        for _ in 0..<3 { #expect(try push(harness, "Eva").label != "Eva") }
        #expect(harness.element.ask("confirm", 7 as Int32, "Eva", as: Bool.self) == true)
        #expect(eventually { (try? push(harness, "Eva").label) == "Eva" })
        #expect(saved { $0.people.first { $0.name == "Eva" }?.rejected.isEmpty == true })
    }

    @Test("A face is confirmed where nobody is known yet: it is learned from the next frame")
    func firstPerson() throws {
        let harness = try recognizeHarness(
            [("algorithm", "lbph"), ("draw", "false")], like: MadeFaces.frame(of: "Ada"))
        #expect(try push(harness).label == nil)
        #expect(harness.element.ask("confirm", 7 as Int32, "Ada", as: Bool.self) == true)
        #expect(eventually { (try? push(harness).label) == "Ada" })
        #expect(harness.element.text("phase") == "recognise")
    }

    @Test("A face that leaves before it is learned: a warning, and the next face is not mixed up with it")
    func left() throws {
        let harness = try recognizeHarness(
            [("algorithm", "lbph"), ("draw", "false")], like: MadeFaces.frame(of: "Ada"))
        #expect(try push(harness).label == nil)
        _ = harness.bus.pending(GST_MESSAGE_WARNING)
        #expect(harness.element.ask("confirm", 7 as Int32, "Ada", as: Bool.self) == true)
        #expect(try push(harness, "Ben", id: 8).label == nil)
        #expect(warning(harness)?.contains("cannot confirm face 7") == true)
        #expect(harness.element.text("phase") == "idle")
    }

    @Test("Ids and names that cannot be used: a warning says why, and nothing changes")
    func refused() throws {
        let harness = try harness()
        #expect(try push(harness).label == "Ada")
        #expect(harness.element.ask("confirm", 99 as Int32, "Ada", as: Bool.self) == false)
        #expect(warning(harness)?.contains("face 99: no face with this id") == true)
        #expect(harness.element.ask("reject", -1 as Int32, as: Bool.self) == false)
        #expect(warning(harness)?.contains("face -1: no face with this id") == true)
        #expect(harness.element.ask("confirm", 7 as Int32, "A\u{7}da", as: Bool.self) == false)
        #expect(warning(harness)?.contains("invalid name") == true)
        #expect(try push(harness, "Nobody", id: 8).label == "unknown")
        #expect(harness.element.ask("reject", 8 as Int32, as: Bool.self) == false)
        #expect(warning(harness)?.contains("face 8: the face does not have the name of a known person") == true)
        #expect(try ModelFile(path: path).gallery == MadeFaces.gallery(["Ada", "Ben"]))
    }

    @Test("Forgetting a person removes rejected faces, too")
    func forgetting() throws {
        let harness = try harness()
        #expect(try push(harness).label == "Ada")
        #expect(harness.element.ask("reject", 7 as Int32, as: Bool.self) == true)
        #expect(saved { $0.people.first?.rejected.count == 1 })
        #expect(harness.element.ask("forget", "Ada", as: Bool.self) == true)
        let file = try ModelFile(path: path)
        #expect(file.gallery.people.map(\.name) == ["Ben"] && file.text.contains("version: 1"))
    }
}

extension FaceLandmarks {
    /// The eyes of a face that fills a frame with the size of a sample.
    fileprivate static var inSample: FaceLandmarks {
        var face = FaceLandmarks(at: Point(35, 35))
        face.leftEye = Point(0.29 * 70, 0.38 * 70)
        face.rightEye = Point(0.71 * 70, 0.38 * 70)
        return face
    }
}
