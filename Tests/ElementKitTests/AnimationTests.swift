// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import TestScope
import TestSupport
import Testing

@Suite("The property animate")
struct AnimationTests {
    private static let probe = Probe.isRegistered ? "svprobe" : ""
    private let frame = TestFrame(.bgra, 4, 2, seed: 30)
    private let second: UInt64 = 1_000_000_000

    /// Returns the values of `level` at these times in seconds. The probe writes `level` to the first byte of each
    /// pixel.
    private func levels(_ harness: Harness, at times: [Double]) throws -> [UInt8] {
        try times.map { try harness.process(frame, at: UInt64($0 * Double(second))).bytes[0] }
    }

    @Test(
        "Numbers follow running time, linear or smooth, and then stay",
        arguments: [
            ("level=0->100@1s", [0, 25, 50, 100, 100]), ("level=0->100@1s linear", [0, 25, 50, 100, 100]),
            // 100 · (3t² − 2t³) for t = 0.25 is 15.625.
            ("level=0->100@1s smooth", [0, 16, 50, 100, 100]),
            (" level = 200 -> 100@1000ms  smooth ", [200, 184, 150, 100, 100]),
            ("level=40->40@0s", [40, 40, 40, 40, 40]), ("level=0->100@500ms, ping-pong 2", [0, 50, 100, 0, 0]),
            ("level=0->100@500ms, hold 500ms, 7->7@1s", [0, 50, 100, 7, 7]),
            ("level=after 500ms, 0->100@1s", [200, 200, 0, 50, 100]),
            ("beat=60bpm, level=0->100@1beat", [0, 25, 50, 100, 100]),
            ("ratio=0->1@1s, repeat, level=beat=120bpm, 0->100@1beat", [0, 50, 100, 100, 100]),
            ("ratio=0->1@2s, level=10->20@2s", [10, 11, 13, 15, 20]),
        ])
    func courses(_ text: String, _ expected: [UInt8]) throws {
        let harness = try probeHarness([("animate", text)], like: frame)
        #expect(try levels(harness, at: [0, 0.25, 0.5, 1, 4]) == expected)
        #expect(harness.element.get("level") == Int32(expected[4]))
        #expect(harness.element.text("animate") == text)
    }

    @Test("Several properties at once, each with its type")
    func several() throws {
        let harness = try probeHarness([("animate", "count=2->20@2s,ratio=-1->1@4s smooth")], like: frame)
        _ = try levels(harness, at: [0, 1])
        #expect(harness.element.get("count") == UInt32(11))
        // After a quarter of the time, the value is -1 + 2 · 0.15625.
        #expect(harness.element.get("ratio") == -0.6875)
    }

