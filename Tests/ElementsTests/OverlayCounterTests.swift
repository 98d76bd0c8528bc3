// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Foundation
import Imaging
import TestSupport
import Testing

@Suite("svoverlay: counter")
struct OverlayCounterTests {
    private func things(_ names: [String]) -> [Detection] {
        names.enumerated().map { index, name in
            Detection(
                type: "blob", id: Int32(index + 1), box: Rectangle(x: 150 + 30 * index, y: 150, width: 20, height: 20),
                label: name)
        }
    }

    private func change(_ names: [String], on level: UInt8) throws -> (Rectangle, TestFrame) {
        let frame = TestFrame(.bgra, 400, 200, color: Color(gray: level))
        let shown = try overlayHarness(nothingDrawn + [("outlines", "false"), ("counter", "true")], like: frame)
            .process(frame, things(names))
        return (shown.change(from: frame), shown)
    }

    @Test(
        "How many there are of each name stands in the corner, a line each, readable on any ground",
        arguments: [UInt8(0), 128, 255])
    func counts(_ level: UInt8) throws {
        let (one, frame) = try change(["coin"], on: level == 0 ? 1 : level)
        #expect(one.x == 0 && one.y <= 5 && one.height < 25)
        let (three, _) = try change(["bean", "coin", "coin"], on: level == 0 ? 1 : level)
        #expect(three.height > 2 * one.height && three.width >= one.width)
        // The contrast ratio by the W3C's formula (WCAG 2.1) must be at least 4.5 to 1.
        func light(_ level: Double) -> Double {
            let share = level / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        let ground = frame.color(1, 1).red
        var letter = 0.0
        for y in 0..<25 { for x in 0..<60 { letter = max(letter, frame.color(x, y).red) } }
        #expect((light(letter) + 0.05) / (light(ground) + 0.05) >= 4.5)
    }

    @Test("Without things it says that there are none")
    func none() throws {
        let (place, _) = try change([], on: 200)
        #expect(place.width > 20 && place.height > 8)
    }

    @Test("A hidden face is counted, and not named")
    func hidden() throws {
        let frame = TestFrame(.bgra, 400, 200, color: Color(gray: 90))
        var face = Detection.face(Rectangle(x: 250, y: 80, width: 60, height: 60))
        let plain = face
        face.classifications = [Classification(name: "person", label: "Ada", confidence: 0.5)]
        let harness = try overlayHarness(nothingDrawn + [("counter", "true"), ("blur-faces", "true")], like: frame)
        #expect(
            try harness.process(frame, [face], searched: ["face"])
                == harness.process(frame, [plain], searched: ["face"]))
    }
}
