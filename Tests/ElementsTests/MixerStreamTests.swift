// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("svmixer: streams")
struct MixerStreamTests {
    /// Returns plain grey frames. The sum of mixed frames then shows which frames were mixed.
    private func grays(_ values: [UInt8]) -> [TestFrame] {
        values.map { TestFrame(.gray8, 8, 4, color: Color(gray: $0)) }
    }

    private func first(_ samples: [Sample]) -> [UInt8] { samples.map { $0.frame[0, 0][0] } }

    @Test("Two rates: none of the faster one's frames is dropped, the slower one's are shown by time")
    func rates() throws {
        let fast = grays((0..<30).map { UInt8($0) })
        let slow = grays((0..<10).map { UInt8($0 * 10) })
        let line = try MixerLine("sink_1::mode=add", inputs: [(fast[0], "30/1"), (slow[0], "10/1")])
        try line.pipeline.play()
        // Time stamps as sources at these rates write them.
        for (index, frame) in fast.enumerated() {
            let (pts, next) = (UInt64(index) * 1_000_000_000 / 30, UInt64(index + 1) * 1_000_000_000 / 30)
            try line.pipeline.push(frame, into: "in0", at: pts, duration: next - pts)
        }
        try line.pipeline.end("in0")
        try line.feed(1, slow, every: 100_000_000)
        let samples = try line.pipeline.pullAll()
        #expect(samples.count == 30)
        let times: [UInt64] = (0..<30).map { UInt64($0) * 1_000_000_000 / 30 }
        #expect(samples.map(\.pts) == times)
        let expected: [UInt8] = (0..<30).map { UInt8($0 + $0 / 3 * 10) }
        #expect(first(samples) == expected)
    }

    @Test("Threads do not change the picture, and may change while it plays")
    func threads() throws {
        let frames = [TestFrame(.bgrx, 800, 450, seed: 1), TestFrame(.bgrx, 800, 450, seed: 2)]
        func mixed(_ threads: [String]) throws -> [TestFrame] {
            let line = try MixerLine("sink_1::mode=screen", inputs: frames.map { ($0, "25/1") })
            let mixer = try line.pipeline.element("mix")
            mixer.set("threads", threads[0])
            try line.pipeline.play()
            try line.feed(1, [TestFrame](repeating: frames[1], count: threads.count))
            for (index, count) in threads.enumerated() {
                mixer.set("threads", count)
                try line.pipeline.push(frames[0], into: "in0", at: UInt64(index) * 40_000_000, duration: 40_000_000)
            }
            try line.pipeline.end("in0")
            return try line.pipeline.pullAll().map(\.frame)
        }
        let expected = try mixed(["1"])
        let results = try mixed(["0", "2", "5", "64", "1"])
        #expect(results.count == 5 && results.allSatisfy { $0 == expected.first })
    }

    @Test("The highest rate is the output's, whichever pad has it")
    func fasterSecond() throws {
        let line = try MixerLine("sink_1::mode=add", inputs: [(grays([0])[0], "10/1"), (grays([0])[0], "20/1")])
        try line.pipeline.play()
        try line.feed(0, grays([10, 20, 30]), every: 100_000_000)
        try line.feed(1, grays([1, 2, 3, 4, 5, 6]), every: 50_000_000)
        #expect(first(try line.pipeline.pullAll()) == [11, 12, 23, 24, 35, 36])
    }

    @Test("A frame without a timestamp comes one frame after the previous one, the first at the start of its segment")
    func withoutTimestamps() throws {
        let zero = grays([0])[0]
        // The first input has timestamps for all frames, and the second for none. The third has timestamps for its
        // second and fourth frame.
        let line = try MixerLine(
            "sink_1::mode=add sink_2::mode=add", inputs: [(zero, "25/1"), (zero, "25/1"), (zero, "25/1")])
        try line.pipeline.play()
        try line.feed(0, grays([1, 2, 3, 4, 5, 6]))
        let stated: [Int: UInt64] = [1: 40_000_000, 3: 160_000_000]
        for (index, (one, other)) in zip(grays([10, 20, 30, 40, 50, 60]), grays([100, 110, 120, 130, 140])).enumerated()
        {
            try line.pipeline.push(one.buffer(at: nil, duration: nil), into: "in1")
            try line.pipeline.push(other.buffer(at: stated[index], duration: nil), into: "in2")
        }
        try line.pipeline.push(grays([60])[0].buffer(at: nil, duration: nil), into: "in1")
        try line.pipeline.end("in1")
        try line.pipeline.end("in2")
        #expect(first(try line.pipeline.pullAll()) == [111, 132, 153, 164, 185, 206])
    }

