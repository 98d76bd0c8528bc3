// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Elements
import Imaging
import TestSupport
import Testing

/// Tests of the property `sound` of svclip.
@Suite("svclip: sound")
struct ClipSoundTests {
    /// The number of samples per frame.
    private static let part = 1920

    /// A file in which the grey value of a frame and the level of its sound contain the number of the frame.
    private struct File {
        let path: String
        private let folder: TemporaryFolder

        /// - Parameter sounds: the number of frames that have sound.
        init(frames: Int, sounds: Int, writer: String = "flacenc ! m. matroskamux") throws {
            folder = try TemporaryFolder()
            path = folder.file("clip")
            let sound =
                sounds == 0
                ? "matroskamux" : "appsrc name=sound format=time caps=\(TestSound.caps) ! audioconvert ! \(writer)"
            let line = try pipeline(
                "appsrc name=in format=time ! videoconvert ! video/x-raw,format=I420 ! x264enc tune=zerolatency qp-max=10 ! m. "
                    + "\(sound) name=m ! filesink location=\(path)")
            let blank = TestFrame(.bgra, 32, 24, color: .black)
            let caps = gst_caps_from_string(blank.caps())
            defer { gst_caps_unref(caps) }
            gst_app_src_set_caps(try line.element("in").cast(to: GstAppSrc.self), caps)
            try line.play()
            for number in 0..<max(frames, sounds) {
                if number < frames {
                    let level = UInt8(16 + number * 8)
                    let frame = TestFrame(.bgra, 32, 24, color: Color(red: level, green: level, blue: level))
                    try line.push(frame, into: "in", at: UInt64(number) * TestClip.frame, duration: TestClip.frame)
                }
                if number < sounds {
                    try line.push(
                        TestSound.buffer(
                            Array(repeating: ClipSoundTests.level(number), count: part), from: number * part),
                        into: "sound")
                }
            }
            try line.end("in")
            if sounds > 0 { try line.end("sound") }
            try line.finish()
        }

        func keep() { withExtendedLifetime(folder) {} }

        func line(_ properties: String, sound: String = "sound=a") throws -> Pipeline {
            try pipeline(
                "svclip name=clip location=\(path) \(sound) \(properties) ! video/x-raw,format=BGRA "
                    + "! appsink name=out sync=false max-buffers=1 appsrc name=a ! audioconvert ! \(TestSound.caps) ! "
                    + TestSound.sink("heard"))
        }
    }

    /// A frame in the output, its number, and its sound.
    private struct Shown {
        let number: Int
        let time: UInt64
        /// The number of samples that do not have the level of the frame.
        var errors = 0
    }

    /// Pulls frames until `isLast` returns true for their numbers, and compares their sound with the numbers.
    private func compare(_ line: Pipeline, until isLast: ([Int]) -> Bool) throws -> [Shown] {
        var frames: [Shown] = []
        while !isLast(frames.map(\.number)) {
            let sample = try #require(try line.pull())
            frames.append(Shown(number: TestClip.number(sample), time: sample.pts))
        }
        let starts = frames.map { Int((Double($0.time) * Double(TestSound.rate) / 1e9).rounded()) }
        let sound = try line.sound("heard", (starts.last ?? 0) + Self.part)
        for (index, start) in starts.enumerated() {
            let level = Self.level(frames[index].number)
            frames[index].errors = sound[start..<start + Self.part].count { abs($0 - level) > 0.005 }
        }
        return frames
    }

