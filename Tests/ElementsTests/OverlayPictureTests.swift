// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Imaging
import TestSupport
import Testing

@Suite("svoverlay: hide-style=picture")
struct OverlayPictureTests {
    private let folder: TemporaryFolder
    private let frame = TestFrame(.bgra, 240, 180, seed: 23)
    private let box = Rectangle(x: 96, y: 64, width: 64, height: 48)

    init() throws { folder = try TemporaryFolder() }

    private func hiding(_ path: String?, _ properties: [(String, String)] = [], like frame: TestFrame? = nil) throws
        -> Harness
    {
        try overlayHarness(
            [("hide", "logo"), ("hide-style", "picture"), ("hide-picture", path ?? "none")] + nothingDrawn + properties,
            like: frame ?? self.frame)
    }

    private func logo(_ box: Rectangle? = nil) -> Detection { Detection(type: .logo, id: 3, box: box ?? self.box) }

    /// Writes an image whose left half is red and whose right half is blue.
    private func halves(_ width: Int, _ height: Int) throws -> String {
        let picture = TestFrame(.bgra, width, height) { x, _ in
            (2 * x < width ? Color(red: 255, green: 0, blue: 0) : Color(red: 0, green: 0, blue: 255)).pixel(.bgra)
        }
        return try folder.write(picture, "halves-\(width).png")
    }

    @Test(
        "It fills what is hidden, its aspect kept, whatever its size", arguments: [(40, 40), (200, 50), (3000, 2000)])
    func fills(_ width: Int, _ height: Int) throws {
        let shown = try hiding(halves(width, height)).process(frame, [logo()], searched: ["logo"])
        #expect(shown.change(from: frame) == Rectangle(x: 88, y: 56, width: 80, height: 64))
        for y in [57, 90, 118] {
            #expect(shown.color(92, y).red > 200 && shown.color(92, y).blue < 60)
            #expect(shown.color(164, y).blue > 200 && shown.color(164, y).red < 60)
        }
        // Regions at the edge, larger than the frame, and thousands of pixels outside.
        for box in [Rectangle(x: 220, y: 0, width: 20, height: 180), Rectangle(x: 0, y: 0, width: 240, height: 180)] {
            let shown = try hiding(halves(width, height)).process(frame, [logo(box)], searched: ["logo"])
            #expect(shown.color(230, 90) != frame.color(230, 90))
        }
    }

    @Test("What lets through lies on black")
    func alpha() throws {
        let picture = TestFrame(.bgra, 64, 48) { x, _ in x < 32 ? [255, 255, 255, 0] : [0, 255, 0, 255] }
        let shown = try hiding(folder.write(picture, "alpha.png")).process(frame, [logo()], searched: ["logo"])
        #expect(shown.color(95, 80) == .black)
        #expect(shown.color(160, 80).green > 240)
    }

    @Test("In every format", arguments: FrameFormat.all.map(\.name))
    func formats(_ format: String) throws {
        let line = try pipeline(
            "appsrc name=in format=time caps=\(frame.caps()) ! videoconvert ! video/x-raw,format=\(format) ! svoverlay "
                + "hide=logo hide-style=picture hide-picture=\(halves(64, 64)) labels=false boxes=false ! videoconvert "
                + "! video/x-raw,format=BGRA ! appsink name=out sync=false")
        try line.play()
        try line.push(frame.buffer(with: [logo()], searched: ["logo"]), into: "in")
        let shown = try #require(try line.pull()).frame
        try line.end("in")
        let (left, right) = (shown.color(100, 80), shown.color(156, 80))
        if format == "GRAY8" {
            #expect(left.red > 40 && left.red < 110 && right.red < 45)
        } else {
            #expect(left.red > 180 && left.blue < 80 && right.blue > 180 && right.red < 80, "\(left) \(right)")
        }
    }

    @Test("No picture, a missing, broken or huge one: an error at the start with the path")
    func unusable() throws {
        let broken = try folder.write([UInt8]("no picture".utf8), "broken.png")
        let huge = try folder.write(hollowPNG(width: 60_000, height: 60_000), "huge.png")
        for path in [nil, folder.file("missing.png"), broken, huge] {
            let line = try pipeline(
                "videotestsrc num-buffers=2 ! svoverlay hide=logo hide-style=picture hide-picture=\(path ?? "none") ! fakesink"
            )
            line.set(GST_STATE_PLAYING)
            let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
            #expect(error.text.contains(path ?? "hide-picture"), "\(error.text)")
        }
    }

    @Test("While it plays: without a picture black; a broken one is a warning, and the last picture stays")
    func changing() throws {
        let harness = try hiding(nil, [("hide-style", "pixelate")])
        _ = try harness.process(frame, [logo()], searched: ["logo"])
        harness.element.set("hide-style", "picture")
        for _ in 0..<2 {
            #expect(try harness.process(frame, [logo()], searched: ["logo"]).color(120, 80) == .black)
        }
        #expect(harness.bus.pending(GST_MESSAGE_WARNING).count == 1)
        harness.element.set("hide-picture", try halves(64, 48))
        let isShown = eventually {
            (try? harness.process(frame, [logo()], searched: ["logo"]).color(100, 80).red > 200) ?? false
        }
        #expect(isShown)
        harness.element.set("hide-picture", folder.file("missing.png"))
        let isWarned = eventually {
            _ = try? harness.process(frame, [logo()], searched: ["logo"])
            return !harness.bus.pending(GST_MESSAGE_WARNING).isEmpty
        }
        #expect(isWarned)
        #expect(try harness.process(frame, [logo()], searched: ["logo"]).color(100, 80).red > 200)
        harness.element.set("hide-picture", "none")
        #expect(try harness.process(frame, [logo()], searched: ["logo"]).color(100, 80) == .black)
    }

    @Test("Regions of many sizes", .timeLimit(.minutes(5)))
    func many() throws {
        let harness = try hiding(halves(500, 300))
        for round in 0..<10 {
            let things = (0..<60).map { number in
                Detection(
                    type: .logo, id: Int32(number + 1),
                    box: Rectangle(
                        x: number * 4, y: round * 9, width: 5 + 3 * number % 90, height: 4 + (number * 7 + round) % 80))
            }
            let shown = try harness.process(frame, things, searched: ["logo"])
            #expect(shown[120, round * 9 + 1] != frame[120, round * 9 + 1])
        }
    }
}