    @Test("Without a rate, frames without timestamps count as 30 a second")
    func usualRate() throws {
        let line = try MixerLine(output: ",framerate=30/1", inputs: [(grays([0])[0], "0/1")])
        try line.pipeline.play()
        for frame in grays([1, 2, 3]) { try line.pipeline.push(frame.buffer(at: nil, duration: nil), into: "in0") }
        try line.pipeline.end("in0")
        let samples = try line.pipeline.pullAll()
        #expect(first(samples) == [1, 2, 3])
        #expect(samples.map(\.pts) == (0..<3).map { UInt64($0) * 1_000_000_000 / 30 })
    }

    @Test("An input that ends vanishes, and the rest goes on")
    func endsEarly() throws {
        let line = try MixerLine("sink_1::mode=add", inputs: [(grays([0])[0], "25/1"), (grays([0])[0], "25/1")])
        try line.pipeline.play()
        try line.feed(0, grays([1, 2, 3, 4, 5]))
        try line.feed(1, grays([10, 20]))
        #expect(first(try line.pipeline.pullAll()) == [11, 22, 3, 4, 5])
    }

    @Test("The first input may end before the others")
    func firstEndsEarly() throws {
        let line = try MixerLine("sink_1::mode=add", inputs: [(grays([0])[0], "25/1"), (grays([0])[0], "25/1")])
        try line.pipeline.play()
        try line.feed(0, grays([1, 2]))
        try line.feed(1, grays([10, 20, 30, 40]))
        #expect(first(try line.pipeline.pullAll()) == [11, 22, 30, 40])
    }

    @Test("With repeat-after-eos one still picture is an input like any other")
    func stillPicture() throws {
        let line = try MixerLine(
            "sink_1::mode=add sink_1::repeat-after-eos=true",
            inputs: [(grays([0])[0], "25/1"), (grays([0])[0], "25/1")])
        try line.pipeline.play()
        try line.feed(0, grays([1, 2, 3, 4, 5]))
        try line.feed(1, grays([100]))
        #expect(first(try line.pipeline.pullAll()) == [101, 102, 103, 104, 105])
    }

    @Test("An input's size changes in the middle of the stream")
    func renegotiation() throws {
        let line = try pipeline(
            "svmixer name=mix sink_1::mode=add ! video/x-raw,format=GRAY8 ! appsink name=out sync=false "
                + "appsrc name=in0 format=time ! mix.sink_0 appsrc name=in1 format=time ! mix.sink_1")
        try line.play()
        func push(_ frame: TestFrame, _ source: String, _ index: Int) throws {
            let caps = gst_caps_from_string(frame.caps())
            let element = try line.element(source)
            gst_app_src_set_caps(element.cast(to: GstAppSrc.self), caps)
            gst_caps_unref(caps)
            try line.push(frame, into: source, at: pts(index), duration: 40_000_000)
        }
        for (index, size) in [(8, 4), (8, 4), (8, 4), (8, 4)].enumerated() {
            try push(TestFrame(.gray8, size.0, size.1, color: Color(gray: 1)), "in0", index)
        }
        for (index, size) in [(8, 4), (4, 4), (2, 1), (20, 20)].enumerated() {
            try push(TestFrame(.gray8, size.0, size.1, color: Color(gray: 10)), "in1", index)
        }
        try line.end("in0")
        try line.end("in1")
        let samples = try line.pullAll()
        #expect(samples.count == 4)
        let sums = samples.map { sample in sample.frame.bytes.filter { $0 == 11 }.count }
        #expect(sums == [32, 16, 2, 32])
        #expect(samples.allSatisfy { sample in sample.frame.bytes.allSatisfy { $0 == 11 || $0 == 1 } })
    }

