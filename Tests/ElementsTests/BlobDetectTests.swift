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

@Suite("svblobdetect")
struct BlobDetectTests {
    private func blobHarness(_ properties: [(String, String)] = [], like frame: TestFrame) throws -> Harness {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        return try Harness("svblobdetect", properties, like: frame)
    }

    @Test("Things on paper are found where they are, with outline, area and colour; pixels stay as they were")
    func found() throws {
        let coins = try DrawnCoins.of(4)
        let (picture, actors) = (coins.picture, coins.actors)
        let harness = try blobHarness([("draw", "false")], like: picture)
        let kept = try picture.buffer()
        #expect(harness.push(kept) == GST_FLOW_OK)
        let result = try harness.pull()
        let blobs = result.detections(picture.width, picture.height)
        #expect(blobs.count == actors.count && blobs.allSatisfy { $0.type == "blob" })
        for actor in actors {
            let blob = try #require(blobs.first { overlap($0.box, actor.rectangle) > 0.7 })
            let outline = try #require(blob.outline)
            #expect(outline.corners.count > 4)
            let box = Double(blob.box.width * blob.box.height)
            // A coin or bean fills about π/4 of its box. A diagonal bean fills less.
            #expect(outline.area > 0.4 * box && outline.area < 0.9 * box)
            #expect(outline.color != 0xFF00_0000)
        }
        #expect(result.wasSearched(for: "blob"))
        #expect(gst_buffer_peek_memory(result.pointer, 0) == gst_buffer_peek_memory(kept.pointer, 0))
        #expect(try harness.shown(result) == picture)
    }

    private static let shows = ["image", "mask", "background", "shadows", "candidates", "outlines"]

    @Test("The stages show the background without things, candidates in colours, and outlines on the frame")
    func stages() throws {
        let coins = try DrawnCoins.of(4)
        let picture = coins.picture
        let actor = try #require(coins.actors.first).rectangle
        let center = (actor.x + actor.width / 2, actor.y + actor.height / 2)
        func shown(_ stage: String) throws -> TestFrame {
            let properties = [("show", stage), ("draw", "false"), ("color", "0xffff0000")]
            let harness = try blobHarness(properties, like: picture)
            #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
            return try harness.shown(try harness.pull())
        }
        func difference(_ a: Color, _ b: Color) -> Double {
            max(abs(a.red - b.red), abs(a.green - b.green), abs(a.blue - b.blue))
        }
        let (background, paper) = (try shown("background"), picture.color(3, 3))
        #expect(difference(background.color(3, 3), paper) < 8)
        // The light may be darker at one side.
        #expect(difference(background.color(center.0, center.1), paper) < 40)
        #expect(difference(background.color(center.0, center.1), picture.color(center.0, center.1)) > 20)
        let shadows = try shown("shadows")
        #expect(shadows.color(center.0, center.1) == Color(gray: 255) && shadows.color(3, 3) == Color(gray: 0))
        let candidates = try shown("candidates")
        let colors = Set(
            coins.actors.map(\.rectangle).map { candidates.color($0.x + $0.width / 2, $0.y + $0.height / 2) })
        #expect(colors.count == 4 && !colors.contains(Color(gray: 0)) && candidates.color(3, 3) == Color(gray: 0))
        let outlines = try shown("outlines")
        #expect(outlines.color(center.0, center.1) == picture.color(center.0, center.1))
        let row = (actor.x - 6..<actor.x + actor.width + 6).map { outlines.color($0, center.1) }
        #expect(row.contains { $0.red > 200 && $0.green < 90 && $0.blue < 90 })
    }

    @Test("Formats", arguments: TestScope.some(FrameFormat.all.map(\.name), oneIn: 3))
    func formats(_ format: String) throws {
        let coins = try DrawnCoins.of(4)
        let (picture, actors) = (coins.picture, coins.actors)
        for show in Self.shows {
            let line = try pipeline(
                "appsrc name=in format=time caps=\(picture.caps()) ! videoconvert ! video/x-raw,format=\(format) "
                    + "! svblobdetect show=\(show) name=b ! fakesink")
            let result = try FrameProbe(line.pad("b", "src"))
            try line.play()
            try line.push(picture, into: "in", at: 0)
            try line.end("in")
            try line.finish()
            let blobs = try #require(result.frames.first).buffer.detections(picture.width, picture.height)
            // In grey, an object may be as bright as the paper.
            #expect(blobs.count == actors.count || format == "GRAY8" && !blobs.isEmpty, "\(format)")
        }
    }

