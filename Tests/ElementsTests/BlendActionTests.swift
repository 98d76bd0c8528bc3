// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import TestSupport
import Testing
import KernelTypes

/// Returns different frames for timestamps at intervals of 40 ms.
func frames(_ count: Int, _ format: PixelFormat = .bgra) -> [TestFrame] {
    (0..<count).map { TestFrame(format, 16, 10, seed: UInt64(100 + $0)) }
}

func pts(_ index: Int) -> UInt64 { UInt64(index) * 40 * GStreamer.millisecond }

extension Harness {
    /// Waits for the element's next message about this event.
    func message(_ event: String) -> Fields? {
        while let message = bus.wait(GST_MESSAGE_ELEMENT) {
            if let fields = Fields(message.structure), fields.text("event") == event { return fields }
        }
        return nil
    }
}

@Suite("svblend: actions and keys")
struct BlendActionTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func difference(_ a: TestFrame, _ b: TestFrame) throws -> TestFrame {
        try blended(a, "difference") { b.colorInside($0, $1) }
    }

    @Test("A captured frame is the foreground from the next frame on")
    func capture() throws {
        let path = try folder.write(opaqueForeground(16, 10, seed: 80), "f.png")
        let input = frames(4)
        let harness = try blendHarness([("mode", "difference"), ("location", path)], like: input[0])
        let first = try harness.process(input[0], at: pts(0))
        harness.element.emit("capture")
        // The captured frame is still blended with the old foreground.
        _ = try harness.process(input[1], at: pts(1))
        #expect(first != input[0])
        #expect(try harness.process(input[2], at: pts(2)) == difference(input[2], input[1]))
        #expect(try harness.process(input[3], at: pts(3)) == difference(input[3], input[1]))
        #expect(harness.element.text("location") == nil)
        let fields = try #require(harness.message("captured"))
        #expect(fields.name == "svblend")
        #expect(fields.uint64("timestamp") == pts(1))
        #expect(fields.uint64("stream-time") == pts(1))
        #expect(fields.uint64("running-time") == pts(1))
        #expect(fields.int("width") == 16)
        #expect(fields.int("height") == 10)
    }

    @Test("capture-every captures by stream time, again and again")
    func captureEvery() throws {
        let input = frames(6)
        let harness = try blendHarness([("mode", "difference"), ("capture-every", "80000000")], like: input[0])
        let result = try input.indices.map { try harness.process(input[$0], at: pts($0)) }
        #expect(result[0] == input[0])
        #expect(try result[1] == difference(input[1], input[0]))
        #expect(try result[2] == difference(input[2], input[0]))
        #expect(try result[3] == difference(input[3], input[2]))
        #expect(try result[4] == difference(input[4], input[2]))
        #expect(try result[5] == difference(input[5], input[4]))
    }

    @Test("After going back in time capture-every begins anew")
    func captureAfterSeek() throws {
        let input = frames(3)
        let harness = try blendHarness([("mode", "difference"), ("capture-every", "3600000000000")], like: input[0])
        _ = try harness.process(input[0], at: 10 * GStreamer.second)
        harness.flush()
        harness.startSegment(at: 0, streamTime: 0)
        _ = try harness.process(input[1], at: 0)
        #expect(try harness.process(input[2], at: pts(1)) == difference(input[2], input[1]))
    }

    @Test("clear drops the foreground")
    func clear() throws {
        let path = try folder.write(opaqueForeground(16, 10, seed: 81), "f.png")
        let input = frames(2)
        let harness = try blendHarness([("location", path)], like: input[0])
        #expect(try harness.process(input[0]) != input[0])
        harness.element.emit("clear")
        #expect(try harness.process(input[1], at: pts(1)) == input[1])
        #expect(harness.element.text("location") == nil)
        let fields = try #require(harness.message("cleared"))
        #expect(fields.uint64("timestamp") == pts(1))
    }

    @Test("capture-to writes exactly the composed frame", arguments: [PixelFormat.bgra, .rgb, .xrgb, .gray8, .argb])
    func captureTo(_ format: PixelFormat) throws {
        let path = try folder.write(opaqueForeground(16, 10, seed: 82), "f.png")
        let input = TestFrame(format, 16, 10, seed: 83)
        let harness = try blendHarness([("location", path), ("mode", "multiply")], like: input)
        let saved = folder.file("saved.png")
        harness.element.emit("capture-to", saved)
        let composed = try harness.process(input, at: pts(3))
        let fields = try #require(harness.message("saved"))
        #expect(fields.text("location") == saved)
        #expect(fields.uint64("timestamp") == pts(3))
        let expected = TestFrame(.bgra, 16, 10) { x, y in composed.color(x, y).pixel(.bgra) }
        #expect(try decodePNG(saved, as: .bgra) == expected)
    }

    @Test("capture-to without a foreground writes the frame, which passes untouched")
    func captureToPassThrough() throws {
        let input = frames(1)[0]
        let harness = try blendHarness(like: input)
        let saved = folder.file("saved.png")
        harness.element.emit("capture-to", saved)
        let given = try input.buffer().reference
        #expect(try harness.process(giving: given).pointer == given)
        _ = try #require(harness.message("saved"))
        #expect(try decodePNG(saved, as: .bgra) == input)
    }

    @Test("A snapshot that cannot be written is a warning, and the stream goes on")
    func unwritable() throws {
        let input = frames(2)
        let harness = try blendHarness(like: input[0])
        let path = folder.file("no/such/folder/a.png")
        harness.element.emit("capture-to", path)
        #expect(try harness.process(input[0]) == input[0])
        let warning = try #require(harness.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.text.contains(path))
        #expect(warning.isError(GST_RESOURCE_ERROR_WRITE))
        #expect(try harness.process(input[1]) == input[1])
    }

    @Test("snapshot-every writes a numbered series and leaves out files that exist")
    func snapshotEvery() throws {
        try folder.write([1], "s-001.png")
        let input = frames(5)
        let harness = try blendHarness(
            [("snapshot-every", "80000000"), ("snapshot-location", folder.file("s-%03d.png"))], like: input[0])
        for index in input.indices {
            _ = try harness.process(input[index], at: pts(index))
            // Wait for the message, so that no save is skipped because too many are in progress.
            if index.isMultiple(of: 2) { _ = try #require(harness.message("saved")) }
        }
        #expect(folder.names == ["s-000.png", "s-001.png", "s-002.png", "s-003.png"])
        #expect(try decodePNG(folder.file("s-000.png"), as: .bgra) == input[0])
        #expect(try decodePNG(folder.file("s-002.png"), as: .bgra) == input[2])
        #expect(try decodePNG(folder.file("s-003.png"), as: .bgra) == input[4])
    }

    @Test("Keys do what the actions do")
    func keys() throws {
        let input = frames(6)
        let harness = try blendHarness(
            [("mode", "difference"), ("snapshot-location", folder.file("%d.png"))], like: input[0])
        harness.press("c")
        #expect(try harness.process(input[0], at: pts(0)) == input[0])
        #expect(try harness.process(input[1], at: pts(1)) == difference(input[1], input[0]))
        harness.press("s")
        _ = try harness.process(input[2], at: pts(2))
        _ = try #require(harness.message("saved"))
        #expect(try decodePNG(folder.file("0.png"), as: .bgra) == difference(input[2], input[0]))
        harness.press("x")
        #expect(try harness.process(input[3], at: pts(3)) == input[3])
    }

    @Test("Keys change mode and opacity, which stay in their range")
    func keysForProperties() throws {
        let harness = try blendHarness(like: frames(1)[0])
        let element = harness.element
        func mode() -> BlendMode? { element.number("mode").flatMap { BlendMode(rawValue: Int32($0)) } }
        harness.press("m")
        #expect(mode() == .darken)
        harness.press("M")
        harness.press("M")
        #expect(mode() == .hud)
        element.set("mode", "glow")
        harness.press("m")
        #expect(mode() == BlendMode.none)
        harness.press("M")
        #expect(mode() == .glow)
        for key in ["minus", "-", "KP_Subtract"] { harness.press(key) }
        #expect(abs(try #require(element.get("opacity", as: Double.self)) - 0.7) < 1e-9)
        for _ in 0..<12 { harness.press("minus") }
        #expect(element.get("opacity") == 0.0)
        for key in ["plus", "+", "KP_Add"] { harness.press(key) }
        #expect(abs(try #require(element.get("opacity", as: Double.self)) - 0.3) < 1e-9)
        for _ in 0..<12 { harness.press("plus") }
        #expect(element.get("opacity") == 1.0)
    }

    /// Returns the details of an info message, which gst-launch-1.0 prints.
    private func told(_ harness: Harness) throws -> String {
        let message = try #require(harness.bus.wait(GST_MESSAGE_INFO))
        #expect(message.details == "svblend: \(message.text)")
        return message.text
    }

    @Test("What a key did is told")
    func keysTell() throws {
        let harness = try blendHarness([("snapshot-location", folder.file("%d.png"))], like: frames(1)[0])
        harness.press("m")
        #expect(try told(harness) == "mode: darken")
        harness.press("minus")
        #expect(try told(harness) == "opacity: 0.9")
        harness.press("s")
        _ = try harness.process(frames(1)[0], at: pts(0))
        #expect(try told(harness) == "saved to \(folder.file("0.png"))")
        harness.press("b")
        _ = try harness.process(frames(1)[0], at: pts(1))
        #expect(try told(harness) == "no image file to restore")
        harness.element.emit("capture")
        harness.element.emit("capture-to", folder.file("silent.png"))
        _ = try harness.process(frames(1)[0], at: pts(2))
        #expect(eventually { folder.names.contains("silent.png") })
        #expect(harness.bus.pending(GST_MESSAGE_INFO).isEmpty)
    }

    @Test("What a capture or clear took away comes back", arguments: [("c", "b"), ("x", "b"), ("capture", "restore")])
    func restore(_ away: String, _ back: String) throws {
        let path = try folder.write(opaqueForeground(16, 10, seed: 86), "f.png")
        let input = frames(1)[0]
        let harness = try blendHarness([("location", path)], like: input)
        func send(_ name: String) {
            if name.count == 1 { harness.press(name) } else { harness.element.emit(name) }
        }
        let first = try harness.process(input, at: pts(0))
        send(away)
        for index in 1...2 { _ = try harness.process(input, at: pts(index)) }
        #expect(try harness.process(input, at: pts(3)) == input)
        #expect(harness.element.text("location") == nil)
        send(back)
        #expect(try eventually { try harness.process(input, at: pts(4)) == first })
        #expect(harness.element.text("location") == path)
    }

    @Test("With keys=false keys do nothing")
    func noKeys() throws {
        let input = frames(2)
        let harness = try blendHarness(
            [("keys", "false"), ("mode", "difference"), ("snapshot-location", folder.file("%d.png"))], like: input[0])
        for key in ["c", "s", "m", "M", "minus", "x"] { harness.press(key) }
        #expect(try harness.process(input[0], at: pts(0)) == input[0])
        #expect(try harness.process(input[1], at: pts(1)) == input[1])
        #expect(harness.element.number("mode") == Int(BlendMode.difference.rawValue))
        #expect(harness.element.get("opacity") == 1.0)
        #expect(folder.names.isEmpty)
    }

    @Test("message=none keeps quiet")
    func quiet() throws {
        let input = frames(4)
        let harness = try blendHarness([("message", "none")], like: input[0])
        harness.element.emit("capture")
        _ = try harness.process(input[0], at: pts(0))
        harness.element.emit("clear")
        _ = try harness.process(input[1], at: pts(1))
        let path = try folder.write(opaqueForeground(16, 10, seed: 84), "f.png")
        harness.element.set("location", value: path)
        #expect(try eventually { try harness.process(input[2], at: pts(2)) != input[2] })
        #expect(harness.bus.pending(GST_MESSAGE_ELEMENT).isEmpty)
    }
}
