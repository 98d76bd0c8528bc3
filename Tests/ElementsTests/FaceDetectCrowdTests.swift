// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Elements
import Imaging
import Scenes
import TestSupport
import Testing

@Suite("svfacedetect: crowds")
struct FaceDetectCrowdTests {
    @Test("Every face of a crowd is told in the first frame, which counts as searched", arguments: [1, 2, 4])
    func crowd(seed: UInt64) throws {
        let (picture, actors) = try DrawnFaces(.faces, count: 20, seed: seed, width: 1280, height: 720).frame()
        #expect(actors.count == 20)
        let harness = try faceHarness([("draw", "false"), ("interval", "1")], like: picture)
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        let result = try harness.pull()
        #expect(result.detections(picture.width, picture.height).show(actors))
        #expect(result.wasSearched(for: "face") && result.wasSearched(for: "cat-face"))
    }

    @Test("A frame with more to look at than there is time for does not count as searched; the next one has the rest")
    func leftOver() throws {
        // The minimum number of neighbours is too high, so no face is detected. But the detector must examine the whole
        // frame.
        let properties = [
            ("draw", "false"), ("species", "human"), ("min-neighbors", "1000"), ("min-size", "0.036"),
            ("interval", "1"),
        ]
        for (columns, expected) in [(10, [true, true, true]), (20, [false, true, true])] {
            let picture = try wall(columns: columns, rows: 12)
            let harness = try faceHarness(properties, like: picture)
            let marks = try (0..<3).map { number in
                #expect(harness.push(try picture.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
                let result = try harness.pull()
                #expect(result.detections(picture.width, picture.height).isEmpty)
                return result.wasSearched(for: "face")
            }
            #expect(marks == expected, "\(columns) columns")
        }
    }

    /// Returns a frame that is filled with copies of a face of about 30 pixels.
    private func wall(columns: Int, rows: Int) throws -> TestFrame {
        let (face, actors) = try DrawnFaces(.faces, count: 1, width: 100, height: 112).frame()
        #expect(actors.count == 1)
        let tile = TestFrame(.gray8, 50, 56) { x, y in
            let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map { Int(face.color(2 * x + $0.0, 2 * y + $0.1).green) }
            return [UInt8(four.reduce(0, +) / 4)]
        }
        return TestFrame(.gray8, 50 * columns, 56 * rows) { x, y in tile[x % 50, y % 56] }
    }
}