    /// Returns the frames from the last frame with the number 0 on.
    private func lastPass(_ frames: [Shown]) throws -> ArraySlice<Shown> {
        frames[try #require(frames.lastIndex { $0.number == 0 })...]
    }

    private static func level(_ number: Int) -> Float { Float(number + 1) / 32 }

    /// Returns the number of samples with another level than `expected`.
    private func errors(_ samples: [Float], _ expected: (_ frame: Int) -> Float) -> Int {
        samples.indices.count { abs(samples[$0] - expected($0 / Self.part)) > 0.005 }
    }

    /// Pulls frames, and returns their numbers and the sound of the same time.
    private func play(_ line: Pipeline, _ count: Int) throws -> (numbers: [Int], sound: [Float]) {
        try line.play()
        let numbers = try (0..<count).map { _ in TestClip.number(try #require(try line.pull())) }
        return (numbers, Array(try line.sound("heard", count * Self.part).prefix(count * Self.part)))
    }

    @Test(
        "In a loop, each sample belongs to the frame of the same time",
        arguments: [12, 8, 15], ["at-end=loop", "at-end=loop start=160000000"])
    func loop(_ sounds: Int, _ properties: String) throws {
        let file = try File(frames: 12, sounds: sounds)
        defer { file.keep() }
        let first = properties.contains("start") ? 4 : 0
        let (numbers, sound) = try play(try file.line(properties), 36)
        let expected = (0..<36).map { first + $0 % (12 - first) }
        #expect(numbers == expected)
        let wrong = errors(sound) { expected[$0] < sounds ? Self.level(expected[$0]) : 0 }
        #expect(wrong == 0, "\(wrong) wrong samples")
    }

    @Test("At the end of the stream, the sound has the length of the video", arguments: [5, 9])
    func end(_ sounds: Int) throws {
        let file = try File(frames: 7, sounds: sounds)
        defer { file.keep() }
        let line = try file.line("at-end=eos")
        try line.play()
        #expect(try line.pullAll().map(TestClip.number) == Array(0..<7))
        let sound = try line.sound("heard")
        #expect(sound.count == 7 * Self.part)
        #expect(errors(sound) { $0 < sounds ? Self.level($0) : 0 } == 0)
    }

    @Test("After the action restart, the frames have their sound from the first frame on", arguments: [3, 12, 20])
    func restart(_ count: Int) throws {
        let file = try File(frames: 15, sounds: 15)
        defer { file.keep() }
        let line = try file.line("at-end=loop")
        try line.play()
        for _ in 0..<count { _ = try #require(try line.pull()) }
        let before = try #require(try line.pull()).pts
        try line.element("clip").emit("restart")
        let frames = try compare(line) { $0.count >= 30 }
        let pass = try lastPass(frames.dropLast(10) + [])
        #expect(pass.allSatisfy { $0.errors == 0 }, "\(frames)")
        // The sound that the appsrc has already delivered delays the restart.
        let times = [before] + frames.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 > $0 && $1 - $0 <= 380_000_000 }, "\(frames)")
    }

    @Test("After a repeated frame, the next file has its sound from the first frame on")
    func hold() throws {
        let (first, second) = (try File(frames: 4, sounds: 4), try File(frames: 9, sounds: 9))
        defer { [first, second].forEach { $0.keep() } }
        let line = try first.line("at-end=hold")
        try line.play()
        var numbers = try (0..<9).map { _ in TestClip.number(try #require(try line.pull())) }
        #expect(numbers == [0, 1, 2, 3, 3, 3, 3, 3, 3])
        try line.element("clip").emit("next", second.path)
        let frames = try compare(line) { $0.last == 7 }
        numbers = frames.map(\.number)
        let pass = try lastPass(frames)
        #expect(pass.map(\.number) == Array(0...7), "\(numbers)")
        #expect(pass.allSatisfy { $0.errors == 0 }, "\(frames)")
        // The repeated frames are silent.
        #expect(frames.dropLast(8).allSatisfy { $0.number == 3 && $0.errors == Self.part }, "\(frames)")
    }

    @Test("A clip that a mixer shows again has its sound", arguments: ["restart", "pause"])
    func offAir(_ mode: String) throws {
        let file = try File(frames: 25, sounds: 25)
        defer { file.keep() }
        let line = try file.line("at-end=loop off-air=\(mode)")
        let source = try line.pad("clip", "src")
        try line.play()
        func show(_ isShown: Bool) throws {
            let fields = "swiftvision-shown, shown=(boolean)\(isShown), awaited=(boolean)true, running-time=(guint64)0"
            let structure = try required(gst_structure_from_string(fields, nil), "no structure")
            gst_pad_send_event(source.pad, gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, structure))
        }
        try show(true)
        for _ in 0..<5 { _ = try #require(try line.pull()) }
        try show(false)
        // A few frames can be on their way. Then svclip repeats a frame.
        var numbers: [Int] = []
        while numbers.suffix(4).count < 4 || Set(numbers.suffix(4)).count > 1 {
            numbers.append(TestClip.number(try #require(try line.pull())))
        }
        let held = try #require(numbers.last)
        #expect(mode == "restart" ? held == 0 : held > 3)
        try show(true)
        let frames = try compare(line) { $0.last == held + 8 }
        let moving = frames.suffix(8)
        #expect(moving.map(\.number) == Array(held + 1...held + 8), "\(frames)")
        #expect(moving.allSatisfy { $0.errors == 0 }, "\(frames)")
        // The restart begins with the sound of the first frame.
        if mode == "restart" { #expect(frames.dropLast(8).last?.errors == 0, "\(frames)") }
    }

    /// The lock-step of two sinks must not depend on a queue.
    @Test("Both sinks start, pause and continue without a queue", arguments: ["play", "pause", "restart"])
    func preroll(_ mode: String) throws {
        let (first, second) = (try File(frames: 12, sounds: 12), try File(frames: 20, sounds: 9))
        defer { [first, second].forEach { $0.keep() } }
        let volumes = (0...1).map { "appsrc name=a\($0) ! audioconvert ! volume name=v\($0) ! m. " }.joined()
        let line = try pipeline(
            "svswitch name=s timeout=60000000000 every=100000000 duration=100000000 sink_0::sound=v0 sink_1::sound=v1 "
                + "! fakesink sync=true audiomixer name=m ! fakesink sync=true "
                + "svclip location=\(first.path) at-end=loop off-air=\(mode) sound=a0 ! s.sink_0 "
                + "svclip location=\(second.path) at-end=loop off-air=\(mode) sound=a1 ! s.sink_1 \(volumes)")
        for _ in 0..<3 {
            try line.play()
            for state in [GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PAUSED] {
                gst_element_set_state(line.handle.element, state)
                let result = gst_element_get_state(line.handle.element, nil, nil, GStreamer.patience)
                #expect(result == GST_STATE_CHANGE_SUCCESS)
            }
            try line.stop()
        }
    }

    @Test("A file without sound gives silence")
    func silent() throws {
        let file = try File(frames: 6, sounds: 0)
        defer { file.keep() }
        let (numbers, sound) = try play(try file.line("at-end=loop"), 18)
        #expect(numbers == (0..<18).map { $0 % 6 })
        #expect(sound.allSatisfy { $0 == 0 })
    }

    @Test("A file that supports no seek loops with its sound")
    func reopened() throws {
        let file = try File(frames: 12, sounds: 12, writer: "avenc_mp2 ! mpegaudioparse ! m. mpegtsmux")
        defer { file.keep() }
        let (numbers, sound) = try play(try file.line("at-end=loop"), 36)
        #expect(numbers == (0..<36).map { $0 % 12 })
        // The encoder changes the levels near each step. The middle of a frame is exact enough for its number.
        let heard = (0..<36).filter { abs(sound[$0 * Self.part + Self.part / 2]) > 0.001 }
        #expect(heard.count >= 30, "\(heard)")
    }

    @Test("A file with another sample rate loops with its sound")
    func resampled() throws {
        let writer = "audioresample ! audio/x-raw,rate=32000 ! flacenc ! m. matroskamux"
        let file = try File(frames: 12, sounds: 12, writer: writer)
        defer { file.keep() }
        let (numbers, sound) = try play(try file.line("at-end=loop"), 36)
        #expect(numbers == (0..<36).map { $0 % 12 })
        // The filter of the resampler changes the levels near each step, but not in the middle of a frame.
        for frame in 0..<36 {
            #expect(abs(sound[frame * Self.part + Self.part / 2] - Self.level(frame % 12)) < 0.005, "\(frame)")
        }
    }

    @Test("A missing or unsuitable appsrc causes a warning, and the video plays")
    func missing() throws {
        let file = try File(frames: 6, sounds: 6)
        defer { file.keep() }
        for (sound, text) in [("sound=absent", "no element \"absent\""), ("sound=heard", "is not an appsrc")] {
            let line = try file.line("at-end=loop", sound: sound)
            try line.play()
            let numbers = try (0..<40).map { _ in TestClip.number(try #require(try line.pull())) }
            #expect(numbers == (0..<40).map { $0 % 6 })
            let warnings = line.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).map(\.text)
            #expect(warnings.count == 1 && warnings.first?.contains(text) == true, "\(warnings)")
        }
    }

    @Test("If nobody takes the sound, svclip drops the sound with one warning, and the video plays")
    func full() throws {
        let file = try File(frames: 12, sounds: 12)
        defer { file.keep() }
        let line = try pipeline(
            "svclip name=clip location=\(file.path) at-end=loop sound=a ! video/x-raw,format=BGRA "
                + "! appsink name=out sync=false max-buffers=1 "
                + "appsrc name=a block=true max-bytes=20000 ! audioconvert ! \(TestSound.caps) ! "
                + "\(TestSound.sink("heard")) max-buffers=1")
        try line.play()
        for _ in 0..<60 { _ = try #require(try line.pull()) }
        let warnings = line.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).map(\.text)
        #expect(warnings.count == 1 && warnings.first?.contains("appsrc is full") == true, "\(warnings)")
    }

    @Test("A file without video causes an error")
    func noVideo() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("sound")
        let writer = try pipeline("audiotestsrc num-buffers=20 ! flacenc ! matroskamux ! filesink location=\(path)")
        try writer.play()
        try writer.finish()
        let line = try pipeline("svclip location=\(path) sound=a ! fakesink appsrc name=a ! fakesink")
        try line.play()
        let message = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        #expect(message.text.contains("cannot play"), "\(message.text)")
        try line.stop()
    }

    @Test("The sound is there after each restart, and an appsrc that is removed does not stop the video")
    func restarts() throws {
        let file = try File(frames: 6, sounds: 6)
        defer { file.keep() }
        let line = try file.line("at-end=loop")
        for _ in 0..<3 {
            let (numbers, sound) = try play(line, 12)
            #expect(numbers == (0..<12).map { $0 % 6 })
            #expect(errors(sound) { Self.level($0 % 6) } == 0)
            try line.stop()
        }
        #expect(line.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).isEmpty)
        _ = try play(line, 6)
        do {
            let source = try line.element("a")
            gst_bin_remove(line.handle.cast(to: GstBin.self), source.element)
            gst_element_set_state(source.element, GST_STATE_NULL)
        }
        for _ in 0..<30 { _ = try #require(try line.pull()) }
        #expect(line.bus.pending(GST_MESSAGE_ERROR).isEmpty)
    }
}
