// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import Scenes
import TestSupport
import Testing

@Suite("svfacemerge: whose face")
struct FaceChoiceTests {
    private let folder: TemporaryFolder
    private let picture: TestFrame
    /// Three faces: face 1 is on the right, face 2 on the left, and face 3, the largest, between them.
    private let faces: [Detection]

    init() throws {
        folder = try TemporaryFolder()
        picture = TestFrame(.bgra, 360, 160, seed: 8)
        faces = [(1, 270, 40, 70), (2, 10, 60, 60), (3, 110, 20, 120)].map { id, x, y, side in
            Detection(type: "face", id: id, box: Rectangle(x: x, y: y, width: side, height: side))
        }
    }

    private func partner() throws -> String {
        let cat = try DrawnFaces(.cats, count: 1, seed: 5, width: 400, height: 400).frame().picture
        return try folder.write(TestFrame(.rgb, 400, 400) { x, y in cat.color(x, y).pixel(.rgb) }, "cat.png")
    }

    /// Returns the ids of the faces that have a hybrid face.
    private func merged(_ harness: Harness, _ faces: [Detection]? = nil) throws -> Set<Int32> {
        #expect(harness.push(try picture.buffer(marked: faces ?? self.faces)) == GST_FLOW_OK)
        return Set(try harness.pull().detections(360, 160).filter { $0.type == "hybrid-face" }.compactMap(\.parent))
    }

    @Test("replace: the chosen face alone, by where it is in the frame")
    func replace() throws {
        let harness = try mergeHarness([("partner", partner())], like: picture)
        #expect(harness.element.text("face") == "all")
        #expect(try merged(harness) == [1, 2, 3])
        let choices: [(String, Set<Int32>)] = [
            ("left", [2]), ("right", [1]), ("largest", [3]), ("1", [2]), ("2", [3]), ("3", [1]), ("4", []),
            ("Left", [2]), ("all", [1, 2, 3]), ("none", [1, 2, 3]),
        ]
        for (choice, expected) in choices {
            harness.element.set("face", choice)
            #expect(try merged(harness) == expected, "\(choice)")
        }
        #expect(harness.bus.pending(GST_MESSAGE_WARNING).isEmpty)
        // Faces without ids are identified by their boxes.
        harness.element.set("face", "right")
        let unnumbered = faces.map { Detection(type: "face", id: 0, box: $0.box) }
        // The hybrids of the lost faces have faded out after a second.
        #expect(harness.push(try picture.buffer(marked: unnumbered, at: 1_000_000_000)) == GST_FLOW_OK)
        let hybrids = try harness.pull().detections(360, 160).filter { $0.type == "hybrid-face" }
        #expect(hybrids.count == 1 && hybrids.allSatisfy { $0.box.x >= 240 })
    }

    @Test("swap: the chosen face with the largest of the others")
    func swap() throws {
        let harness = try mergeHarness([("layout", "swap")], like: picture)
        for (choice, expected) in [
            ("all", [1, 3]), ("left", [2, 3]), ("largest", [1, 3]), ("3", [1, 3]), ("9", []),
        ] {
            harness.element.set("face", choice)
            #expect(try merged(harness) == Set(expected.map { Int32($0) }), "\(choice)")
        }
    }

    @Test(
        "A text that is no choice is an error at start, and a warning later",
        arguments: [("lfet", "\"left\""), ("0", "a number (1"), ("-1", "a number (1"), ("", "all")])
    func wrong(_ text: String, _ words: String) throws {
        let harness = try mergeHarness([("partner", partner()), ("face", "right")], like: picture)
        harness.element.set("face", text)
        #expect(try merged(harness) == (text.isEmpty ? [1, 2, 3] : [1]))
        let warning = harness.bus.pending(GST_MESSAGE_WARNING).first?.text
        guard !text.isEmpty else {
            #expect(warning == nil)
            return
        }
        #expect(warning?.contains("face=\(text)") == true && warning?.contains(words) == true, "\(warning ?? "none")")
        #expect(harness.element.text("face") == "right")
        let line = try pipeline("videotestsrc num-buffers=3 ! svfacemerge layout=swap face=\(text) ! fakesink")
        #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.text.contains(words) && error.isError(GST_LIBRARY_ERROR_SETTINGS), "\(error.text)")
    }
}
