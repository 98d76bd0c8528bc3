// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Elements
import Imaging
import TestSupport
import Testing
import Transitions

/// Tests of inputs that are slow, end, send no frames for a time, return, or change.
@Suite("svswitch: streams")
struct SwitchStreamTests {
    private static let red = TestFrame(.bgra, 16, 8, color: Color(red: 200, green: 10, blue: 10))
    private static let green = TestFrame(.bgra, 16, 8, color: Color(red: 10, green: 200, blue: 10))
    private static let frame = GStreamer.second / 25

    /// Returns a pipeline with a switch between appsrc elements. The pushed frames set the caps.
    private func line(_ properties: String, inputs: Int = 2) throws -> Pipeline {
        let sources = (0..<inputs).map { "appsrc name=in\($0) format=time ! s.sink_\($0)" }
        return try pipeline(
            "svswitch name=s \(properties) ! video/x-raw,format=BGRA ! appsink name=out sync=false "
                + sources.joined(separator: " "))
    }

    private func push(_ frame: TestFrame, _ line: Pipeline, _ index: Int, at numbers: Range<Int>) throws {
        let caps = gst_caps_from_string(frame.caps())
        defer { gst_caps_unref(caps) }
        gst_app_src_set_caps(try line.element("in\(index)").cast(to: GstAppSrc.self), caps)
        for number in numbers {
            try line.push(frame, into: "in\(index)", at: UInt64(number) * Self.frame, duration: Self.frame)
        }
    }

    private func colors(_ samples: [Sample]) -> [Color] { samples.map { $0.frame.color(8, 4) } }

    // MARK: - The same each time

    /// Renders three inputs with different rates and lengths. Each input waits for some time before each frame.
    private func rendering(_ delays: [Int], _ properties: String) throws -> [Sample] {
        let inputs = zip(delays, [("ball", "30/1", 70), ("pinwheel", "15/1", 25), ("gamut", "24/1", 60)]).map {
            delay, input in
            "videotestsrc pattern=\(input.0) num-buffers=\(input.2) ! "
                + "video/x-raw,format=I420,width=32,height=24,framerate=\(input.1) ! identity sleep-time=\(delay) ! s. "
        }
        let line = try pipeline(
            "svswitch name=s \(properties) ! video/x-raw,format=BGRA ! appsink name=out sync=false " + inputs.joined())
        try line.play()
        return try line.pullAll()
    }

    @Test(
        "Without live inputs each rendering is the same, whichever input is slow",
        arguments: [
            "every=100000000 duration=200000000 transition=random",
            "every=200000000 duration=0", "active=1 every=66000000 duration=300000000 transition=push-left",
            "active=2 duration=150000000 transition=ripple",
        ])
    func sameEachTime(_ properties: String) throws {
        let expected = try rendering([0, 0, 0], properties)
        #expect(expected.count > 30)
        for delays in [[2000, 0, 0], [0, 3000, 0], [0, 0, 3000], [0, 1500, 500], [700, 0, 2000]] {
            let samples = try rendering(delays, properties)
            #expect(samples.map(\.pts) == expected.map(\.pts), "\(delays)")
            let different = zip(samples, expected).enumerated().filter { $1.0.frame != $1.1.frame }.map(\.offset)
            #expect(different.isEmpty, "\(delays)")
        }
    }

