// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestScope
import Testing

/// Tests of the sound of `source=FILE` in `launch` pipelines.
@Suite struct LaunchSoundTests {
    /// Three seconds with a tick of 1 ms in each second, from 0.4 s on.
    private static let clip =
        "videotestsrc num-buffers=90 pattern=ball ! video/x-raw,format=I420,width=160,height=90,framerate=30/1"
        + " ! x264enc tune=zerolatency ! m. audiotestsrc wave=ticks samplesperbuffer=1600 num-buffers=78"
        + " timestamp-offset=400000000 ! audio/x-raw,rate=48000 ! flacenc ! m. matroskamux name=m ! filesink location="

    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("clip.mkv"), withDestinationPath: Self.clips.get().path("clip.mkv"))
    }

    /// A folder with clip.mkv. It is created only once.
    private static let clips = Result<ScratchFolder, any Error> {
        let folder = try ScratchFolder.lasting()
        try Program.launch(clip + folder.path("clip.mkv")).expectSuccess("a clip")
        return folder
    }

    private func print(_ words: String...) throws -> String {
        let outcome = try Program.run([Repository.root + "/launch"] + words + ["--print"], in: folder.path)
        outcome.expectSuccess("\(words)")
        return outcome.output
    }

    /// Returns the sound of a file as a player plays it, with silence before its start.
    private func samples(of file: String) throws -> [Int16] {
        try Program.decode(
            "filesrc location=\(file) ! decodebin caps=audio/x-raw expose-all-streams=false ! audioconvert"
                + " ! identity single-segment=true ! audioresample ! audiorate"
                + " ! audio/x-raw,format=S16LE,channels=1,rate=48000 ! filesink location=\(file).raw", in: folder.path
        ).expectSuccess("the sound of \(file)")
        let data = try #require(FileManager.default.contents(atPath: folder.path("\(file).raw")))
        return data.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    }

    /// Returns the times of the ticks, in seconds.
    private func ticks(_ samples: [Int16]) -> [Double] {
        var ticks: [Double] = []
        for (index, value) in samples.enumerated() where abs(Int(value)) > 2000 {
            let time = Double(index) / 48000
            if ticks.last.map({ time - $0 > 0.5 }) ?? true { ticks.append(time) }
        }
        return ticks
    }

    @Test(arguments: ["mp4", "mov", "mkv", "webm"]) func soundAndPicturesStayTogether(_ ending: String) throws {
        try Program.shell(
            print("record", "source=clip.mkv", "sink=out.\(ending)"), in: folder.path, limit: 60
        ).expectSuccess("recording")
        let (before, after) = (try samples(of: "clip.mkv"), try samples(of: "out.\(ending)"))
        let (expected, found) = (ticks(before), ticks(after))
        #expect(expected.count == 2 && found.count == 2)
        // The delay of an AAC encoder is 1024 samples. The delay of an Opus encoder is 312 samples.
        for (before, after) in zip(expected, found) {
            #expect(abs(after - before) < 0.025, "\(before) s is at \(after) s")
        }
        #expect(abs(Double(after.count - before.count) / 48000) < 0.03)
        #expect(try Playback(of: folder.path("out.\(ending)")).count == 90)
    }

    @Test(arguments: ["mp4", "mkv"]) func frameCountCutsTheSound(_ ending: String) throws {
        try Program.shell(
            print("blend", "source=clip.mkv", "sink=out.\(ending)", "frames=45"), in: folder.path, limit: 60
        ).expectSuccess("recording")
        let heard = try samples(of: "out.\(ending)")
        #expect(abs(Double(heard.count) / 48000 - 1.5) < 0.03)
        #expect(ticks(heard).count == 1)
        #expect(try Playback(of: folder.path("out.\(ending)")).count == 45)
    }

    /// One script adds the sound to all pipelines, so some pipelines are enough.
    @Test(arguments: Repository.pipelines.enumerated().filter { TestScope.runs($0.offset, oneIn: 4) }.map(\.element))
    func pipelinesTakeItAlong(_ name: String) throws {
        #expect(try print(name, "source=clip.mkv", "sink=out.mp4").contains("media. ! audioconvert"))
    }

    @Test func aWindowComesWithTheSound() throws {
        #expect(try print("blend", "source=clip.mkv", "sink=window").contains(" ! autoaudiosink"))
    }

    @Test func aLoopHasItsSound() throws {
        try Program.shell(
            print("blend", "source=clip.mkv,loop", "sink=out.mp4", "frames=180"), in: folder.path, limit: 60
        ).expectSuccess("recording")
        let heard = ticks(try samples(of: "out.mp4"))
        let once = ticks(try samples(of: "clip.mkv"))
        let expected = once + once.map { $0 + 3 }
        #expect(heard.count == expected.count, "\(heard)")
        // An AAC encoder has a delay of 1024 samples.
        #expect(zip(heard, expected).allSatisfy { abs($0 - $1) < 0.025 }, "\(heard)")
    }

    /// The amplitude of a tone in 0.2 s of sound, by the algorithm of Goertzel.
    private func amplitude(_ frequency: Double, _ samples: [Int16], at time: Double) -> Double {
        let part = samples.dropFirst(Int(time * 48000)).prefix(9600)
        let step = 2 * cos(2 * .pi * frequency / 48000)
        var (last, before) = (0.0, 0.0)
        for sample in part { (last, before) = (Double(sample) / 32768 + step * last - before, last) }
        let power = last * last + before * before - step * last * before
        return 2 * max(0, power).squareRoot() / Double(max(1, part.count))
    }

    /// `loop`: ",loop" if both sources play in a loop.
    @Test(arguments: ["", ",loop"]) func theSoundOfTheSwitchFollowsTheImage(_ loop: String) throws {
        for (name, frequency) in [("a.mkv", 440), ("b.mkv", 1000)] {
            try Program.launch(
                "videotestsrc num-buffers=90 ! video/x-raw,format=I420,width=160,height=90,framerate=30/1"
                    + " ! x264enc tune=zerolatency ! m. audiotestsrc freq=\(frequency) volume=0.5 samplesperbuffer=1600"
                    + " num-buffers=90 ! audio/x-raw,rate=48000 ! flacenc ! m. matroskamux name=m"
                    + " ! filesink location=\(folder.path(name))"
            ).expectSuccess(name)
        }
        let words = [
            "switch", "source=a.mkv\(loop)", "source2=b.mkv\(loop)", "source3=none", "every=1s", "duration=200ms",
            "frames=84",
            "sink=out.mp4",
        ]
        let outcome = try Program.run([Repository.root + "/launch"] + words + ["--print"], in: folder.path)
        outcome.expectSuccess("\(words)")
        // On a slow machine, svswitch would switch to another input if a file opens late.
        let line = outcome.output.replacingOccurrences(of: "svswitch ", with: "svswitch timeout=60000000000 ")
        try Program.shell(line, in: folder.path, limit: 60).expectSuccess("recording")
        let samples = try samples(of: "out.mp4")
        // The transitions begin after 1 s and after 2.2 s. Sound can be ahead of the image by some 100 ms.
        for (time, tones) in [(0.4, (0.5, 0.0)), (1.6, (0.0, 0.5)), (2.55, (0.5, 0.0))] {
            #expect(abs(amplitude(440, samples, at: time) - tones.0) < 0.05, "440 Hz at \(time) s")
            #expect(abs(amplitude(1000, samples, at: time) - tones.1) < 0.05, "1000 Hz at \(time) s")
        }
        #expect(try Playback(of: folder.path("out.mp4")).count == 84)
    }

    @Test func soundIsLeftOutWhereItIsNotWantedOrThereIsNone() throws {
        #expect(try !print("blend", "source=clip.mkv", "sink=out.mp4", "sound=no").contains("audio"))
        #expect(try !print("blend", "source=clip.mkv", "sink=out.png").contains("audio"))
        #expect(try !print("blend", "source=clip.mkv", "sink=null").contains("audio"))
        #expect(try !print("blend", "sink=out.mp4").contains("audio"))
        #expect(try !print("blend-live", "source2=clip.mkv", "sink=out.mp4").contains("audio"))
        try Program.launch(
            "videotestsrc num-buffers=9 ! x264enc ! matroskamux ! filesink location=\(folder.path("mute.mkv"))"
        )
        .expectSuccess("a clip without sound")
        try Program.shell(print("blend", "source=mute.mkv", "sink=out.mp4"), in: folder.path).expectSuccess("recording")
        #expect(try Playback(of: folder.path("out.mp4")).count == 9)
    }

    // MARK: - Sizes

    @Test(arguments: ["mp4", "mov", "mkv", "webm"]) func oddSizesAreNotRecorded(_ ending: String) throws {
        for (size, better) in [("101x33", "102x34"), ("100x33", "100x34"), ("101x34", "102x34")] {
            let outcome = try Program.run(
                [Repository.root + "/launch", "blend", "size=\(size)", "sink=out.\(ending)", "--print"], in: folder.path
            )
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("size=\(size)") && outcome.errors.contains(better), "\(outcome.errors)")
        }
        #expect(try print("blend", "size=101x33", "sink=out.png").contains("width=101,height=33"))
        #expect(try print("blend", "size=102x34", "sink=out.\(ending)").contains("width=102,height=34"))
    }

    @Test func aSourceOfAnOddSizeIsSaidToShrink() throws {
        try Program.launch(
            "videotestsrc num-buffers=1 ! video/x-raw,width=101,height=33 ! pngenc ! filesink location=\(folder.path("odd.png"))"
        ).expectSuccess("a picture")
        let outcome = try Program.run(
            [Repository.root + "/launch", "blend", "source=odd.png", "sink=out.mp4", "frames=2", "--print"],
            in: folder.path)
        outcome.expectSuccess("odd.png")
        #expect(outcome.errors.contains("source=odd.png is 101x33, but a recording needs an even width and height"))
    }
}
