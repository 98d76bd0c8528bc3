// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Elements
import Imaging
import TestSupport
import Testing

/// Tests of svclip alone.
@Suite("svclip")
struct ClipTests {
    @Test(
        "A loop repeats each frame without a gap",
        arguments: [
            ("x264enc tune=zerolatency qp-max=10 ! matroskamux", "mkv"),
            ("x264enc bframes=3 b-adapt=false key-int-max=8 qp-max=10 ! mp4mux", "mp4"),
            ("vp8enc deadline=1 min-quantizer=0 max-quantizer=4 ! webmmux", "webm"),
            // This file supports no segment seek, so svclip opens the file again.
            ("x264enc qp-max=10 ! mpegtsmux", "ts"),
        ])
    func loop(_ writer: String, _ name: String) throws {
        let clip = try TestClip(frames: 0..<12, writer, name: "clip.\(name)")
        defer { clip.keep() }
        let line = try clip.line("at-end=loop")
        try line.play()
        let samples = try (0..<40).map { _ in try #require(try line.pull()) }
        #expect(samples.map(TestClip.number) == (0..<40).map { $0 % 12 })
        #expect(samples.map(\.pts) == (0..<40).map { UInt64($0) * TestClip.frame })
        #expect(try clip.events(line, until: "clip-looped", count: 3).first == "clip-started")
    }

    @Test("A short file loops at a fixed frame rate", arguments: [2, 3, 6, 10])
    func short(_ count: Int) throws {
        let clip = try TestClip(frames: 0..<count, "x264enc qp-max=10 ! matroskamux")
        defer { clip.keep() }
        let line = try pipeline(
            "svclip location=\(clip.path) at-end=loop ! video/x-raw,format=BGRA,framerate=50/1 "
                + "! appsink name=out sync=false max-buffers=1")
        try line.play()
        let samples = try (0..<4 * count).map { _ in try #require(try line.pull()) }
        #expect(Set(samples.map(TestClip.number)) == Set(0..<count))
        #expect(samples.map(\.pts) == (0..<4 * count).map { UInt64($0) * TestClip.frame / 2 })
    }

    @Test("A clip ends, or holds its last frame")
    func end() throws {
        let clip = try TestClip(frames: 0..<5)
        defer { clip.keep() }
        let line = try clip.line("at-end=eos")
        try line.play()
        #expect(try line.pullAll().map(TestClip.number) == Array(0..<5))
        #expect(try clip.events(line, until: "clip-ended") == ["clip-started", "clip-ended"])

        let holding = try clip.line("at-end=hold")
        try holding.play()
        let samples = try (0..<10).map { _ in try #require(try holding.pull()) }
        #expect(samples.map(TestClip.number) == [0, 1, 2, 3, 4, 4, 4, 4, 4, 4])
        #expect(samples.map(\.pts) == (0..<10).map { UInt64($0) * TestClip.frame })
    }

    @Test("Each pass begins at the start position", arguments: [TestClip.writer, "x264enc qp-max=10 ! mpegtsmux"])
    func start(_ writer: String) throws {
        let clip = try TestClip(frames: 0..<10, writer)
        defer { clip.keep() }
        let line = try clip.line("at-end=loop start=\(4 * TestClip.frame)")
        try line.play()
        let samples = try (0..<15).map { _ in try #require(try line.pull()) }
        #expect(samples.map(TestClip.number) == (0..<15).map { 4 + $0 % 6 })
        #expect(samples.map(\.pts) == (0..<15).map { UInt64($0) * TestClip.frame })
    }

    @Test("The next file follows the current pass without a gap")
    func next() throws {
        let (first, second) = (try TestClip(frames: 0..<6), try TestClip(frames: 20..<24))
        defer { [first, second].forEach { $0.keep() } }
        let line = try first.line("at-end=loop")
        let element = try line.element("clip")
        try line.play()
        var samples = try (0..<2).map { _ in try #require(try line.pull()) }
        element.emit("next", second.path)
        while samples.last.map(TestClip.number) != 23 { samples.append(try #require(try line.pull())) }
        let numbers = samples.map(TestClip.number)
        let passes = numbers.count - 4
        #expect(passes % 6 == 0 && passes <= 18)
        #expect(numbers == (0..<passes).map { $0 % 6 } + Array(20..<24))
        #expect(samples.map(\.pts) == samples.indices.map { UInt64($0) * TestClip.frame })
        #expect(element.text("location") == second.path)
    }

    @Test("A new location replaces the file, and restart plays it again")
    func location() throws {
        let (first, second) = (try TestClip(frames: 0..<8), try TestClip(frames: 20..<28))
        defer { [first, second].forEach { $0.keep() } }
        let line = try first.line("at-end=loop")
        let element = try line.element("clip")
        try line.play()
        var last = try #require(try line.pull())
        func pull() throws -> Int {
            let sample = try #require(try line.pull())
            #expect(sample.pts == last.pts + TestClip.frame)
            last = sample
            return TestClip.number(sample)
        }
        element.set("location", second.path)
        while try pull() < 20 {}
        #expect(try (0..<3).map { _ in try pull() } == [21, 22, 23])
        element.emit("restart")
        while try pull() != 20 {}
        #expect(try pull() == 21)
    }

    @Test("A file that svclip cannot play does not stop the current file")
    func refused() throws {
        let clip = try TestClip(frames: 0..<5)
        defer { clip.keep() }
        let folder = try TemporaryFolder()
        _ = try folder.write(Array("not a video".utf8), "text.mp4")
        let line = try clip.line("at-end=loop")
        try line.play()
        for path in [folder.file("absent.mp4"), folder.file("text.mp4"), folder.path] {
            try line.element("clip").emit("next", path)
            var warning: Message?
            while warning == nil {
                _ = try #require(try line.pull())
                warning = line.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).first
            }
            #expect(warning?.type == GST_MESSAGE_WARNING && warning?.text.contains(path) == true)
        }
        for path in [folder.file("absent.mp4"), folder.file("text.mp4"), folder.path] {
            let line = try pipeline("svclip location=\(path) ! fakesink")
            line.set(GST_STATE_PLAYING)
            let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
            #expect(error.text.contains(path))
        }
    }

    @Test("The output has the caps that the next elements ask for")
    func caps() throws {
        let clip = try TestClip(frames: 0..<5)
        defer { clip.keep() }
        let line = try pipeline(
            "svclip location=\(clip.path) at-end=loop ! video/x-raw,format=BGRA,width=20,height=30,framerate=50/1 "
                + "! appsink name=out sync=false max-buffers=1")
        try line.play()
        let samples = try (0..<30).map { _ in try #require(try line.pull()) }
        #expect(samples.allSatisfy { $0.frame.width == 20 && $0.frame.height == 30 })
        #expect(samples.map(\.pts) == (0..<30).map { UInt64($0) * TestClip.frame / 2 })
    }

    @Test("A clip stops at once in any state")
    func stops() throws {
        let clip = try TestClip(frames: 0..<5)
        defer { clip.keep() }
        let line = try clip.line("at-end=loop")
        for number in 0..<30 {
            line.set(number % 3 == 0 ? GST_STATE_PLAYING : GST_STATE_PAUSED)
            for _ in 0..<number % 4 { _ = try line.pullNow() }
            line.set(number % 2 == 0 ? GST_STATE_NULL : GST_STATE_READY)
        }
        try line.play()
        #expect(TestClip.number(try #require(try line.pull())) == 0)
        #expect(line.bus.pending(GST_MESSAGE_ERROR, GST_MESSAGE_WARNING).isEmpty)
    }
}

/// A file whose frames contain their numbers as grey values.
struct TestClip {
    static let frame = GStreamer.second / 25
    static let writer = "x264enc tune=zerolatency qp-max=10 ! matroskamux"
    let path: String
    private let folder: TemporaryFolder

    init(frames: Range<Int>, _ writer: String = Self.writer, name: String = "clip") throws {
        folder = try TemporaryFolder()
        path = folder.file(name)
        let line = try pipeline(
            "appsrc name=in format=time ! videoconvert ! video/x-raw,format=I420 ! \(writer) ! filesink location=\(path)"
        )
        let blank = TestFrame(.bgra, 32, 24, color: .black)
        let caps = gst_caps_from_string(blank.caps())
        defer { gst_caps_unref(caps) }
        gst_app_src_set_caps(try line.element("in").cast(to: GstAppSrc.self), caps)
        try line.play()
        for (index, number) in frames.enumerated() {
            let level = UInt8(16 + number * 8)
            let frame = TestFrame(.bgra, 32, 24, color: Color(red: level, green: level, blue: level))
            try line.push(frame, into: "in", at: UInt64(index) * Self.frame, duration: Self.frame)
        }
        try line.end("in")
        try line.finish()
    }

    /// Keeps the file until this call.
    func keep() { withExtendedLifetime(folder) {} }

    /// Returns the number in a frame.
    static func number(_ sample: Sample) -> Int {
        Int(((Double(sample.frame.color(16, 12).green) - 16) / 8).rounded())
    }

    func line(_ properties: String) throws -> Pipeline {
        try pipeline(
            "svclip name=clip location=\(path) \(properties) ! video/x-raw,format=BGRA "
                + "! appsink name=out sync=false max-buffers=1")
    }

    /// Waits for messages of svclip, and returns the events until the event `last` has come `count` times.
    func events(_ line: Pipeline, until last: String, count: Int = 1) throws -> [String] {
        var events: [String] = []
        while events.count(where: { $0 == last }) < count {
            let message = try #require(line.bus.wait(GST_MESSAGE_ELEMENT), "no further message after \(events)")
            guard let fields = Fields(message.structure), fields.name == "svclip" else { continue }
            events.append(fields.text("event") ?? "")
        }
        return events
    }
}
