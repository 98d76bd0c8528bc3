// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import CGStreamerCheck
import Elements
import Filters
import Foundation
import Imaging
import TestSupport
import Testing

/// Returns a harness with svfilter for frames like this frame.
private func filter(_ properties: [(String, String)], like frame: TestFrame) throws -> Harness {
    guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
    return try Harness("svfilter", properties, like: frame)
}

/// Emits the action `set-parameter`.
private func setParameter(_ path: String, _ value: Double, of harness: Harness) throws -> Bool {
    try harness.element.setParameter(path, value)
}

extension Handle {
    fileprivate func setParameter(_ path: String, _ value: Double) throws -> Bool {
        try required(ask("set-parameter", path, value), "no answer")
    }
}

private let second = GStreamer.second

@Suite("svfilter")
struct FilterTests {
    private let gray = TestFrame(.bgra, 6, 4, color: Color(gray: 100, alpha: 200))

    private func shade(_ frame: TestFrame) -> UInt8 { UInt8(frame.color(0, 0).red) }

    @Test(
        "The chain is done to frames of every format, padded ones too; alpha and padding stay",
        arguments: PixelFormat.all)
    func formats(_ format: PixelFormat) throws {
        for (width, height) in [(1, 1), (7, 5), (33, 9)] {
            let frame = TestFrame(format, width, height, seed: 4)
            let harness = try filter([("filters", "invert | exposure ev=1")], like: frame)
            let expected = frame.mapColors { _, _, _, value in UInt8(min(255, 2 * (255 - Int(value)))) }
            #expect(try harness.process(frame) == expected)
            let padded = try harness.process(giving: frame.buffer(padded: Padding(offset: 3, row: 5)).reference)
            #expect(try harness.shown(padded) == expected)
        }
    }

    @Test("Without filters, frames go on as they are")
    func nothing() throws {
        for text in ["", "none", "  "] {
            let harness = try filter([("filters", text)], like: gray)
            let buffer = try gray.buffer()
            #expect(harness.push(buffer) == GST_FLOW_OK)
            #expect(try harness.pull().pointer == buffer.pointer, "not even copied")
        }
    }