    @Test("A sequence repeats exactly, also after hours")
    func repetition() throws {
        let harness = try probeHarness([("animate", "level=0->100@1s, hold 8s, 100->0@1s, repeat")], like: frame)
        let times: [(Double, UInt8)] = [
            (0, 0), (0.5, 50), (1, 100), (8.9, 100), (9.5, 50), (10, 0), (10.25, 25), (3599.5, 50), (3600, 0),
            (3600.25, 25), (3605, 100), (36_009.75, 25), (360_000.5, 50),
        ]
        for (time, expected) in times { #expect(try levels(harness, at: [time]) == [expected], "\(time)") }
    }

    @Test("For minutes, each frame of a beat at 180 bpm and 30 fps has its value")
    func hour() throws {
        let harness = try probeHarness([("animate", "beat=180bpm, level=0->100@1beat, repeat")], like: frame)
        var wrong: [Int] = []
        // Ten minutes or one hour.
        for number in 0..<TestScope.choose(18_000, all: 108_000) {
            let shown = try harness.process(frame, at: UInt64(number) * second / 30)
            // A beat takes 10 frames.
            if shown.bytes[0] != UInt8(number % 10 * 10) { wrong.append(number) }
        }
        #expect(wrong.isEmpty, "\(wrong.count) frames: \(wrong.prefix(5))")
    }

    @Test("A sequence of svprobe continues after a flush, and a property that the user sets ends its sequence")
    func interruptedSequence() throws {
        let text = "level=0->100@1s, ping-pong, count=after 3s, 2->12@1s"
        let harness = try probeHarness([("animate", text)], like: frame)
        #expect(try levels(harness, at: [0, 1.5]) == [0, 50])
        harness.flush()
        harness.startSegment(at: 0, streamTime: 0)
        #expect(try levels(harness, at: [0, 0.25, 0.75]) == [50, 25, 25])
        harness.element.set("level", value: Int32(77))
        #expect(try levels(harness, at: [1.25]) == [77])
        // Before the start of a sequence, the property has its own value.
        #expect(harness.element.get("count") == UInt32(12))
        #expect(try levels(harness, at: [1.5]) == [77])
        #expect(harness.element.get("count") == UInt32(2))
        _ = try levels(harness, at: [2])
        #expect(harness.element.get("count") == UInt32(7))
        // The user sets the property before the sequence starts, so the sequence does not start.
        harness.element.set("animate", "level=after 1s, 0->100@1s, repeat, count=2->12@2s")
        _ = try levels(harness, at: [2.25])
        harness.element.set("level", value: Int32(9))
        #expect(try levels(harness, at: [2.5, 3.75]) == [9, 9])
        #expect(harness.element.get("count") == UInt32(10))
    }

    @Test("Time is counted from the first frame after it was set")
    func begins() throws {
        let harness = try probeHarness(like: frame)
        #expect(try levels(harness, at: [0, 5]) == [200, 200])
        harness.element.set("animate", "level=0->100@1s")
        #expect(try levels(harness, at: [7, 7.5]) == [0, 50])
        harness.element.set("animate", "level=100->0@2s")
        #expect(try levels(harness, at: [8, 9, 10]) == [100, 50, 0])
        // Setting the same text again restarts the animation.
        harness.element.set("animate", "level=100->0@2s")
        #expect(try levels(harness, at: [11]) == [100])
    }

    @Test("A flush and a new segment do not begin it anew")
    func seeks() throws {
        let harness = try probeHarness([("animate", "level=0->100@1s")], like: frame)
        #expect(try levels(harness, at: [0, 0.5]) == [0, 50])
        harness.flush()
        harness.startSegment(at: 0, streamTime: 0)
        #expect(try levels(harness, at: [0, 0.25, 0.5]) == [50, 75, 100])
    }

    @Test("Frames without a time count by the rate")
    func untimed() throws {
        // The frame rate is 25 fps.
        let harness = try probeHarness([("animate", "level=0->100@400ms")], like: frame)
        let shown = try (0..<4).map { _ in try harness.process(frame, at: nil).bytes[0] }
        #expect(shown == [0, 10, 20, 30])
    }

    @Test("A property that is set while the element runs ends its own animation, and no other")
    func interrupted() throws {
        let harness = try probeHarness([("animate", "level=0->100@1s, count=2->12@1s")], like: frame)
        _ = try levels(harness, at: [0, 0.2])
        harness.element.set("level", value: Int32(77))
        #expect(try levels(harness, at: [0.5]) == [77])
        #expect(harness.element.get("count") == UInt32(7))
        // If the element itself sets the property, the animation of this property ends.
        harness.element.set("animate", "level=0->100@1s")
        _ = try levels(harness, at: [1, 1.5])
        harness.element.emit("raise")
        #expect(try levels(harness, at: [1.6, 3]) == [51, 51])
    }

    @Test("Before the start the order of properties does not matter")
    func order() throws {
        for properties in [
            [("level", "9"), ("animate", "level=0->100@1s")], [("animate", "level=0->100@1s"), ("level", "9")],
        ] {
            let harness = try probeHarness(properties, like: frame)
            #expect(try levels(harness, at: [0, 0.5]) == [0, 50])
        }
    }

    @Test("Without a text it stops where it is", arguments: ["", "none"])
    func stopped(_ text: String) throws {
        let harness = try probeHarness([("animate", "level=0->100@1s")], like: frame)
        _ = try levels(harness, at: [0, 0.5])
        harness.element.set("animate", text)
        #expect(try levels(harness, at: [0.7, 3]) == [50, 50])
        #expect(harness.element.text("animate") == nil)
    }

    @Test("Who watches a property is notified once, at the end")
    func notifications() throws {
        let harness = try probeHarness([("animate", "level=0->100@1s")], like: frame)
        let counter = NotificationCounter(harness.element, "level")
        _ = try levels(harness, at: [0, 0.2, 0.4, 0.6, 0.8])
        #expect(counter.count == 0)
        _ = try levels(harness, at: [1, 1.2, 1.4])
        #expect(counter.count == 1)
        harness.element.set("animate", "level=0->100@100ms, repeat 3")
        _ = try levels(harness, at: [2, 2.1, 2.2])
        #expect(counter.count == 1)
        _ = try levels(harness, at: [2.3, 2.4])
        #expect(counter.count == 2)
    }

    @Test("Each start begins it anew")
    func restart() throws {
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=26 ! video/x-raw,format=BGRA,width=16,height=8,framerate=25/1 ! \(Self.probe) name=p "
                + "animate=level=0->100@1s ! appsink name=out sync=false")
        for _ in 0..<2 {
            try pipeline.play()
            let levels = try pipeline.pullAll().map { $0.frame.bytes[0] }
            #expect(levels == (0...25).map { UInt8($0 * 4) })
            try pipeline.reach(GST_STATE_NULL)
        }
    }

