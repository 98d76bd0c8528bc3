// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("svblend: changes and errors")
struct BlendLiveTests {
    private let folder: TemporaryFolder
    private let foreground = opaqueForeground(16, 10, seed: 90)
    private let other = opaqueForeground(16, 10, seed: 91)
    private let background = TestFrame(.bgra, 16, 10, seed: 92)

    init() throws { folder = try TemporaryFolder() }

    private func over(_ foreground: TestFrame, _ mode: String = "normal") throws -> TestFrame {
        try blended(background, mode) { foreground.colorInside($0, $1) }
    }

    @Test("Mode, opacity and place change from one frame to the next")
    func properties() throws {
        let path = try folder.write(foreground, "f.png")
        let harness = try blendHarness([("location", path)], like: background)
        #expect(try harness.process(background) == over(foreground))
        harness.element.set("mode", "difference")
        #expect(try harness.process(background) == over(foreground, "difference"))
        harness.element.set("opacity", value: 0.0)
        #expect(try harness.process(background) == background)
        harness.element.set("opacity", value: 1.0)
        harness.element.set("xpos", value: Int32(5))
        let moved = try blended(background, "difference", x: 5) { foreground.colorInside($0, $1) }
        #expect(try harness.process(background) == moved)
        harness.element.set("mode", "no-such-mode")
        #expect(try harness.process(background) == moved)
    }

    @Test("A new location shows after a while, a removed one at once")
    func location() throws {
        let paths = try (folder.write(foreground, "f.png"), folder.write(other, "g.png"))
        let harness = try blendHarness([("location", paths.0)], like: background)
        #expect(try harness.process(background) == over(foreground))
        harness.element.set("location", value: paths.1)
        let (before, after) = try (over(foreground), over(other))
        let isShown = try eventually {
            let frame = try harness.process(background)
            #expect(frame == before || frame == after)
            return frame == after
        }
        #expect(isShown)
        let fields = try #require(harness.message("loaded"))
        #expect(fields.text("location") == paths.1)
        #expect(fields.int("width") == 16)
        harness.element.set("location", "none")
        #expect(try harness.process(background) == background)
    }

    @Test("A location that was set to something bad and back is shown again")
    func backAgain() throws {
        let path = try folder.write(foreground, "f.png")
        let harness = try blendHarness([("location", path)], like: background)
        harness.element.set("location", value: folder.file("missing.png"))
        #expect(try harness.process(background) == over(foreground))
        _ = try #require(harness.bus.wait(GST_MESSAGE_WARNING))
        harness.element.set("location", value: path)
        #expect(try harness.process(background) == over(foreground))
    }

