// SPDX-License-Identifier: LGPL-2.1-or-later
import Testing

/// Tests of statements in docs/svmixer.md about the output.
@Suite struct MixerTests {
    /// Runs svmixer with these inputs.
    private func mix(_ settings: String = "", _ inputs: [String]) throws -> Output {
        let outcome = try Program.launch(
            "svmixer name=m \(settings) ! fakesink name=out silent=false "
                + inputs.map { $0 + " ! m." }.joined(separator: " "),
            options: ["-v"])
        outcome.expectSuccess("\(inputs)")
        return Output(text: outcome.output)
    }

    private struct Output {
        let text: String

        /// Returns a field of the output's caps.
        func field(_ name: String) -> String? {
            let caps = text.split(separator: "\n").first { $0.contains("GstFakeSink:out.GstPad:sink: caps") }
            return caps?.split(separator: ", ").first { $0.hasPrefix(name + "=") }
                .flatMap { $0.split(separator: ")").last.map(String.init) }
        }

        var frames: Int { text.matches(of: #/chain +\*/#).count }
    }

    private func input(_ count: Int, _ caps: String, live: Bool = false) -> String {
        "videotestsrc num-buffers=\(count) is-live=\(live) ! video/x-raw,\(caps)"
    }

    @Test func firstPadGivesTheSizeAndTheFastestTheRate() throws {
        let inputs = [
            input(10, "width=100,height=50,framerate=15/1"), input(20, "width=300,height=200,framerate=30/1"),
        ]
        let output = try mix("", inputs)
        #expect(output.field("width") == "100")
        #expect(output.field("height") == "50")
        #expect(output.field("framerate") == "30/1")
        #expect(output.frames == 20)
        let scaled = try mix("sink_0::width=64 sink_0::height=48", inputs)
        #expect(scaled.field("width") == "64")
        #expect(scaled.field("height") == "48")
    }

    @Test(arguments: [false, true]) func outputEndsWithTheLastInput(_ repeats: Bool) throws {
        let output = try mix("sink_1::repeat-after-eos=\(repeats)", [input(30, "width=64"), input(10, "width=32")])
        #expect(output.frames == 30)
    }

    @Test func stillPictureIsAnInput() throws {
        let still = "filesrc location=\(Repository.foreground) ! pngdec"
        let output = try mix("sink_1::repeat-after-eos=true", [input(30, "width=64,framerate=30/1"), still])
        #expect(output.frames == 30)
    }

    @Test(arguments: [("GRAY8", "GRAY8"), ("RGB", "RGB"), ("I420", "I420"), ("NV12", "NV12"), ("v210", "BGRA")])
    func formatSuitsTheInputs(_ format: String, _ expected: String) throws {
        #expect(try mix("", [input(2, "format=\(format)"), input(2, "format=\(format)")]).field("format") == expected)
    }

    /// In a live pipeline, 30 frames take a second, although the other input delivers only 4 frames in this time.
    @Test func lateInputDoesNotStallTheRest() throws {
        let slow = input(4, "width=64,framerate=30/1", live: true) + " ! identity sleep-time=250000"
        let output = try mix("", [input(30, "width=64,framerate=30/1", live: true), slow])
        #expect(output.frames >= 29)
    }

    /// GStreamer 1.22 does not report an invalid value for a pad that is created by a link. If this test fails with a
    /// later version, docs/svmixer.md must be updated.
    @Test func wrongValueOfAPadIsDroppedByGStreamer122() throws {
        let version = try Program.run(["gst-launch-1.0", "--version"]).output
        guard version.contains("version 1.22") else { return }
        let output = try mix("sink_0::mode=sreen", [input(2, "width=64")])
        #expect(output.frames == 2)
    }
}
