// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import TestScope
import TestSupport
import Testing

/// Tests of snapshots: the action `snapshot`, the key and the property `snapshot-location`.
@Suite("Snapshots")
struct SnapshotTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// All elements that save snapshots, with properties that make the elements change the frames.
    static let filters = [
        "svoverlay fps=true", "svfilter filters=sepia-tone", "svtint red=0.5", "svedges",
        "svfacedetect detector=cascade",
        "svfacerecognize", "svblobdetect show=mask", "svblobclassify", "svlogodetect", "svblend", "svfacemerge",
    ]
    static let mixers = ["svmixer", "svswitch"]
    /// The elements that accept 10-bit formats.
    private static let deep: Set = ["svfilter", "svblend", "svmixer", "svswitch"]

    /// By default, each element has every third format, and each format has several elements.
    static let cases: [(element: String, format: String)] = zip(filters + mixers, 0...).flatMap { element, offset in
        let name = String(element.prefix { $0 != " " })
        let formats = FrameFormat.all + (deep.contains(name) ? FrameFormat.deep : [])
        return zip(formats, 0...).filter { TestScope.runs($1, oneIn: 3, offset: offset) }.map { (element, $0.0.name) }
    }

    /// The PNG file contains the downstream frame after the conversion by the stock element videoconvert to RGB, RGBA or
    /// GRAY8. For RGB formats, this conversion only changes the order of the bytes. The comparison is exact.
    @Test("A snapshot equals the downstream frame", arguments: cases)
    func equality(_ element: String, _ format: String) throws {
        let caps = "video/x-raw,format=\(format),width=38,height=26,framerate=25/1"
        let png = Self.pngFormat(format)
        let templates = try TemporaryFolder()
        let element =
            element == "svlogodetect" ? "svlogodetect force=true template=\(try Self.logo(templates))" : element
        let line = try pipeline(
            "videotestsrc num-buffers=1 background-color=0x80ff4020 pattern=ball ! videoconvert ! \(caps) ! "
                + "\(element) name=e snapshot-location=\(folder.file("%d.png")) ! \(caps) ! videoconvert ! "
                + "video/x-raw,format=\(png) ! appsink name=out sync=false")
        #expect(try line.element("e").ask("snapshot", as: Bool.self) == true)
        try line.play()
        let shown = try required(line.pull(), "no frame").frame
        try line.finish()
        try line.stop()
        #expect(folder.names == ["0.png"])
        let file = try pipeline("filesrc location=\(folder.file("0.png")) ! pngdec ! appsink name=out sync=false")
        try file.play()
        #expect(try required(file.pull(), "no image").frame == shown)
    }

    /// Draws an L-shaped logo.
    private static func logo(_ folder: TemporaryFolder) throws -> String {
        let frame = TestFrame(.rgb, 64, 64) { x, y in
            let isInk = (12..<52).contains(y) && (12..<26).contains(x) || (38..<52).contains(y) && (12..<50).contains(x)
            return isInk ? [20, 20, 120] : [240, 240, 240]
        }
        return try folder.write(frame, "logo.png")
    }

    private static func pngFormat(_ format: String) -> String {
        ["BGRA", "RGBA", "ARGB", "ABGR"].contains(format) ? "RGBA" : format == "GRAY8" ? "GRAY8" : "RGB"
    }

    /// In pass-through mode, the frame is the input buffer itself.
    @Test(
        "In every mode of the element, a snapshot equals the frame",
        arguments: [
            ("svfacedetect", ["mode": "sync", "draw": "true"]), ("svfacedetect", ["mode": "sync", "draw": "false"]),
            ("svblobdetect", ["draw": "true"]), ("svblobdetect", ["draw": "false"]), ("svoverlay", [:]),
        ])
    func modes(_ element: String, _ properties: [String: String]) throws {
        let input = TestFrame(.bgra, 48, 40, seed: 31)
        let path = folder.file("a.png")
        let harness = try Harness(element, properties.map { ($0, $1) } + [("snapshot-location", path)], like: input)
        harness.element.emit("snapshot")
        let shown = try harness.process(input, at: 80_000_000)
        let fields = try #require(harness.message("snapshot"))
        #expect(fields.name == element && fields.text("location") == path)
        #expect(fields.uint64("timestamp") == 80_000_000 && fields.uint64("running-time") == 80_000_000)
        #expect(fields.int("width") == 48 && fields.int("height") == 40)
        #expect(try decodePNG(path, as: .bgra) == shown)
    }

    @Test("Without a file, snapshot returns false, and the frame passes")
    func noFile() throws {
        let input = TestFrame(.bgra, 16, 10, seed: 32)
        let harness = try Harness("svtint", like: input)
        #expect(harness.element.ask("snapshot", as: Bool.self) == false)
        #expect(try harness.process(input) == input)
        #expect(harness.bus.pending(GST_MESSAGE_WARNING).isEmpty)
    }

    @Test("An existing file is never replaced")
    func existing() throws {
        try folder.write([1], "a.png")
        let input = TestFrame(.bgra, 16, 10, seed: 33)
        let harness = try Harness("svtint", [("snapshot-location", folder.file("a.png"))], like: input)
        for index in 0..<2 {
            harness.press("s")
            _ = try harness.process(input, at: pts(index))
            _ = try #require(harness.message("snapshot"))
        }
        #expect(folder.names == ["a-1.png", "a-2.png", "a.png"])
        #expect(try contents(of: folder.file("a.png")) == [1])
    }

    @Test("A file that cannot be written is a warning, and the stream continues")
    func unwritable() throws {
        let input = TestFrame(.bgra, 16, 10, seed: 34)
        let path = folder.file("no/such/folder.png")
        let harness = try Harness("svtint", [("snapshot-location", path)], like: input)
        harness.element.emit("snapshot")
        #expect(try harness.process(input) == input)
        let warning = try #require(harness.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.text.contains(path) && warning.isError(GST_RESOURCE_ERROR_WRITE))
        #expect(try harness.process(input, at: pts(1)) == input)
    }

    // MARK: - Keys

    @Test(
        "The key saves a snapshot only if a file is set, and elements upstream receive all other keys",
        arguments: [
            ("svtint", "s"), ("svtint", "S"), ("svfacedetect", "s"), ("svfacerecognize", "S"), ("svfacemerge", "s"),
            ("svfacemerge", "S"),
        ])
    func keys(_ element: String, _ key: String) throws {
        let input = TestFrame(.bgra, 32, 24, seed: 35)
        let harness = try Harness(element, like: input)
        _ = try harness.process(input)
        while harness.takeUpstreamEvent() != nil {}
        harness.press(key)
        #expect(harness.takeUpstreamEvent() == GST_EVENT_NAVIGATION)
        let path = folder.file("a.png")
        harness.element.set("snapshot-location", path)
        harness.press(key)
        #expect(harness.takeUpstreamEvent() == nil)
        harness.press("x")
        #expect(harness.takeUpstreamEvent() == GST_EVENT_NAVIGATION)
        let shown = try harness.process(input, at: pts(1))
        _ = try #require(harness.message("snapshot"))
        #expect(try decodePNG(path, as: .bgra) == shown)
    }

    @Test(
        "Elements in which s has another meaning save a snapshot only with S",
        arguments: [("svfacerecognize", [:]), ("svfacemerge", ["layout": "studio", "save-location": "none"])])
    func otherMeaning(_ element: String, _ properties: [String: String]) throws {
        let input = TestFrame(.bgra, 32, 24, seed: 39)
        let harness = try Harness(
            element, properties.map { ($0, $1) } + [("snapshot-location", folder.file("%d.png"))], like: input)
        harness.press("s")
        _ = try harness.process(input)
        #expect(folder.names.isEmpty)
        harness.press("S")
        _ = try harness.process(input, at: pts(1))
        harness.stop()
        #expect(folder.names == ["0.png"])
    }

    @Test("With keys=false, the element ignores the key")
    func noKeys() throws {
        let input = TestFrame(.bgra, 32, 24, seed: 36)
        let harness = try Harness(
            "svblobclassify", [("keys", "false"), ("snapshot-location", folder.file("a.png"))], like: input)
        while harness.takeUpstreamEvent() != nil {}
        harness.press("s")
        #expect(harness.takeUpstreamEvent() == GST_EVENT_NAVIGATION)
        _ = try harness.process(input)
        harness.stop()
        #expect(folder.names.isEmpty)
    }

    @Test("One key press saves one file: the file of the element that is nearest to the window")
    func nearest() throws {
        let line = try pipeline(
            "videotestsrc is-live=true ! video/x-raw,width=32,height=24 ! svtint name=a snapshot-location=\(folder.file("a.png")) ! "
                + "svedges name=b snapshot-location=\(folder.file("b.png")) ! svtint name=c ! fakesink name=out sync=true"
        )
        try line.reach(GST_STATE_PLAYING)
        let pad = try line.pad("out", "sink")
        gst_pad_push_event(pad.pad, gst_navigation_event_new_key_press("s", GST_NAVIGATION_MODIFIER_NONE))
        #expect(eventually { folder.names == ["b.png"] })
        try line.stop()
        #expect(folder.names == ["b.png"])
    }

    // MARK: - The queue

    @Test("A full queue is reported, and the stream does not wait")
    func fullQueue() throws {
        let input = TestFrame(.bgra, 64, 48, seed: 37)
        let harness = try Harness("svtint", [("snapshot-location", folder.file("%d.png"))], like: input)
        let accepted = (0..<100).filter { _ in harness.element.ask("snapshot", as: Bool.self) == true }
        #expect(accepted == Array(0..<Snapshots.maxCount))
        let warning = try #require(harness.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.isError(GST_RESOURCE_ERROR_BUSY))
        #expect(try harness.process(input) == input)
        let total = try #require(harness.bus.wait(GST_MESSAGE_WARNING))
        #expect(total.text.hasPrefix("skipped \(100 - Snapshots.maxCount) snapshots"))
        harness.stop()
        #expect(folder.names.count == Snapshots.maxCount)
    }

    @Test("After a stop, the first skipped snapshot is reported again")
    func afterStop() throws {
        let element = try Handle(factory: "svtint", [("snapshot-location", folder.file("%d.png"))])
        let bus = Bus()
        gst_element_set_bus(element.element, bus.pointer)
        for _ in 0..<2 {
            gst_element_set_state(element.element, GST_STATE_PAUSED)
            for _ in 0..<Snapshots.maxCount + 2 { element.emit("snapshot") }
            gst_element_set_state(element.element, GST_STATE_NULL)
        }
        let texts = bus.pending(GST_MESSAGE_WARNING).map(\.text)
        #expect(texts.count { $0 == "skipped a snapshot: earlier snapshots are not complete yet" } == 2, "\(texts)")
        #expect(texts.count { $0 == "skipped 2 snapshots: earlier snapshots were not complete yet" } == 2, "\(texts)")
    }

    @Test("A request that receives no frame before the end is reported")
    func noFrame() throws {
        let input = TestFrame(.bgra, 16, 10, seed: 38)
        let harness = try Harness("svtint", [("snapshot-location", folder.file("%d.png"))], like: input)
        _ = try harness.process(input)
        harness.element.emit("snapshot")
        harness.stop()
        let warning = try #require(harness.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.text == "skipped a snapshot: the stream ended before the next frame")
        #expect(folder.names.isEmpty)
    }

    @Test("With a snapshot of each frame, no frame is lost, and each snapshot is either written or reported")
    func everyFrame() throws {
        let count = 90
        let line = try pipeline(
            "videotestsrc is-live=true num-buffers=\(count) ! video/x-raw,width=320,height=180,framerate=90/1 ! "
                + "svtint name=e red=0.5 snapshot-location=\(folder.file("%d.png")) ! appsink name=out sync=false "
                + "max-buffers=0")
        let element = try line.element("e")
        try line.play()
        var (frames, refused) = (0, 0)
        while try line.pullBuffer() != nil {
            frames += 1
            if element.ask("snapshot", as: Bool.self) == false { refused += 1 }
        }
        #expect(frames == count)
        // The last requests may come after the last frame. They are reported at READY; NULL discards all messages.
        try line.reach(GST_STATE_READY)
        let unserved = line.bus.pending(GST_MESSAGE_WARNING).map(\.text).filter { $0.contains("the stream ended") }
            .reduce(0) { $0 + ($1.split(separator: " ").compactMap { Int($0) }.first ?? 1) }
        try line.stop()
        #expect(folder.names.count + refused + unserved == count)
        #expect(folder.names.count >= Snapshots.maxCount)
    }
}
