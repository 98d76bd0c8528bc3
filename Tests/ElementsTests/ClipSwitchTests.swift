// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Elements
import Glibc
import Imaging
import TestSupport
import Testing

/// Tests of svclip before svswitch and svmixer.
@Suite("svclip: on air and off air")
struct ClipSwitchTests {
    /// The switch waits as long as a busy machine needs to open a clip.
    private static let patient = "svswitch name=s timeout=60000000000"

    /// Returns a pipeline with a switch between a clip and a white image.
    private func line(_ clip: TestClip, _ properties: String, between: String = "") throws -> Pipeline {
        try pipeline(
            "\(Self.patient) duration=0 ! video/x-raw,format=BGRA ! appsink name=out sync=false max-buffers=1 "
                + "svclip name=clip location=\(clip.path) \(properties) ! \(between)s.sink_0 "
                + "videotestsrc pattern=white ! video/x-raw,format=BGRA,width=32,height=24,framerate=25/1 ! s.sink_1")
    }

    /// Waits for the next frame, and returns the number of the clip's frame; nil for the white image.
    private func shown(_ line: Pipeline) throws -> Int? {
        let number = TestClip.number(try #require(try line.pull()))
        return number < 29 ? number : nil
    }

    /// Shows the clip, then the white image, and then the clip again. Returns the numbers of the clip's frames before
    /// and after the white image.
    /// - Parameter change: called before the white image is shown.
    private func visits(
        _ properties: String, between: String = "", writer: String = TestClip.writer,
        change: (Pipeline, TestClip) throws -> Void = { _, _ in }
    ) throws -> (before: [Int], after: [Int]) {
        let clip = try TestClip(frames: 0..<25, writer)
        defer { clip.keep() }
        let line = try line(clip, "at-end=loop \(properties)", between: between)
        let element = try line.element("s")
        try line.play()
        var before: [Int] = [], after: [Int] = []
        for _ in 0..<5 { before.append(try #require(try shown(line))) }
        try change(line, clip)
        element.set("active", value: UInt32(1))
        while let number = try shown(line) { before.append(number) }
        // A queue between the clip and the switch contains frames of one second.
        for _ in 0..<40 { #expect(try shown(line) == nil) }
        element.set("active", value: UInt32(0))
        while after.count < 6 {
            if let number = try shown(line) { after.append(number) }
        }
        return (before, after)
    }

    /// An MPEG transport stream supports no exact seek, so svclip opens the file again.
    @Test(
        "A hidden clip that restarts shows its first frames again", arguments: ["", "queue ! videoconvert ! "],
        [TestClip.writer, "x264enc tune=zerolatency qp-max=10 ! mpegtsmux"])
    func restarts(_ between: String, _ writer: String) throws {
        let (before, after) = try visits("off-air=restart", between: between, writer: writer)
        #expect(before == Array(0..<before.count))
        #expect(after.first == 0, "\(after)")
        #expect(zip(after, after.dropFirst()).allSatisfy { $1 - $0 == 1 }, "\(after)")
    }

    @Test("A clip restarts with a file that has replaced its file, or at a new start position", arguments: [10, 5])
    func restartsElsewhere(_ first: Int) throws {
        let other = try TestClip(frames: 10..<29)
        defer { other.keep() }
        let (_, after) = try visits("off-air=restart") { line, clip in
            if first == 10 {
                #expect(rename(other.path, clip.path) == 0)
            } else {
                try line.element("clip").set("start", value: UInt64(first) * TestClip.frame)
            }
        }
        #expect(after == Array(first..<first + 6))
    }

    @Test("A hidden clip that pauses continues at the same frame")
    func pauses() throws {
        let (before, after) = try visits("off-air=pause")
        #expect(before == Array(0..<before.count))
        let last = try #require(before.last)
        // A few frames can be on their way to the switch when the clip is hidden.
        #expect(after.first.map { (last...last + 5).contains($0) } == true, "\(before) \(after)")
    }

    @Test("A clip that is hidden and shown while it waits for a full queue restarts", arguments: ["hold", "loop"])
    func restartsAfterWait(_ end: String) throws {
        let clip = try TestClip(frames: 0..<25)
        defer { clip.keep() }
        let line = try pipeline(
            "svclip name=clip location=\(clip.path) at-end=\(end) off-air=restart ! video/x-raw,format=BGRA "
                + "! appsink name=out sync=false max-buffers=1")
        let source = try line.pad("clip", "src")
        try line.play()
        var numbers = [TestClip.number(try #require(try line.pull()))]
        for isShown in [false, true] {
            let event = gst_event_new_custom(
                GST_EVENT_CUSTOM_UPSTREAM,
                gst_structure_from_string(
                    "swiftvision-shown, shown=(boolean)\(isShown), awaited=(boolean)true, "
                        + "running-time=(guint64)0", nil))
            gst_pad_send_event(source.pad, event)
        }
        for _ in 0..<12 { numbers.append(TestClip.number(try #require(try line.pull()))) }
        // Before the restart, a few frames can be on their way, or a hidden clip can repeat its first frame.
        let again = try #require(numbers.dropFirst().lastIndex(of: 0), "\(numbers)")
        #expect(again <= 8, "\(numbers)")
        #expect(Array(numbers[again...]) == Array(0..<numbers.count - again), "\(numbers)")
    }

    @Test("A clip fades into the next clip at its end")
    func follows() throws {
        let (first, second) = (try TestClip(frames: 0..<25), try TestClip(frames: Range(5...29)))
        defer { [first, second].forEach { $0.keep() } }
        let line = try pipeline(
            "\(Self.patient) follow=true duration=200000000 easing=linear ! video/x-raw,format=BGRA "
                + "! appsink name=out sync=false max-buffers=1 "
                + "svclip location=\(first.path) at-end=hold off-air=restart ! s. "
                + "svclip location=\(second.path) at-end=hold off-air=restart ! s. ")
        try line.play()
        let numbers = try (0..<45).map { _ in TestClip.number(try #require(try line.pull())) }
        #expect(Array(numbers.prefix(20)) == Array(0..<20))
        var events: [(event: String, from: Int)] = []
        while events.count < 2 {
            let message = try #require(line.bus.wait(GST_MESSAGE_ELEMENT))
            guard let fields = Fields(message.structure), fields.name == "svswitch" else { continue }
            events.append((fields.text("event") ?? "", fields.int("from") ?? -1))
        }
        #expect(events.map(\.event) == ["transition-begun", "transition-ended"] && events.allSatisfy { $0.from == 0 })
        // The second clip began with the transition, 5 frames before the end of the first clip.
        #expect(numbers[25...].first == 10)
        #expect(Array(numbers[25..<40]) == Array(10..<25))
    }

    @Test("A clip that ends while it is hidden says so")
    func endsOffAir() throws {
        let clip = try TestClip(frames: 0..<5)
        defer { clip.keep() }
        let line = try line(clip, "at-end=hold")
        try line.element("s").set("active", value: UInt32(1))
        try line.play()
        while true {
            _ = try #require(try line.pull())
            let messages = line.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }
            guard let end = messages.first(where: { $0.text("event") == "clip-ended" }) else { continue }
            #expect(end.bool("on-air") == false)
            break
        }
    }

    @Test("A clip that is added to a playing switch starts with its first frame", arguments: [false, true])
    func added(isLive: Bool) throws {
        let clip = try TestClip(frames: 0..<25)
        defer { clip.keep() }
        let line = try pipeline(
            "svswitch name=s duration=0 ! video/x-raw,format=BGRA ! appsink name=out sync=\(isLive) max-buffers=1 "
                + "videotestsrc is-live=\(isLive) pattern=white "
                + "! video/x-raw,format=BGRA,width=32,height=24,framerate=25/1 ! s.sink_0")
        let (element, bin) = (try line.element("s"), line.handle.cast(to: GstBin.self))
        try line.play()
        for _ in 0..<10 { #expect(try shown(line) == nil) }
        let pad = Handle(taking: try required(gst_element_request_pad_simple(element.element, "sink_1"), "no pad"))
        let source = try Handle(
            factory: "svclip", [("location", clip.path), ("at-end", "hold"), ("off-air", "restart")])
        g_object_ref(source.object)
        #expect(gst_bin_add(bin, source.element) != 0)
        let output = Handle(taking: try required(gst_element_get_static_pad(source.element, "src"), "no pad"))
        #expect(gst_pad_link(output.pad, pad.pad) == GST_PAD_LINK_OK)
        #expect(gst_element_sync_state_with_parent(source.element) != 0)
        element.set("active", value: UInt32(1))
        var numbers: [Int] = []
        while numbers.count < 5 {
            if let number = try shown(line) { numbers.append(number) }
        }
        // A live switch does not wait for a frame that is late on a busy machine.
        #expect(isLive ? numbers == numbers.sorted() : numbers == Array(0..<5), "\(numbers)")
        #expect(line.bus.pending(GST_MESSAGE_ERROR, GST_MESSAGE_WARNING).isEmpty)
    }

    @Test("svmixer tells a clip whether it is visible")
    func mixer() throws {
        let clip = try TestClip(frames: 0..<25)
        defer { clip.keep() }
        let line = try pipeline(
            "svmixer name=m ! video/x-raw,format=BGRA ! appsink name=out sync=false max-buffers=1 "
                + "videotestsrc pattern=white ! video/x-raw,format=BGRA,width=32,height=24,framerate=25/1 ! m.sink_0 "
                + "svclip location=\(clip.path) at-end=loop off-air=restart ! m.sink_1")
        let pad = try line.pad("m", "sink_1")
        try line.play()
        #expect(try (0..<4).map { _ in try shown(line) } == [0, 1, 2, 3])
        pad.set("opacity", "0")
        while try shown(line) != nil {}
        for _ in 0..<8 { #expect(try shown(line) == nil) }
        pad.set("opacity", "1")
        var number: Int?
        while number == nil { number = try shown(line) }
        #expect(number == 0)
    }
}