    @Test("look applies a look after the filters, and may change while the pipeline plays")
    func look() throws {
        let frame = TestFrame(.bgra, 64, 48, seed: 9)
        func expected(_ text: String) throws -> TestFrame {
            try filter([("filters", text)], like: frame).process(frame)
        }
        let look = try Look(named: "film-noir")
        let harness = try filter([("filters", "hue angle=40"), ("look", "film-noir")], like: frame)
        #expect(try harness.process(frame) == expected("hue angle=40 | \(look.text)"))
        #expect(try filter([("look", "film-noir")], like: frame).process(frame) == expected(look.text))
        #expect(
            try filter([("filters", "hue angle=40 | film-noir")], like: frame).process(frame)
                == expected("hue angle=40 | \(look.text)"))
        harness.element.set("look", "blueprint")
        let other = try expected("hue angle=40 | blueprint")
        #expect(try eventually { try harness.process(frame) == other })
        harness.element.set("look", "none")
        let plain = try expected("hue angle=40")
        #expect(try eventually { try harness.process(frame) == plain })
    }

    @Test("An unknown look is a warning with the most similar names, and the last chain stays")
    func unknownLook() throws {
        let harness = try filter([("filters", "invert")], like: gray)
        #expect(try shade(harness.process(gray)) == 155)
        harness.element.set("look", "film-nior")
        var warnings: [Message] = []
        _ = try eventually {
            let level = try shade(harness.process(gray))
            #expect(level == 155)
            warnings += harness.bus.pending(GST_MESSAGE_WARNING)
            return !warnings.isEmpty
        }
        let text = try #require(warnings.first?.text)
        #expect(text.hasPrefix("look, at character 1: unknown look \"film-nior\"."), "\(text)")
        #expect(text.contains("\"film-noir\","), "\(text)")
    }

    @Test("A new text takes effect while it plays")
    func change() throws {
        let harness = try filter([("filters", "invert")], like: gray)
        #expect(try shade(harness.process(gray)) == 155)
        harness.element.set("filters", "exposure ev=1")
        #expect(try reaches(harness) { $0 == 200 })
        harness.element.set("filters", "none")
        #expect(try reaches(harness) { $0 == 100 })
    }

    /// Processes frames until a frame has the right level. The element parses texts in the background.
    private func reaches(_ harness: Harness, _ isRight: (UInt8) -> Bool) throws -> Bool {
        try eventually { try isRight(shade(harness.process(gray))) }
    }

    // MARK: - Mistakes

    static let mistakes: [(String, [String])] = [
        ("sepia-tone | gausian-blur", ["character 14", "Did you mean \"gaussian-blur\"?"]),
        ("hue angle=500", ["character 11", "between -180 and 180"]),
    ]

    @Test("A wrong text is an error at start, with its place", arguments: mistakes)
    func wrongAtStart(_ text: String, _ parts: [String]) throws {
        let line = try pipeline("videotestsrc ! svfilter name=f ! fakesink")
        try line.element("f").set("filters", text)
        let change = line.set(GST_STATE_PLAYING)
        #expect(change == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.isError(GST_LIBRARY_ERROR_SETTINGS))
        #expect(parts.allSatisfy { error.text.contains($0) }, "\(error.text)")
    }

    @Test("A wrong text while it plays is a warning, and the old chain stays")
    func wrongWhilePlaying() throws {
        let harness = try filter([("filters", "invert")], like: gray)
        #expect(try shade(harness.process(gray)) == 155)
        for (text, parts) in Self.mistakes {
            harness.element.set("filters", text)
            #expect(try shade(harness.process(gray)) == 155)
            let warning = try #require(harness.bus.wait(GST_MESSAGE_WARNING))
            #expect(parts.allSatisfy { warning.text.contains($0) }, "\(warning.text)")
            for _ in 0..<3 { #expect(try shade(harness.process(gray)) == 155) }
        }
        #expect(harness.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).isEmpty, "each is told once")
        // This text is valid again.
        harness.element.set("filters", "exposure ev=-1")
        #expect(try reaches(harness) { $0 == 50 })
    }

    @Test("Files of colours: missing and broken ones")
    func cubes() throws {
        let folder = NSTemporaryDirectory() + "/svfilter \(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let good = folder + "/a | b.cube"
        try "LUT_1D_SIZE 2\n1 1 1\n0 0 0\n".write(toFile: good, atomically: true, encoding: .utf8)
        let bad = folder + "/bad.cube"
        try "LUT_3D_SIZE 2\n1 1\n".write(toFile: bad, atomically: true, encoding: .utf8)
        let harness = try filter([("filters", "cube path='\(good)'")], like: gray)
        #expect(try shade(harness.process(gray)) == 155)
        for (path, what) in [(bad, "line 2"), (folder + "/no.cube", "no such file")] {
            harness.element.set("filters", "cube path='\(path)'")
            _ = try harness.process(gray)
            let warning = try #require(harness.bus.wait(GST_MESSAGE_WARNING))
            #expect(warning.text.contains(path) && warning.text.contains(what))
            #expect(warning.isError(GST_RESOURCE_ERROR_NOT_FOUND) == (path != bad))
            #expect(warning.isError(GST_STREAM_ERROR_DECODE) == (path == bad))
            #expect(try shade(harness.process(gray)) == 155)
        }
    }

    @Test("Frames that are too large are refused")
    func tooLarge() throws {
        let harness = try filter([("filters", "invert")], like: gray)
        gst_harness_set_src_caps_str(
            harness.harness, "video/x-raw,format=BGRA,width=30000,height=30000,framerate=25/1")
        let error = try #require(harness.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.text.contains("30000x30000") && error.text.contains("64 megapixels"), "\(error.text)")
    }

    // MARK: - One parameter

    @Test("set-parameter changes a number at once, and says whether it could")
    func parameters() throws {
        let harness = try filter([("filters", "exposure ev=0 | exposure ev=0")], like: gray)
        #expect(try setParameter("exposure.ev", 1, of: harness))
        #expect(try shade(harness.process(gray)) == 200)
        #expect(try setParameter("exposure#2.ev", -1, of: harness))
        #expect(try shade(harness.process(gray)) == 100)
        for (path, value) in [("exposure#3.ev", 1.0), ("exposure.ex", 1), ("invert.intensity", 1), ("exposure.ev", 99)]
        {
            #expect(try !setParameter(path, value, of: harness))
            let warning = try #require(harness.bus.wait(GST_MESSAGE_WARNING))
            #expect(warning.text.contains("set-parameter \(path)"))
        }
        #expect(try shade(harness.process(gray)) == 100)
        // The parameter belongs to the text that was set last.
        harness.element.set("filters", "invert")
        #expect(try setParameter("invert.intensity", 0, of: harness))
        #expect(try shade(harness.process(gray)) == 100)
        harness.element.set("filters", "invert")
        #expect(try reaches(harness) { $0 == 155 })
    }

    @Test("set-parameter before the start")
    func parametersBefore() throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        let element = try Handle(factory: "svfilter", [("filters", "exposure ev=0")])
        #expect(try element.setParameter("exposure.ev", 1))
        #expect(try !element.setParameter("hue.angle", 1))
    }

    /// Returns the value of the property `parameters`, after a condition has become true.
    private func list(_ element: Handle, where isRight: ([[String: Any]]) throws -> Bool) throws -> [[String: Any]] {
        var list: [[String: Any]] = []
        let isReached = try eventually {
            let text = element.text("parameters") ?? "[]"
            list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
            return try isRight(list)
        }
        #expect(isReached)
        return list
    }

    @Test("The property parameters lists filters, ranges and current values, and follows set-parameter and new chains")
    func parameterList() throws {
        let text = "exposure ev=1 | hue angle=0->45@2s | median radius=2 | exposure | mirror axis=both"
        let harness = try filter([("filters", text)], like: gray)
        let filters = try list(harness.element) { $0.count == 5 }
        #expect(filters.compactMap { $0["path"] as? String } == ["exposure", "hue", "median", "exposure#2", "mirror"])
        #expect(filters.compactMap { $0["filter"] as? String } == ["exposure", "hue", "median", "exposure", "mirror"])
        func parameters(_ filters: [[String: Any]], _ index: Int) throws -> [[String: Any]] {
            try #require(filters.dropFirst(index).first?["parameters"] as? [[String: Any]])
        }
        let exposure = try #require(try parameters(filters, 0).first)
        #expect(exposure["name"] as? String == "ev" && exposure["unit"] as? String == "stops")
        #expect(["value", "minimum", "maximum", "default"].map { exposure[$0] as? Double } == [1, -5, 5, 0.5])
        #expect(exposure["integer"] as? Bool == false && exposure["fade"] == nil)
        let hue = try #require(try parameters(filters, 1).first)
        #expect(hue["value"] as? Double == 45 && hue["fade"] as? String == "0.0->45.0@2s")
        #expect(try parameters(filters, 2).first?["integer"] as? Bool == true)
        // Words are not numbers.
        #expect(try parameters(filters, 4).isEmpty)
        #expect(try setParameter("exposure#2.ev", -2, of: harness) && setParameter("hue.angle", 10, of: harness))
        let later = try list(harness.element) { try parameters($0, 1).first?["value"] as? Double == 10 }
        #expect(try parameters(later, 3).first?["value"] as? Double == -2)
        #expect(try parameters(later, 1).first?["fade"] == nil)
        harness.element.set("filters", "none")
        #expect(try reaches(harness) { $0 == 100 })
        _ = try list(harness.element) { $0.isEmpty }
        #expect(harness.element.text("parameters") == nil)
    }

    @Test("The start and set-parameter update the property parameters, and an equal list causes no notification")
    func parameterNotifications() throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        let element = try Handle(factory: "svfilter", [("filters", "exposure ev=1")])
        defer { gst_element_set_state(element.element, GST_STATE_NULL) }
        /// Stops and starts the element. The stop waits for the jobs of the worker.
        func restart() {
            for state in [GST_STATE_READY, GST_STATE_PAUSED] { gst_element_set_state(element.element, state) }
        }
        func value() throws -> Double? {
            let text = try #require(element.text("parameters"))
            let filters = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
            return (filters?.first?["parameters"] as? [[String: Any]])?.first?["value"] as? Double
        }
        restart()
        // The start itself sets the property, so the value is already there.
        #expect(try value() == 1)
        let counter = NotificationCounter(element, "parameters")
        #expect(try element.setParameter("exposure.ev", 1))
        restart()
        #expect(counter.count == 0)
        #expect(try element.setParameter("exposure.ev", 2))
        restart()
        #expect(try value() == 2 && counter.count == 1)
    }

    @Test("The property parameters is limited, so that a page gets the whole text")
    func longParameterList() throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        let chain = Array(repeating: "perspective", count: 400).joined(separator: "|")
        let element = try Handle(factory: "svfilter", [("filters", chain)])
        #expect(try element.setParameter("perspective.top-left-x", 0))
        let filters = try list(element) { !$0.isEmpty }
        #expect((10..<400).contains(filters.count))
        #expect(try #require(element.text("parameters")).utf8.count < 65_536)
    }

    // MARK: - Time

    @Test("Fades are counted in running time from the first frame, and stay at their end")
    func fades() throws {
        let harness = try filter([("filters", "exposure ev=0->1@2s")], like: gray)
        let times: [(Double, UInt8)] = [(5, 100), (6, 141), (7, 200), (30, 200)]
        for (time, expected) in times {
            #expect(try shade(harness.process(gray, at: UInt64(time * Double(second)))) == expected, "\(time)")
        }
        // Setting the same text again restarts the animation.
        harness.element.set("filters", "exposure ev=0->1@2s")
        #expect(try reaches(harness) { $0 == 100 })
    }

    @Test("A sequence that repeats is exact after an hour, and continues after a seek")
    func sequence() throws {
        let harness = try filter([("filters", "exposure ev=0->1@1s, hold 8s, 1->0@1s, repeat")], like: gray)
        let times: [(Double, UInt8)] = [
            (5, 100), (5.5, 141), (6, 200), (13.9, 200), (14.5, 141), (15, 100), (3605, 100), (3605.5, 141),
            (3614.5, 141), (36_006, 200),
        ]
        for (time, expected) in times {
            #expect(try shade(harness.process(gray, at: UInt64(time * Double(second)))) == expected, "\(time)")
        }
        harness.flush()
        harness.startSegment(at: 0, streamTime: 0)
        #expect(try shade(harness.process(gray, at: 0)) == 200)
        #expect(try shade(harness.process(gray, at: 8 * second + second / 2)) == 141)
    }

    @Test("A seek goes on with a fade, it does not begin anew")
    func seek() throws {
        let harness = try filter([("filters", "exposure ev=0->1@2s")], like: gray)
        #expect(try shade(harness.process(gray, at: 0)) == 100)
        #expect(try shade(harness.process(gray, at: second)) == 141)
        harness.flush()
        harness.startSegment(at: 0, streamTime: 50 * second)
        #expect(try shade(harness.process(gray, at: 0)) == 141)
        #expect(try shade(harness.process(gray, at: second)) == 200)
        harness.flush()
        harness.startSegment(at: 0, streamTime: 0)
        #expect(try shade(harness.process(gray, at: 0)) == 200)
    }

    @Test("set-parameter ends a fade of that parameter, and no other")
    func endOfFade() throws {
        let harness = try filter([("filters", "exposure ev=0->1@2s | invert intensity=0->1@2s")], like: gray)
        _ = try harness.process(gray, at: 0)
        #expect(try setParameter("exposure.ev", 0, of: harness))
        #expect(try shade(harness.process(gray, at: second)) == 128)
        #expect(try shade(harness.process(gray, at: 2 * second)) == 155)
    }

    @Test("Frames without a time stamp are a frame's duration apart")
    func untimed() throws {
        let harness = try filter([("filters", "exposure ev=0->1@80ms")], like: gray)
        var shades: [UInt8] = []
        for _ in 0..<4 { shades.append(try shade(harness.process(gray, at: nil))) }
        #expect(shades == [100, 141, 200, 200])
    }

    // MARK: - The reel

    @Test("The reel shows every filter in turn, with a name in the corner")
    func reel() throws {
        let frame = TestFrame(.bgra, 300, 200, seed: 9)
        let harness = try filter([("reel", "1000000000"), ("filters", "invert")], like: frame)
        for (index, one) in Filter.all.enumerated() {
            let time = UInt64(index) * second
            let shown = try harness.process(frame, at: time)
            let alone = try filter([("filters", one.name)], like: frame).process(frame)
            #expect(shown.part(0, 100, 300, 100) == alone.part(0, 100, 300, 100), "\(one.name)")
            #expect(shown.part(0, 0, 300, 100) != alone.part(0, 0, 300, 100), "\(one.name)")
            // The frame does not change within the second. After the last second, the sequence starts again.
            #expect(try harness.process(frame, at: time + second / 2) == shown)
        }
        harness.element.set("reel", "0")
        #expect(
            try harness.process(frame, at: 100 * second) == filter([("filters", "invert")], like: frame).process(frame))
    }

    // MARK: - Soundness

    @Test("Threads do not change the picture, and may change while it plays")
    func threads() throws {
        let frame = TestFrame(.rgbx, 300, 100, seed: 3)
        let text = "gaussian-blur radius=4 | twirl | oil-paint | sepia-tone | gamma"
        let expected = try filter([("filters", text), ("threads", "1")], like: frame).process(frame)
        let harness = try filter([("filters", text)], like: frame)
        for threads in ["0", "2", "5", "64", "1"] {
            harness.element.set("threads", threads)
            #expect(try harness.process(frame) == expected, "\(threads)")
        }
    }

    @Test("New caps while it plays")
    func renegotiation() throws {
        let harness = try filter([("filters", "mirror | gaussian-blur radius=3 | invert")], like: gray)
        for (format, width, height) in [(PixelFormat.rgb, 40, 30), (.gray8, 3, 2), (.bgra, 1, 1), (.argb, 70, 20)] {
            let frame = TestFrame(format, width, height, seed: 2)
            harness.renegotiate(like: frame)
            let alone = try filter([("filters", "mirror | gaussian-blur radius=3 | invert")], like: frame)
            #expect(try harness.process(frame) == alone.process(frame))
        }
    }

    @Test("Texts, parameters and threads at random from threads while it plays")
    func random() throws {
        let frame = TestFrame(.bgra, 64, 48, seed: 7)
        let harness = try filter([("filters", "hue")], like: frame)
        let element = harness.element
        let texts =
            Filter.all.map(\.name) + ["hue angle=0->90@1s | twirl angle=0->90@1s", "wrong", "none", "hue angle="]
        let threads = (0..<2).map { seed in
            BackgroundThread { round in
                var random = Random(seed: UInt64(seed) &* 1000 &+ UInt64(round))
                switch random.next() % 4 {
                case 0: element.set("threads", value: UInt32(random.next() % 5))
                case 1: _ = try? element.setParameter("hue.angle", Double(random.next() % 400) - 200)
                default: element.set("filters", value: texts.randomElement(using: &random) ?? "")
                }
                g_usleep(500)
            }
        }
        for number in 0..<100 {
            let buffer = try frame.buffer(at: UInt64(number) * 40_000_000)
            #expect(harness.push(buffer) == GST_FLOW_OK)
            _ = try harness.pull()
        }
        for thread in threads { thread.stop() }
        #expect(harness.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }

    @Test("States up and down a hundred times", .timeLimit(.minutes(2)))
    func states() throws {
        let line = try pipeline(
            "videotestsrc ! video/x-raw,width=160,height=120 ! svfilter filters=\"bloom | twirl\" ! fakesink")
        for round in 0..<100 {
            try line.reach(round % 2 == 0 ? GST_STATE_PAUSED : GST_STATE_READY)
        }
        try line.reach(GST_STATE_NULL)
    }
}
