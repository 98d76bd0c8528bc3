// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import Synchronization
import TestSupport
import Testing

/// Counts its instances. Only one test uses this class, so that other tests do not change the count.
private final class Counted: VideoFilter {
    static let metadata = ElementMetadata(
        name: "svcounted", longName: "Counted", category: .effect, description: "Counts itself")
    static let formats = FrameFormat.allPacked
    static let properties: [Property<Settings>] = []
    static let alive = Atomic<Int>(0)
    static let made = Atomic<Int>(0)

    struct Settings: ElementSettings {}

    /// Also counts the instances of the state.
    final class State {
        init() { Counted.alive.add(1, ordering: .relaxed) }
        deinit { Counted.alive.subtract(1, ordering: .relaxed) }
    }

    init(host: Host<Settings>) {
        Self.alive.add(1, ordering: .relaxed)
        Self.made.add(1, ordering: .relaxed)
    }

    deinit { Self.alive.subtract(1, ordering: .relaxed) }

    func start(_ settings: Settings) -> State { State() }
    func transform(_ state: inout State, _ settings: Settings, frame: Frame) {}
}

@Suite("A filter's life")
struct FilterLifeTests {
    private static let probe = Probe.isRegistered ? "svprobe" : ""

    @Test("A hundred times from NULL to PLAYING and back")
    func stateChanges() throws {
        let pipeline = try Pipeline(
            "videotestsrc ! video/x-raw,format=BGRA,width=16,height=8 ! \(Self.probe) name=p ! fakesink sync=false")
        let probe = try pipeline.element("p")
        for _ in 0..<100 {
            try pipeline.reach(GST_STATE_PLAYING)
            try pipeline.reach(GST_STATE_NULL)
        }
        let calls = try #require(probe.ask("calls", as: String.self)).split(separator: ", ")
        #expect(calls.filter { $0 == "start" }.count == 100)
        #expect(calls.filter { $0 == "stop" }.count == 100)
        #expect(calls.filter { $0 == "configure BGRA 16x8" }.count == 100)
        #expect(pipeline.bus.pending(GST_MESSAGE_ERROR, GST_MESSAGE_WARNING).isEmpty)
    }

    @Test("Nothing of an element is left when its pipeline is gone")
    func freed() throws {
        #expect(GStreamer.isReady && register(Counted.self))
        for round in 0..<20 {
            let pipeline = try Pipeline("videotestsrc num-buffers=2 ! svcounted ! svcounted ! fakesink")
            if round > 0 { try pipeline.reach(GST_STATE_PLAYING) }
            if round.isMultiple(of: 2) { try pipeline.finishIfPlaying(round > 0) }
        }
        #expect(Counted.made.load(ordering: .relaxed) == 40)
        // A thread of GStreamer may retain an element for a short time.
        #expect(try eventually { Counted.alive.load(ordering: .relaxed) == 0 })
    }

    @Test("A frame is made with one snapshot of the settings, whatever other threads set")
    func randomSettings() throws {
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=200 ! video/x-raw,format=BGRA,width=64,height=48 ! \(Self.probe) name=p ! "
                + "appsink name=out sync=false")
        let probe = try pipeline.element("p")
        let threads = (0..<2).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(seed * 1_000_003 + round))
                probe.set("level", value: Int32.random(in: 0...255, using: &random))
                probe.set("ratio", value: Double.random(in: -1...1, using: &random))
                probe.set("title", value: "text \(round)")
                probe.set("passes", value: random.next() % 4 == 0)
                probe.set("delay", value: UInt64.random(in: 1_000_000...2_000_000, using: &random))
                probe.set("sides", random.next() % 2 == 0 ? "left" : "right")
                if round % 16 == 0 { probe.emit("say", "round \(round)") }
                _ = probe.text("title")
            }
        }
        #expect(eventually { threads.allSatisfy { $0.rounds > 0 } })
        try pipeline.play()
        var count = 0
        while let sample = try pipeline.pull() {
            let frame = sample.frame
            let level = frame[0, 0][0]
            // The frame has not changed, or all its pixels have the same level.
            let firsts = Set(stride(from: 0, to: frame.bytes.count, by: 4).map { frame.bytes[$0] })
            #expect(firsts == [level] || firsts.count > 2)
            count += 1
        }
        for thread in threads { thread.stop() }
        #expect(count == 200)
        #expect(pipeline.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("After a flushing seek frames go on from the new place")
    func seek() throws {
        let pipeline = try Pipeline(
            "videotestsrc ! video/x-raw,format=BGRA,width=16,height=8,framerate=10/1 ! \(Self.probe) name=p ! "
                + "appsink name=out sync=false max-buffers=2")
        let probe = try pipeline.element("p")
        try pipeline.play()
        #expect(try pipeline.pull()?.pts == 0)
        #expect(try pipeline.pull()?.pts == 100 * GStreamer.millisecond)
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
        #expect(
            gst_element_seek_simple(
                pipeline.handle.element, GST_FORMAT_TIME, flags, gint64(5 * GStreamer.second)) != 0)
        #expect(try pipeline.pull()?.pts == 5 * GStreamer.second)
        #expect(try pipeline.pull()?.pts == 5 * GStreamer.second + 100 * GStreamer.millisecond)
        let calls = try #require(probe.ask("calls", as: String.self))
        let parts = calls.split(separator: ", ").map { String($0) }
        let place = try #require(parts.firstIndex(of: "transform 1 \(5 * GStreamer.second)"))
        #expect(parts[..<place].last == "discontinuity")
    }
}

extension Pipeline {
    fileprivate func finishIfPlaying(_ isPlaying: Bool) throws {
        if isPlaying { try finish() }
    }
}