    @Test("Boxes have the colour that was set, the mask is black and white")
    func drawn() throws {
        let coins = try DrawnCoins.of(4)
        let (picture, actors) = (coins.picture, coins.actors)
        var harness = try blobHarness([("color", "0xffff0000")], like: picture)
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        var result = try harness.pull()
        for blob in result.detections(picture.width, picture.height) {
            // The corner of the drawn frame, outside of the blob.
            let margin = 2 * max(1, (min(picture.width, picture.height) + 120) / 240)
            let corner = (max(0, blob.box.x - margin), max(0, blob.box.y - margin))
            #expect(try harness.shown(result).color(corner.0, corner.1) == Color(red: 255, green: 0, blue: 0))
        }
        harness = try blobHarness([("show", "mask"), ("draw", "false")], like: picture)
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        result = try harness.pull()
        let mask = try harness.shown(result)
        let actor = try #require(actors.first).rectangle
        #expect(mask.color(actor.x + actor.width / 2, actor.y + actor.height / 2) == Color(gray: 255))
        #expect(mask.color(2, 2) == Color(gray: 0))
        let white = (0..<picture.height).reduce(0) { sum, y in
            sum + (0..<picture.width).count { mask.color($0, y) == Color(gray: 255) }
        }
        let things = actors.reduce(0) { $0 + $1.rectangle.width * $1.rectangle.height }
        #expect(white > things / 2 && white < things * 3 / 2)
    }

    @Test("Ids stay while things move; without tracks each frame has new ones", arguments: [true, false])
    func ids(_ track: Bool) throws {
        let coins = DrawnFaces(.coins, count: 2, width: 240, height: 140)
        let harness = try blobHarness([("draw", "false"), ("track", "\(track)")], like: coins.frame().picture)
        var ids: [Int: Set<Int32>] = [:]
        for number in 0..<10 {
            let (picture, actors) = try coins.frame(at: Double(number) / 25)
            #expect(harness.push(try picture.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
            let blobs = try harness.pull().detections(picture.width, picture.height)
            for actor in actors {
                let blob = try #require(blobs.first { overlap($0.box, actor.rectangle) > 0.5 })
                ids[actor.id, default: []].insert(blob.id)
            }
        }
        #expect(ids.values.map(\.count) == (track ? [1, 1] : [10, 10]))
    }

    @Test("frame-mean, what a detector of its own finds; std-devs follows the model unless it is set")
    func model() throws {
        let picture = try DrawnCoins.of(1).picture
        let harness = try blobHarness([("model", "frame-mean"), ("draw", "false")], like: picture)
        #expect(harness.element.get("std-devs") == 1.0)
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        let found = try harness.pull().detections(picture.width, picture.height)
        var bytes = picture.bytes
        let expected = try bytes.withUnsafeMutableBytes {
            let image = Image(
                base: try required($0.baseAddress, "no bytes"), width: picture.width, height: picture.height,
                stride: 4 * picture.width, format: .bgra)
            return try BlobDetector(settings: .classic).blobs(in: FrameImage(image))
        }
        #expect(!expected.isEmpty)
        #expect(found.map(\.box.x) == expected.map { Int($0.box.x) })
        #expect(found.map(\.box.height) == expected.map { Int($0.box.height) })
        harness.element.set("model", "knn")
        #expect(harness.element.get("std-devs") == 20.0)
        harness.element.set("std-devs", value: 7.0)
        harness.element.set("model", "border")
        #expect(harness.element.get("std-devs") == 7.0)
    }

    @Test("max-blobs holds, the largest stay, and the frame does not count as searched")
    func limit() throws {
        let coins = try DrawnCoins.of(4)
        let (picture, actors) = (coins.picture, coins.actors)
        let harness = try blobHarness([("max-blobs", "2"), ("draw", "false")], like: picture)
        #expect(harness.push(try picture.buffer()) == GST_FLOW_OK)
        let result = try harness.pull()
        let blobs = result.detections(picture.width, picture.height)
        #expect(blobs.count == 2)
        let largest = try #require(actors.map { $0.rectangle.width * $0.rectangle.height }.max())
        #expect(blobs.contains { Double($0.box.width * $0.box.height) > 0.8 * Double(largest) })
        #expect(!result.wasSearched(for: "blob"))
    }

