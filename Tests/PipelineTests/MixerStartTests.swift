// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests how svmixer waits before its first frame.
@Suite struct MixerStartTests {
    private let folder: ScratchFolder

    /// Writes clip.mkv: 30 grey frames of 160x90.
    init() throws {
        folder = try ScratchFolder()
        try Program.launch(
            "videotestsrc num-buffers=30 pattern=solid-color foreground-color=0xff808080"
                + " ! video/x-raw,format=I420,width=160,height=90,framerate=30/1 ! x264enc tune=zerolatency ! matroskamux"
                + " ! filesink location=\(folder.path("clip.mkv"))"
        ).expectSuccess("a clip")
    }

    private let test = "videotestsrc num-buffers=30 ! video/x-raw,width=64,height=48,framerate=30/1"

    /// Runs a pipeline. Returns the sizes of the output in order, and the number of frames.
    private func run(_ description: String) throws -> (sizes: [String], frames: Int) {
        let outcome = try Program.launch(description, options: ["-v"], in: folder.path)
        outcome.expectSuccess(description)
        let caps = outcome.output.matches(of: #/out\.GstPad:sink: caps = .*?width=\(int\)(\d+), height=\(int\)(\d+)/#)
        return (caps.map { "\($0.1)x\($0.2)" }, outcome.output.matches(of: #/chain +\*/#).count)
    }

    @Test(arguments: 0..<4) func theFirstPadGivesTheSizeHoweverLateItComes(_ round: Int) throws {
        let clip =
            "filesrc location=clip.mkv ! decodebin ! videoconvert ! identity sleep-time=\(round * 10_000) ! m.sink_0"
        let direct = "filesrc location=clip.mkv ! decodebin ! m.sink_0"
        for clip in [clip, direct] {
            let output = try run("svmixer name=m ! fakesink name=out silent=false \(test) ! m.sink_1 \(clip)")
            #expect(output.sizes == ["160x90"])
            #expect(output.frames >= 30)
        }
    }

    @Test(arguments: ["decodebin", "decodebin ! videoconvert"]) func twoFilesBeginTogether(_ decoder: String) throws {
        let output = try run(
            "svmixer name=m ! fakesink name=out silent=false filesrc location=clip.mkv ! \(decoder) ! m.sink_1"
                + " filesrc location=\(Repository.foreground) ! decodebin ! imagefreeze num-buffers=30 ! m.sink_0")
        #expect(output.sizes.count == 1)
        #expect(output.frames >= 30)
    }

    @Test func theOrderFollowsTheNamesOfThePads() throws {
        // The pad for the white test pattern is created immediately, and the pad for the grey clip below it later.
        // White must be visible.
        for name in ["sink_1", "sink_7"] {
            try Program.launch(
                "svmixer name=m ! videoconvert ! pngenc snapshot=true ! filesink location=out.png"
                    + " videotestsrc num-buffers=30 pattern=white ! video/x-raw,width=64,height=48,framerate=30/1 ! m.\(name)"
                    + " filesrc location=clip.mkv ! decodebin ! m.sink_0", in: folder.path
            ).expectSuccess(name)
            try Program.launch(
                "filesrc location=out.png ! pngdec ! videoconvert ! video/x-raw,format=GRAY8 ! filesink location=out.raw",
                in: folder.path
            ).expectSuccess("out.png")
            let pixels = try #require(FileManager.default.contents(atPath: folder.path("out.raw")))
            #expect(pixels.count == 160 * 90)
            #expect(pixels[10 * 160 + 10] > 200)
            #expect(pixels[80 * 160 + 150] < 150)
        }
    }

    /// gst-launch-1.0 sets these properties on a pad that it then releases.
    @Test func propertiesOfAPadThatComesLateAreKept() throws {
        let outcome = try Program.launch(
            "svmixer name=m sink_0::width=80 sink_0::height=60 sink_0::repeat-after-eos=true"
                + " ! fakesink name=out \(test) ! m.sink_1 filesrc location=clip.mkv ! decodebin ! m.sink_0",
            options: ["-v"], in: folder.path)
        outcome.expectSuccess("late")
        #expect(outcome.output.contains(#/out\.GstPad:sink: caps = .*width=\(int\)80, height=\(int\)60/#))
    }

    @Test func aMissingMaskOfAPadThatComesLateIsAnError() throws {
        let outcome = try Program.launch(
            "svmixer name=m sink_0::mask=/no/such.png ! fakesink \(test) ! m.sink_1"
                + " filesrc location=clip.mkv ! decodebin ! m.sink_0", in: folder.path)
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("cannot read \"/no/such.png\": no such file"), "\(outcome.errors)")
    }

    /// A decoder after the mixer gets no data before the mixer starts.
    @Test func whatComesAfterTheMixerIsNotWaitedFor() throws {
        let output = try run(
            "svmixer name=m ! videoconvert ! x264enc tune=zerolatency ! matroskamux ! decodebin ! videoconvert"
                + " ! fakesink name=out silent=false sync=false filesrc location=clip.mkv ! decodebin ! m.sink_0")
        #expect(output.sizes == ["160x90"])
        #expect(output.frames >= 30)
    }

    /// If a live input exists, the mixer starts after two seconds, even if another input sends nothing.
    @Test func aLiveMixerDoesNotWaitForEver() throws {
        let began = ContinuousClock.now
        let output = try run(
            "svmixer name=m ! fakesink name=out silent=false sync=false num-buffers=5"
                + " videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=30/1 ! queue ! m.sink_1"
                + " appsrc is-live=true format=time ! queue ! m.sink_0")
        #expect(output.sizes == ["64x48"])
        #expect(output.frames == 5)
        #expect(ContinuousClock.now - began > .seconds(1.9))
    }
}