    private static let mistakes = [
        ("lvel=0->1@1s", "animate, at character 1: unknown property \"lvel\". Did you mean \"level\"?"),
        (
            "level=0->1@1s, ratoi=0->1@1s",
            "animate, at character 16: unknown property \"ratoi\". Did you mean \"ratio\"?"
        ),
        (
            "shade=0->1@1s",
            "animate, at character 1: shade cannot be animated. These properties can be animated: level, count, ratio."
        ),
        (
            "tint=0->1@1s",
            "animate, at character 1: tint cannot be animated. These properties can be animated: level, count, ratio."
        ),
        (
            "big=-1->0@1s",
            "animate, at character 1: big cannot be animated. These properties can be animated: level, count, ratio."
        ),
        ("level=0->256@1s", "animate, at character 10: level must be between -1 and 255"),
        ("ratio=-2->0@1s", "animate, at character 7: ratio must be between -1 and 1"),
        ("level=0->1.5@1s", "animate, at character 10: level must be a whole number"),
        ("level=a->1@1s", "animate, at character 7: level must be a number, not \"a\""),
        ("level=nan->1@1s", "animate, at character 7: level must be a number, not \"nan\""),
        ("level=5", "animate, at character 7: malformed fade. Write the fade as FROM->TO@TIME, such as 0->1@2s."),
        ("level", "animate, at character 6: \"=\" is missing after level. Write an animation as level=0->1@3s."),
        ("level=0->1@", "animate, at character 12: malformed time in a fade. Write the time as @2s, @500ms or @1beat."),
        (
            "level=0->1@-1s",
            "animate, at character 12: malformed time in a fade. Write the time as @2s, @500ms or @1beat."
        ),
        (
            "level=0->1@1s smoth",
            "animate, at character 15: unknown word \"smoth\" after the time of a fade. Use linear or smooth."
        ),
        ("level=0->1@1s, level=1->2@1s", "animate, at character 16: level is set twice"),
        (
            "level=0->1@1s,",
            "animate, at character 15: missing fade after a comma. Write a fade such as 0->1@2s, or remove the comma."
        ),
        (",level=0->1@1s", "animate, at character 1: missing property name. Write an animation as level=0->1@3s."),
        (
            "level, hold 2s",
            "animate, at character 6: \"=\" is missing after level. Write an animation as level=0->1@3s."
        ),
        ("level=0->1@1s, hold 2s, 1->300@1s", "animate, at character 28: level must be between -1 and 255"),
        ("level=0->1@1s, repaet", "animate, at character 16: unknown word \"repaet\". Did you mean \"repeat\"?"),
        (
            "level=0->1@1s, repeat, ratio = 0->1@1s, 1->9@1s, repeat",
            "animate, at character 44: ratio must be between -1 and 1"
        ),
        ("beat=120bpm", "animate, at character 12: missing property name. Write an animation as level=0->1@3s."),
        (
            " beat=120 , level=0->1@1beat",
            "animate, at character 7: malformed tempo. Write the tempo as beat=120bpm, from 1 to 1000 bpm."
        ),
        (
            "level=0->1@1s, beat=120bpm, ratio=0->1@1s",
            "animate, at character 16: the tempo must be the first part of the text or of a sequence"
        ),
    ]

    @Test("A text that is wrong fails the start, with the place", arguments: mistakes)
    func wrong(_ text: String, _ message: String) throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=3 ! \(Self.probe) name=p ! fakesink")
        try pipeline.element("p").set("animate", text)
        #expect(pipeline.set(GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(pipeline.bus.pending(GST_MESSAGE_ERROR).first)
        #expect(error.text == message)
        #expect(error.isError(GST_LIBRARY_ERROR_SETTINGS))
        // With a valid animation, the element starts.
        pipeline.set(GST_STATE_NULL)
        try pipeline.element("p").set("animate", "level=0->1@1s")
        try pipeline.play()
        try pipeline.finish()
    }

    @Test("While it plays that is a warning, and what was animated goes on")
    func wrongInPlaying() throws {
        let harness = try probeHarness([("animate", "level=0->100@1s")], like: frame)
        _ = try levels(harness, at: [0, 0.25])
        harness.element.set("animate", "level=0->1000@1s")
        let warnings = harness.bus.pending(GST_MESSAGE_WARNING)
        #expect(warnings.map(\.text) == ["animate, at character 10: level must be between -1 and 255"])
        #expect(try levels(harness, at: [0.5]) == [50])
    }

    @Test("It may be set from any thread at any moment")
    func threads() throws {
        let harness = try probeHarness(like: frame)
        let element = harness.element
        let setters = [
            BackgroundThread { element.set("animate", $0.isMultiple(of: 2) ? "level=0->255@1s, ping-pong" : "") },
            BackgroundThread { element.set("level", value: Int32($0 % 255)) },
            BackgroundThread { _ in _ = element.text("animate") },
        ]
        var number = 0
        while setters.contains(where: { $0.rounds < 2000 }) {
            _ = try harness.process(frame, at: UInt64(number) * 1_000_000)
            number += 1
        }
        for setter in setters { setter.stop() }
        element.set("animate", "level=1->3@2s")
        #expect(try levels(harness, at: [1e6, 1e6 + 1]) == [1, 2])
    }
}