    @Test(
        "Empty frames, full ones, noise and single pixels: no flood, no harm",
        arguments: ["border", "frame-mean", "mog2", "knn"])
    func extremes(_ model: String) throws {
        let frames = [
            TestFrame(.bgra, 1, 1, color: paper), TestFrame(.gray8, 2, 7, seed: 3),
            TestFrame(.rgb, 161, 100, color: paper),
            TestFrame(.bgra, 160, 120, seed: 9), TestFrame(.bgra, 64, 48, color: Color(gray: 0)),
        ]
        for frame in frames {
            for show in Self.shows {
                let harness = try blobHarness([("model", model), ("show", show), ("min-size", "0")], like: frame)
                for number in 0..<3 {
                    let buffer = try harness.process(giving: frame.buffer(at: UInt64(number) * 40_000_000).reference)
                    #expect(buffer.regions.count <= 32)
                    #expect(
                        buffer.regions.allSatisfy {
                            Int($0.x + $0.w) <= frame.width && Int($0.y + $0.h) <= frame.height
                        })
                }
            }
        }
    }

    @Test("A message tells what appeared, with area and colour")
    func message() throws {
        let coins = try DrawnCoins.of(4)
        let (picture, actors) = (coins.picture, coins.actors)
        let harness = try blobHarness([("draw", "false")], like: picture)
        for number in 0..<3 {
            #expect(harness.push(try picture.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
            _ = try harness.pull()
        }
        let messages = harness.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }
        #expect(messages.count == 1)
        let blobs = try #require(messages.first?.structures("objects"))
        #expect(blobs.count == actors.count)
        let blob = try #require(blobs.first)
        #expect(blob.name == "blob")
        #expect(try #require(blob.double("area")) > 100)
        #expect(try #require(blob.text("mean_color")).wholeMatch(of: #/#[0-9a-f]{6}/#) != nil)
    }

    @Test("Properties at random from threads while it plays")
    func random() throws {
        let picture = try DrawnCoins.of(1).picture
        let harness = try blobHarness(like: picture)
        let element = harness.element
        let threads = (0..<2).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(seed) &* 1000 &+ UInt64(round))
                switch random.next() % 9 {
                case 0:
                    element.set("model", ["frame-mean", "border", "mog2", "knn"].randomElement(using: &random) ?? "")
                case 1: element.set("std-devs", value: Double(random.byte()))
                case 2: element.set("scale", value: Double(random.byte()) / 255)
                case 3: element.set("erode-kernel", value: Double(random.byte()) / 2550)
                case 4: element.set("erode-iterations", value: UInt32(random.next() % 20))
                case 5: element.set("min-size", value: Double(random.byte()) / 255)
                case 6: element.set("max-blobs", value: UInt32(1 + random.next() % 40))
                case 7: element.set("show", Self.shows.randomElement(using: &random) ?? "")
                default:
                    element.set(["draw", "track"].randomElement(using: &random) ?? "", value: random.next() % 2 == 0)
                }
            }
        }
        for number in 0..<30 {
            #expect(harness.push(try picture.buffer(at: UInt64(number) * 40_000_000)) == GST_FLOW_OK)
            _ = try harness.pull()
        }
        for thread in threads { thread.stop() }
        #expect(harness.bus.pending(GST_MESSAGE_ERROR, GST_MESSAGE_WARNING).isEmpty)
    }

    @Test("Blobs pass stock videoconvert and videoscale to svblobclassify and svoverlay, outlines too")
    func converters() throws {
        let coins = try DrawnCoins.of(4)
        let (picture, actors) = (coins.picture, coins.actors)
        let line = try pipeline(
            "appsrc name=in format=time caps=\(picture.caps()) ! svblobdetect draw=false ! videoconvert ! "
                + "video/x-raw,format=I420 ! videoscale ! video/x-raw,width=960,height=640 ! svoverlay name=o ! fakesink"
        )
        let result = try FrameProbe(line.pad("o", "src"))
        try line.play()
        try line.push(picture, into: "in", at: 0)
        try line.end("in")
        try line.finish()
        let blobs = try #require(result.frames.first).buffer.detections(960, 640)
        #expect(blobs.count == actors.count)
        for blob in blobs {
            let outline = try #require(blob.outline)
            let (xs, ys) = (outline.corners.map(\.x), outline.corners.map(\.y))
            // The outline is in pixels of the larger frame, and fits the box.
            #expect(try abs(#require(xs.max()) - #require(xs.min()) - Double(blob.box.width)) < 16)
            #expect(try abs(#require(ys.max()) - #require(ys.min()) - Double(blob.box.height)) < 16)
        }
    }
}