    @Test("After a flushing seek all inputs go on from the new place")
    func seek() throws {
        // The ball depends only on the time. The usual colour bars contain noise.
        let source = "videotestsrc pattern=ball ! video/x-raw,format=BGRA,width=16,height=8,framerate=10/1 ! m. "
        let line = try pipeline(
            "svmixer name=m sink_1::mode=difference ! appsink name=out sync=false max-buffers=2 " + source + source)
        try line.play()
        #expect(try line.pull()?.pts == 0)
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
        #expect(
            gst_element_seek_simple(line.handle.element, GST_FORMAT_TIME, flags, gint64(5 * GStreamer.second)) != 0)
        // The inputs are flushed one after another. So the first output frames may combine an old frame and a new
        // frame.
        func isBlack() throws -> Bool {
            let frame = try #require(try line.pull()).frame
            return frame.bytes.enumerated().allSatisfy { $0.offset % 4 == 3 || $0.element == 0 }
        }
        #expect(try eventually(isBlack))
        for _ in 0..<5 { #expect(try isBlack()) }
    }

    @Test("Frames without a running time are left out")
    func noRunningTime() throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        let frames = grays([1, 2])
        let mixer = try Harness("svmixer", sink: "sink_0", like: frames[0])
        // Demuxers send such a segment after a seek that does not change the start.
        mixer.startSegment(at: 0, streamTime: 0, offset: 1_840_000_000)
        for (index, pts) in [1_000_000_000, 1_840_000_000].enumerated() {
            let buffer = try frames[index].buffer(at: UInt64(pts))
            buffer.pointer.pointee.duration = 40_000_000
            #expect(mixer.push(buffer) == GST_FLOW_OK)
        }
        mixer.pushDownstream(gst_event_new_eos())
        let shown = try mixer.shown(mixer.pull())
        #expect(shown[0, 0][0] == 2)
    }

    @Test("A hundred times from NULL to PLAYING and back")
    func stateChanges() throws {
        let source = "videotestsrc ! video/x-raw,format=BGRA,width=16,height=8 ! m. "
        let line = try pipeline("svmixer name=m sink_1::mode=screen ! fakesink sync=false " + source + source)
        for _ in 0..<100 {
            try line.reach(GST_STATE_PLAYING)
            try line.reach(GST_STATE_NULL)
        }
        #expect(line.bus.pending(GST_MESSAGE_ERROR, GST_MESSAGE_WARNING).isEmpty)
    }

    // MARK: - Live

    @Test("A live pipeline goes on without an input that stalls, and keeps showing its last frame")
    func stalledInput() throws {
        let line = try pipeline(
            "svmixer name=mix latency=20000000 sink_1::mode=add ! video/x-raw,format=GRAY8 ! "
                + "appsink name=out sync=false "
                + "videotestsrc is-live=true pattern=solid-color foreground-color=0xff000000 ! "
                + "video/x-raw,format=GRAY8,width=8,height=4,framerate=25/1 ! queue ! mix.sink_0 "
                + "appsrc name=late is-live=true format=time caps=\(grays([0])[0].caps()) ! queue ! "
                + "mix.sink_1")
        try line.play()
        try line.push(grays([77])[0], into: "late", at: 0, duration: 40_000_000)
        // Black has level 16 in the grey of the test source, and 16 + 77 is 93. If the computer is busy, inputs may be
        // missing in the first frames.
        #expect(try eventually { try #require(try line.pull()).frame[0, 0] == [93] })
        for _ in 0..<10 { #expect(try #require(try line.pull()).frame[0, 0] == [93]) }
    }

    @Test("The latency query is answered, with the mixer's own share")
    func latency() throws {
        let line = try pipeline(
            "svmixer name=mix latency=50000000 ! fakesink name=out "
                + "videotestsrc is-live=true ! video/x-raw,width=16,height=8,framerate=25/1 ! mix.")
        try line.play()
        #expect(gst_element_get_state(line.handle.element, nil, nil, GStreamer.patience) != GST_STATE_CHANGE_FAILURE)
        let query = try #require(gst_query_new_latency())
        defer { gst_query_unref(query) }
        #expect(try eventually { gst_element_query(try line.element("mix").element, query) != 0 })
        var isLive: gboolean = 0
        var (minimum, maximum) = (GstClockTime(0), GstClockTime(0))
        gst_query_parse_latency(query, &isLive, &minimum, &maximum)
        #expect(isLive != 0)
        #expect(minimum >= 50_000_000)
        #expect(maximum >= minimum)
    }
}