    @Test("A bad new location is a warning with the path, and the old picture stays", arguments: ["missing", "broken"])
    func badLocation(_ kind: String) throws {
        let path = try folder.write(foreground, "f.png")
        let bad = folder.file("bad.png")
        if kind == "broken" { try folder.write(Array("no picture".utf8), "bad.png") }
        let harness = try blendHarness([("location", path)], like: background)
        harness.element.set("location", value: bad)
        #expect(try harness.process(background) == over(foreground))
        let warning = try #require(harness.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.text.contains(bad))
        #expect(
            kind == "missing" ? warning.isError(GST_RESOURCE_ERROR_NOT_FOUND) : warning.isError(GST_STREAM_ERROR_DECODE)
        )
        for _ in 0..<3 { #expect(try harness.process(background) == over(foreground)) }
        #expect(harness.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("A new mask shows after a while; a bad one is a warning")
    func mask() throws {
        let path = try folder.write(foreground, "f.png")
        let harness = try blendHarness([("location", path)], like: background)
        #expect(try harness.process(background) == over(foreground))
        let black = try folder.write(TestFrame(.gray8, 16, 10) { _, _ in [0] }, "m.png")
        harness.element.set("mask", value: black)
        #expect(try eventually { try harness.process(background) == background })
        harness.element.set("mask", value: folder.file("missing.png"))
        _ = try harness.process(background)
        #expect(try #require(harness.bus.wait(GST_MESSAGE_WARNING)).isError(GST_RESOURCE_ERROR_NOT_FOUND))
        #expect(try harness.process(background) == background)
        harness.element.set("mask", "none")
        #expect(try harness.process(background) == over(foreground))
    }

    @Test("A bad location or mask at start is an error with the path", arguments: ["location", "mask"])
    func badAtStart(_ property: String) throws {
        let missing = folder.file("missing.png")
        let line = try pipeline("videotestsrc ! svblend name=b \(property)=\(missing) ! fakesink")
        #expect(line.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.pending(GST_MESSAGE_ERROR).first)
        #expect(error.source == "b")
        #expect(error.text.contains(missing))
        #expect(error.isError(GST_RESOURCE_ERROR_NOT_FOUND))
    }

    @Test("Properties at random from threads while it plays: every frame is whole")
    func atRandom() throws {
        let paths = try [folder.write(foreground, "f.png"), folder.write(other, "g.png"), folder.file("missing.png")]
        let line = try pipeline(
            "videotestsrc num-buffers=200 ! video/x-raw,format=BGRA,width=64,height=48 ! svblend name=b "
                + "snapshot-location=\(folder.file("%d.png")) ! appsink name=out max-buffers=1 sync=false")
        let element = try line.element("b")
        // A missing file is an error at the start. So the stream first waits for its first frame.
        try line.play()
        let threads = (0..<2).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(seed * 7919 + round))
                element.set("mode", value: Int32.random(in: 0...34, using: &random))
                element.set("opacity", value: Double.random(in: 0...1, using: &random))
                element.set("xpos", value: Int32.random(in: -70...70, using: &random))
                element.set("width", value: Int32.random(in: 0...90, using: &random))
                element.set("height", value: Int32.random(in: 0...90, using: &random))
                element.set("hud-color", value: UInt32(truncatingIfNeeded: random.next()))
                switch random.next() % 40 {
                case 0: element.set("location", value: paths[Int(random.next() % 3)])
                case 1: element.set("mask", value: paths[Int(random.next() % 3)])
                case 2: element.emit("capture")
                case 3: element.emit("clear")
                case 4: element.emit("capture-to", paths[2] + ".\(round).png")
                case 5: element.set("mask", "none")
                default: break
                }
                g_usleep(200)
            }
        }
        #expect(eventually { threads.allSatisfy { $0.rounds > 0 } })
        #expect(try line.pullAll().count == 200)
        for thread in threads { thread.stop() }
        #expect(line.bus.pending(GST_MESSAGE_ERROR).isEmpty)
        line.set(GST_STATE_NULL)
    }

    @Test("A hundred times from NULL to PLAYING and back")
    func stateChanges() throws {
        let path = try folder.write(foreground, "f.png")
        let line = try pipeline(
            "videotestsrc ! video/x-raw,format=BGRA,width=16,height=10 ! svblend location=\(path) capture-every=1000000 ! "
                + "fakesink sync=false")
        for _ in 0..<100 {
            try line.reach(GST_STATE_PLAYING)
            try line.reach(GST_STATE_NULL)
        }
        #expect(line.bus.pending(GST_MESSAGE_ERROR, GST_MESSAGE_WARNING).isEmpty)
    }

    @Test("Regions of interest stay with a frame, also when it is copied")
    func metadata() throws {
        let path = try folder.write(foreground, "f.png")
        let harness = try blendHarness([("location", path)], like: background)
        let buffer = try background.buffer()
        try buffer.addRegion("face", id: 5, [1, 2, 3, 4], parameter: "detection, label=(string)x")
        #expect(harness.push(buffer) == GST_FLOW_OK)
        let result = try harness.pull()
        #expect(result.pointer != buffer.pointer)
        #expect(try harness.shown(result) == over(foreground))
        let kept = try #require(result.regions.first)
        #expect([kept.x, kept.y, kept.w, kept.h] == [1, 2, 3, 4])
        #expect(kept.id == 5)
        #expect(g_list_length(kept.params) == 1)
    }
}