    @Test("A transition begins with the frame that is due, although the next input is slow")
    func due() throws {
        let size = "video/x-raw,format=BGRA,width=16,height=8,framerate=25/1"
        func source(_ color: String) -> String {
            "videotestsrc num-buffers=20 pattern=solid-color foreground-color=\(color) ! \(size)"
        }
        let line = try pipeline(
            "svswitch name=s every=200000000 duration=200000000 easing=linear ! appsink name=out sync=false "
                + "\(source("0xffc80000")) ! s. \(source("0xff000000")) ! identity sleep-time=8000 ! s.")
        try line.play()
        let reds = try line.pullAll().map { Int($0.frame.color(8, 4).red) }
        // The transitions last from 200 ms to 400 ms, and back from 600 ms on.
        let weights = [0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 5, 5, 5, 5, 5, 4, 3, 2, 1]
        try #require(reds.count == weights.count)
        for (red, weight) in zip(reds, weights) { #expect(abs(red - 200 * (5 - weight) / 5) <= 1, "\(reds)") }
    }

    @Test("An input that is put on from outside is waited for")
    func waited() throws {
        let line = try line("duration=0")
        try line.play()
        try push(Self.red, line, 0, at: 0..<1)
        #expect(try colors([#require(try line.pull())]) == [Self.red.color(0, 0)])
        try line.element("s").set("active", value: UInt32(1))
        try push(Self.red, line, 0, at: 1..<4)
        try push(Self.green, line, 1, at: 0..<4)
        try line.end("in0")
        try line.end("in1")
        let rest = colors(try line.pullAll())
        #expect(rest == Array(repeating: Self.green.color(0, 0), count: 3))
    }

    @Test("A late frame of a hidden input does not delay the frame of the shown input")
    func lateHiddenFrame() throws {
        let line = try line("timeout=600000000000")
        try line.play()
        for number in 0..<20 {
            try push(Self.red, line, 0, at: number..<number + 1)
            let sample = try #require(try line.pull())
            #expect(sample.pts == UInt64(number) * Self.frame)
            #expect(sample.frame.color(8, 4) == Self.red.color(0, 0))
            // This frame is late, because the output is already beyond its end.
            try push(Self.green, line, 1, at: number..<number + 1)
        }
    }

    @Test("An input that does not exist is not waited for")
    func none() throws {
        let line = try line("active=7", inputs: 1)
        try line.play()
        try push(Self.red, line, 0, at: 0..<5)
        try line.end("in0")
        #expect(colors(try line.pullAll()) == Array(repeating: Self.red.color(0, 0), count: 5))
    }

    // MARK: - Ends, silence, changes

    @Test("The input that it leaves may end in mid-transition", arguments: ["dissolve", "push-left", "page-curl"])
    func oldEnds(_ transition: String) throws {
        let line = try line("every=80000000 duration=400000000 transition=\(transition)")
        try line.play()
        try push(Self.red, line, 0, at: 0..<6)
        try push(Self.green, line, 1, at: 0..<12)
        for index in 0...1 { try line.end("in\(index)") }
        let seen = colors(try line.pullAll())
        #expect(seen.count == 12)
        #expect(seen.prefix(3).allSatisfy { $0 == Self.red.color(0, 0) })
        #expect(seen.suffix(6).allSatisfy { $0 == Self.green.color(0, 0) })
    }

    @Test("Where the new one ends in mid-transition, it goes back")
    func newEnds() throws {
        let line = try line("every=80000000 duration=400000000")
        try line.play()
        try push(Self.red, line, 0, at: 0..<12)
        try push(Self.green, line, 1, at: 0..<6)
        for index in 0...1 { try line.end("in\(index)") }
        let seen = colors(try line.pullAll())
        #expect(seen.count == 12)
        #expect(seen.suffix(6).allSatisfy { $0 == Self.red.color(0, 0) })
        #expect(try line.element("s").get("active", as: UInt32.self) == 0)
        let events = line.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure)?.text("event") }
        #expect(events == ["transition-begun", "input-ended"])
    }

    @Test("An input that falls silent may come back")
    func comesBack() throws {
        let line = try line("timeout=1000000000 duration=80000000")
        try line.play()
        try push(Self.red, line, 0, at: 0..<2)
        try push(Self.green, line, 1, at: 0..<6)
        let (red, green) = (Self.red.color(0, 0), Self.green.color(0, 0))
        var samples: [Sample] = []
        while samples.last?.frame.color(8, 4) != green { samples.append(try #require(try line.pull())) }
        // From now on, no input times out, even if the test is slow.
        try line.element("s").set("timeout", value: UInt64.max)
        try line.element("s").set("active", value: UInt32(0))
        // The input continues at the time of the other input.
        try push(Self.red, line, 0, at: samples.count..<14)
        try push(Self.green, line, 1, at: 6..<14)
        for index in 0...1 { try line.end("in\(index)") }
        samples += try line.pullAll()
        #expect(samples.count == 14 && samples.first?.frame.color(8, 4) == red)
        #expect(samples.last?.frame.color(8, 4) == red)
        let times: [UInt64] = (0..<14).map { $0 * Self.frame }
        #expect(samples.map(\.pts) == times)
    }

    @Test("Inputs change size and format in mid-transition", arguments: Transition.drawn)
    func changes(_ transition: Transition) throws {
        let line = try line("every=40000000 duration=400000000 transition=\(transition.nick) sink_1::fit=stretch")
        try line.play()
        let kinds: [(PixelFormat, Int, Int)] = [(.bgra, 16, 8), (.rgb, 9, 5), (.gray8, 40, 2), (.bgrx, 1, 1)]
        for number in 0..<13 {
            let (format, width, height) = kinds[number / 2 % 4]
            try push(TestFrame(.bgra, 16 + number / 5, 8, color: .black), line, 0, at: number..<number + 1)
            try push(TestFrame(format, width, height, color: .white), line, 1, at: number..<number + 1)
        }
        for index in 0...1 { try line.end("in\(index)") }
        let samples = try line.pullAll()
        #expect(samples.count == 13)
        #expect(samples.allSatisfy { $0.frame.width == 16 && $0.frame.height == 8 })
        #expect(samples.prefix(2).allSatisfy { $0.frame.color(8, 4) == .black })
        #expect(samples.suffix(2).allSatisfy { $0.frame.color(8, 4) == .white })
        #expect(line.bus.pending(GST_MESSAGE_ERROR, GST_MESSAGE_WARNING).isEmpty)
    }

    // MARK: - At random

    @Test("A hundred inputs come and go while it plays")
    func comeAndGo() throws {
        let line = try pipeline(
            "svswitch name=s timeout=10000000 duration=50000000 ! video/x-raw,format=BGRA "
                + "! appsink name=out sync=false max-buffers=1 drop=true "
                + "videotestsrc pattern=black ! video/x-raw,format=BGRA,width=16,height=8 ! s.sink_0")
        try line.play()
        let (element, bin) = (try line.element("s"), line.handle.cast(to: GstBin.self))
        var random = Random(seed: 100)
        var fates: [Fate] = []
        var inputs: [(pad: Handle, source: Handle, output: Handle)] = []
        func remove() {
            let (pad, source, output) = inputs.remove(at: Int(random.next() % UInt64(inputs.count)))
            gst_element_set_locked_state(source.element, 1)
            gst_pad_unlink(output.pad, pad.pad)
            gst_element_release_request_pad(element.element, pad.pad)
            gst_element_set_state(source.element, GST_STATE_NULL)
            gst_bin_remove(bin, source.element)
        }
        for number in 1...100 {
            let pad = Handle(
                taking: try required(gst_element_request_pad_simple(element.element, "sink_\(number)"), "no pad"))
            fates.append(Fate(pad))
            let source = try Handle(
                factory: "appsrc", [("name", "in\(number)"), ("format", "time"), ("caps", Self.green.caps())])
            g_object_ref(source.object)
            #expect(gst_bin_add(bin, source.element) != 0)
            let output = Handle(taking: try required(gst_element_get_static_pad(source.element, "src"), "no pad"))
            #expect(gst_pad_link(output.pad, pad.pad) == GST_PAD_LINK_OK)
            inputs.append((pad, source, output))
            // Some sources send nothing. Others have only one long frame. A source that still pushes would end with an
            // error when it is unlinked.
            if number % 3 > 0 {
                #expect(gst_element_sync_state_with_parent(source.element) != 0)
                try line.push(Self.green, into: "in\(number)", at: 0, duration: 3600 * GStreamer.second)
            }
            element.set("active", value: UInt32(max(0, number - Int(random.next() % 3))))
            if number % 4 == 0 { #expect(try line.pull() != nil) }
            if inputs.count > 4 { remove() }
        }
        while !inputs.isEmpty { remove() }
        #expect(eventually { fates.allSatisfy(\.isGone) })
        element.set("active", value: UInt32(0))
        #expect(try eventually { try #require(try line.pull()).frame.color(8, 4).green < 40 })
        // The unlinked sources may report errors, but the switch must not.
        #expect(line.bus.pending(GST_MESSAGE_ERROR).filter { $0.source == "s" }.isEmpty)
    }

    /// Sets `active` to random values a thousand times, and then until the stream ends.
    private func setAtRandom(_ source: String, _ properties: String) throws -> [Sample] {
        let line = try pipeline(
            "svswitch name=s \(properties) ! video/x-raw,format=BGRA ! appsink name=out sync=false "
                + (0..<4).map { "videotestsrc \(source),width=\(16 + 2 * $0),height=8 ! s. " }.joined())
        let element = try line.element("s")
        let thread = BackgroundThread { round in
            var random = Random(seed: UInt64(round))
            element.set("active", value: UInt32(random.next() % 5))
            g_usleep(UInt(random.next() % 400))
        }
        defer { thread.stop() }
        try line.play()
        let samples = try line.pullAll()
        #expect(eventually { thread.rounds >= 1000 })
        #expect(line.bus.pending(GST_MESSAGE_ERROR).isEmpty)
        return samples
    }

    @Test("Active set a thousand times at random loses no frame", arguments: ["0", "40000000"])
    func activeAtRandom(_ duration: String) throws {
        let samples = try setAtRandom(
            "num-buffers=400 ! video/x-raw,framerate=25/1", "duration=\(duration) transition=random timeout=30000000000"
        )
        let times: [UInt64] = (0..<400).map { $0 * Self.frame }
        #expect(samples.map(\.pts) == times)
    }

    @Test("Active set a thousand times at random with live inputs")
    func activeAtRandomLive() throws {
        let samples = try setAtRandom(
            "is-live=true num-buffers=60 ! video/x-raw,framerate=60/1", "duration=30000000 transition=random")
        #expect(!samples.isEmpty)
        // Late frames may be missing, but no frame may appear twice.
        #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.pts < $1.pts })
    }
}
