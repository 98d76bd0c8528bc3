// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import Synchronization
import TestSupport
import Testing

/// Tests of inputs that are missing, start late, get frames from the same thread, or have no durations.
@Suite("svswitch: inputs")
struct SwitchInputTests {
    private static let red = TestFrame(.bgra, 16, 8, color: Color(red: 200, green: 10, blue: 10))
    private static let green = TestFrame(.bgra, 16, 8, color: Color(red: 10, green: 200, blue: 10))
    private static let frame = GStreamer.second / 25

    /// Returns a pipeline with a switch between appsrc elements.
    private func line(_ properties: String, inputs: [TestFrame]) throws -> Pipeline {
        let sources = inputs.enumerated().map { index, frame in
            "appsrc name=in\(index) format=time caps=\(frame.caps()) ! s.sink_\(index)"
        }
        return try pipeline(
            "svswitch name=s \(properties) ! video/x-raw,format=BGRA ! appsink name=out sync=false "
                + sources.joined(separator: " "))
    }

    private func push(_ frame: TestFrame, _ line: Pipeline, _ source: String, at numbers: Range<Int>) throws {
        for number in numbers {
            try line.push(frame, into: source, at: UInt64(number) * Self.frame, duration: Self.frame)
        }
    }

    private func active(_ line: Pipeline) throws -> UInt32? { try line.element("s").get("active", as: UInt32.self) }

    @Test("Inputs without timestamps play to their end")
    func withoutTimestamps() throws {
        let line = try line("duration=0 active=1", inputs: [Self.red, Self.green])
        try line.play()
        for _ in 0..<5 {
            try line.push(Self.red.buffer(at: nil, duration: nil), into: "in0")
            try line.push(Self.green.buffer(at: nil, duration: nil), into: "in1")
        }
        try line.end("in0")
        try line.end("in1")
        let samples = try line.pullAll()
        #expect(samples.map(\.pts) == (0..<5).map { UInt64($0) * Self.frame })
        #expect(samples.allSatisfy { $0.frame.color(8, 4) == Self.green.color(0, 0) })
        #expect(line.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    // MARK: - Inputs that do not exist

    @Test(
        "While the stream runs, an input that does not exist is refused with a warning, and next goes on from the active one",
        arguments: [false, true])
    func missing(_ byAction: Bool) throws {
        let line = try line("duration=0", inputs: [Self.red, Self.green, Self.green])
        try line.play()
        let element = try line.element("s")
        try push(Self.red, line, "in0", at: 0..<1)
        #expect(try line.pull() != nil)
        if byAction { element.emit("switch-to", UInt32(7)) } else { element.set("active", value: UInt32(7)) }
        try push(Self.red, line, "in0", at: 1..<2)
        #expect(try line.pull()?.frame.color(8, 4) == Self.red.color(0, 0))
        let warning = try #require(line.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.text.contains("sink_7") && warning.text.contains("sink_0"), "\(warning.text)")
        #expect(try active(line) == 0)
        element.emit("next")
        #expect(try active(line) == 1)
        try push(Self.red, line, "in0", at: 2..<4)
        try push(Self.green, line, "in1", at: 0..<4)
        for index in 0..<3 { try line.end("in\(index)") }
        #expect(try line.pullAll().last?.frame.color(8, 4) == Self.green.color(0, 0))
        #expect(line.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("An input that is wanted before the stream runs goes on when it comes")
    func comesLater() throws {
        let line = try line("active=7 duration=0", inputs: [Self.red])
        try line.play()
        try push(Self.red, line, "in0", at: 0..<3)
        #expect(try line.pull()?.frame.color(8, 4) == Self.red.color(0, 0))
        #expect(try active(line) == 7)
        let (element, bin) = (try line.element("s"), line.handle.cast(to: GstBin.self))
        let pad = Handle(taking: try required(gst_element_request_pad_simple(element.element, "sink_7"), "no pad"))
        let source = try Handle(
            factory: "appsrc", [("name", "in7"), ("format", "time"), ("caps", Self.green.caps())])
        g_object_ref(source.object)
        #expect(gst_bin_add(bin, source.element) != 0)
        let output = Handle(taking: try required(gst_element_get_static_pad(source.element, "src"), "no pad"))
        #expect(gst_pad_link(output.pad, pad.pad) == GST_PAD_LINK_OK)
        #expect(gst_element_sync_state_with_parent(source.element) != 0)
        try push(Self.green, line, "in7", at: 0..<6)
        try push(Self.red, line, "in0", at: 3..<6)
        for name in ["in0", "in7"] { try line.end(name) }
        let rest = try line.pullAll()
        #expect(rest.count == 5 && rest.last?.frame.color(8, 4) == Self.green.color(0, 0))
        #expect(try active(line) == 7)
        #expect(line.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("While an input is still missing that was wanted before the stream ran, next goes on from the active one")
    func nextWhileMissing() throws {
        let line = try line("active=7 duration=0", inputs: [Self.red, Self.green])
        try line.play()
        try push(Self.red, line, "in0", at: 0..<1)
        try push(Self.green, line, "in1", at: 0..<1)
        #expect(try line.pull()?.frame.color(8, 4) == Self.red.color(0, 0))
        try line.element("s").emit("next")
        #expect(try active(line) == 1)
        for index in 0...1 { try line.end("in\(index)") }
    }

    // MARK: - Frames without durations

    @Test("The last frame of an input without durations is shown", arguments: ["svswitch", "svmixer"])
    func lastFrame(_ element: String) throws {
        let line = try pipeline(
            "\(element) name=s ! video/x-raw,format=BGRA ! appsink name=out sync=false "
                + "appsrc name=in0 format=time caps=\(Self.red.caps()) ! s.sink_0")
        try line.play()
        for (second, frame) in [Self.red, Self.red, Self.green].enumerated() {
            try line.push(frame, into: "in0", at: UInt64(second) * GStreamer.second)
        }
        try line.end("in0")
        let seen = try line.pullAll().map { $0.frame.color(8, 4) }
        #expect(seen == Array(repeating: Self.red.color(0, 0), count: 50) + [Self.green.color(0, 0)])
    }

    @Test("The last frame of an input without durations is shown for a frame of its own rate")
    func lastFrameOfSlowInput() throws {
        let line = try pipeline(
            "svswitch name=s ! video/x-raw,format=BGRA,framerate=25/1 ! appsink name=out sync=false "
                + "appsrc name=in0 format=time caps=\(Self.red.caps(rate: "5/1")) ! s.sink_0")
        try line.play()
        for (number, frame) in [Self.red, Self.green].enumerated() {
            try line.push(frame, into: "in0", at: UInt64(number) * GStreamer.second / 5)
        }
        try line.end("in0")
        let seen = try line.pullAll().map { $0.frame.color(8, 4) }
        #expect(seen == [Self.red, Self.green].flatMap { Array(repeating: $0.color(0, 0), count: 5) })
    }

    // MARK: - Inputs that change their size

    @Test("An input that is not shown announces another size: its last frame is shown until a frame of that size comes")
    func changesSizeWhileNotShown() throws {
        let large = TestFrame(.bgra, 32, 16, color: Color(red: 10, green: 10, blue: 200))
        let line = try line("duration=0", inputs: [Self.red, Self.green])
        try line.play()
        try line.push(Self.green, into: "in1", at: 0)
        try push(Self.red, line, "in0", at: 0..<1)
        #expect(try line.pull()?.frame.color(8, 4) == Self.red.color(0, 0))
        let caps = try required(gst_caps_from_string(large.caps()), "no caps")
        defer { gst_caps_unref(caps) }
        #expect(gst_pad_send_event(try line.pad("s", "sink_1").pad, gst_event_new_caps(caps)) != 0)
        // While each of these frames is shown, the other input has a gap.
        for number in 1..<6 {
            try push(Self.red, line, "in0", at: number..<number + 1)
            #expect(try line.pull()?.frame.color(8, 4) == Self.red.color(0, 0))
        }
        try line.element("s").set("active", value: UInt32(1))
        try line.element("in1").set("caps", large.caps())
        try line.push(large, into: "in1", at: GStreamer.second)
        try push(Self.red, line, "in0", at: 6..<26)
        for index in 0...1 { try line.end("in\(index)") }
        let seen = try line.pullAll().map { $0.frame.color(8, 4) }
        #expect(seen.count == 20)
        #expect(seen.dropFirst().prefix(18).allSatisfy { $0 == Self.green.color(0, 0) }, "\(seen)")
        #expect(seen.last == large.color(0, 0))
        #expect(line.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("A stream that begins after a stop does not get the size that an earlier stream announced")
    func changesSizeBeforeStop() throws {
        let large = TestFrame(.bgra, 32, 16, color: Color(red: 10, green: 10, blue: 200))
        let line = try pipeline(
            "svswitch name=s ! video/x-raw,format=BGRA ! appsink name=out sync=false "
                + "appsrc name=in0 format=time caps=\(Self.red.caps()) ! s.sink_0 "
                + "appsrc name=in1 format=time caps=\(Self.green.caps())")
        try line.play()
        try push(Self.red, line, "in0", at: 0..<1)
        try line.element("in0").set("caps", large.caps())
        // This frame is the next frame, but its time does not come.
        try line.push(large, into: "in0", at: 60 * GStreamer.second, duration: Self.frame)
        for _ in 0..<2 { #expect(try line.pull()?.frame.color(8, 4) == Self.red.color(0, 0)) }
        try line.reach(GST_STATE_NULL)
        let input = try line.pad("s", "sink_0")
        #expect(gst_pad_unlink(try line.pad("in0", "src").pad, input.pad) != 0)
        #expect(gst_pad_link(try line.pad("in1", "src").pad, input.pad) == GST_PAD_LINK_OK)
        try line.play()
        try push(Self.green, line, "in1", at: 0..<3)
        try line.end("in1")
        let seen = try line.pullAll().map(\.frame)
        #expect(seen.map(\.width) == [16, 16, 16])
        #expect(seen.allSatisfy { $0.color(8, 4) == Self.green.color(0, 0) })
        #expect(line.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).isEmpty)
    }

    // MARK: - One thread for two inputs

    @Test(
        "One thread feeds two inputs without queues",
        arguments: ["", "active=1", "every=400000000 duration=200000000"])
    func tee(_ properties: String) throws {
        // The start is a special case: the source requests memory before its first frame.
        for count in [300, 1, 2, 3, 4, 5, 6, 7, 8, 9] as [UInt64] {
            let line = try pipeline(
                "svswitch name=s \(properties) ! appsink name=out sync=false "
                    + "videotestsrc num-buffers=\(count) ! video/x-raw,format=BGRA,width=16,height=8,framerate=25/1 "
                    + "! tee name=t t. ! s.sink_0 t. ! s.sink_1")
            try line.play()
            #expect(try line.pullAll().map(\.pts) == (0..<count).map { $0 * Self.frame })
        }
    }

    // MARK: - The end of the stream

    /// Observes a pipeline whose decoder reaches PAUSED late.
    private final class Observer: Sendable {
        struct Events {
            /// The number of times that the switch has reported that it waits.
            var waits = 0
            var decoderThread: UInt?
            var committingThread: UInt?
            var isPlaying = false
        }
        let events = Mutex(Events())
        static var thread: UInt { UInt(bitPattern: g_thread_self()) }
    }

    /// GstBin sets the state of a pipeline to PAUSED after it has posted the message about PAUSED. If the posting
    /// thread is blocked until the pipeline plays, the end of the stream is never reported. While a sink is not PAUSED,
    /// the application cannot set PLAYING; a decoder does not prevent this. So the sink must be the last element that
    /// reaches PAUSED.
    @Test("A decoder that starts late does not cost the end of the stream")
    func lateDecoder() throws {
        let size = "video/x-raw,width=16,height=8,framerate=25/1"
        let line = try pipeline(
            "svswitch name=s ! fakesink name=out sync=false videotestsrc num-buffers=5 ! \(size) ! s.sink_0 "
                + "videotestsrc num-buffers=1 ! \(size) ! pngenc ! decodebin name=d ! s.sink_1")
        let observer = Observer()
        let data = Unmanaged.passUnretained(observer).toOpaque()
        let log: GstLogFunction = { _, _, _, _, _, _, message, data in
            guard let message, let data, let text = gst_debug_message_get(message),
                String(cString: text).hasPrefix("waiting for d")
            else { return }
            Unmanaged<Observer>.fromOpaque(data).takeUnretainedValue().events.withLock { $0.waits += 1 }
        }
        gst_debug_add_log_function(log, data, nil)
        gst_debug_set_threshold_for_name("svswitch", GST_LEVEL_LOG)
        gst_bus_set_sync_handler(
            line.bus.pointer,
            { _, message, data in
                guard let message, message.pointee.type == GST_MESSAGE_STATE_CHANGED, let data,
                    let source = message.pointee.src
                else { return GST_BUS_PASS }
                var new = GST_STATE_NULL
                gst_message_parse_state_changed(message, nil, &new, nil)
                guard new == GST_STATE_PAUSED else { return GST_BUS_PASS }
                let events = Unmanaged<Observer>.fromOpaque(data).takeUnretainedValue()
                if source.pointee.name.map({ String(cString: $0) }) == "d" {
                    // The decoder has reached PAUSED, but its pipeline does not know this yet. Wait until the switch
                    // has checked its inputs again, or until it has started and the sink is PAUSED.
                    let before = events.events.withLock { events in
                        events.decoderThread = Observer.thread
                        return events.waits
                    }
                    let parent = source.pointee.parent?.withMemoryRebound(to: GstBin.self, capacity: 1) { $0 }
                    let out = Handle(taking: gst_bin_get_by_name(parent, "out"))
                    _ = eventually {
                        events.events.withLock { $0.waits > before + 1 }
                            || out.element.pointee.current_state == GST_STATE_PAUSED
                    }
                } else if source.pointee.parent == nil {
                    let isDecoder = events.events.withLock { events in
                        events.committingThread = Observer.thread
                        return events.decoderThread == Observer.thread
                    }
                    if isDecoder { _ = eventually { events.events.withLock { $0.isPlaying } } }
                }
                return GST_BUS_PASS
            }, data, nil)
        defer {
            line.set(GST_STATE_NULL)
            gst_bus_set_sync_handler(line.bus.pointer, nil, nil, nil)
            gst_debug_remove_log_function_by_data(data)
            gst_debug_unset_threshold_for_name("svswitch")
        }
        line.set(GST_STATE_PAUSED)
        #expect(eventually { observer.events.withLock { $0.committingThread != nil } })
        line.set(GST_STATE_PLAYING)
        observer.events.withLock { $0.isPlaying = true }
        try line.finish()
        let (decoder, committing) = observer.events.withLock { ($0.decoderThread, $0.committingThread) }
        #expect(decoder != nil && committing != decoder)
        withExtendedLifetime(observer) {}
    }
}
