// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests with realistic files: truncated files, and files with unusual formats, rates, sizes and names.
@Suite struct RealInputTests {
    enum Expectation: Sendable {
        /// The file plays. The number of frames is in this range, and a recording has this size.
        case plays(ClosedRange<Int>, size: String = "64x48")
        /// `launch` ends with status 2 and prints a line with this text.
        case refused(String)
    }

    struct Input: CustomTestStringConvertible, Sendable {
        let name: String
        /// A shell command that creates the file "$1".
        let recipe: String
        let expected: Expectation

        init(_ name: String, _ recipe: String, _ expected: Expectation) {
            (self.name, self.recipe, self.expected) = (name, recipe, expected)
        }

        var testDescription: String { name }
    }

    /// Returns a command that records test frames.
    private static func video(
        _ rest: String, count: Int = 12, caps: String = "width=64,height=48,framerate=25/1", source: String = ""
    ) -> String {
        "gst-launch-1.0 -q videotestsrc num-buffers=\(count) \(source) ! video/x-raw,\(caps) ! \(rest)"
            + " ! filesink location=\"$1\""
    }

    private static let mp4 = video("x264enc ! mp4mux")

    static let inputs = [
        Input("b-frames.mp4", mp4, .plays(12...12)),
        Input(
            "10-bit.mkv", video("x264enc ! matroskamux", caps: "format=I420_10LE,width=64,height=48"), .plays(12...12)),
        Input("4-4-4.mkv", video("x264enc ! matroskamux", caps: "format=Y444,width=64,height=48"), .plays(12...12)),
        Input(
            "anamorphic.mp4", video("x264enc ! mp4mux", caps: "width=64,height=48,pixel-aspect-ratio=16/11"),
            .plays(12...12)),
        Input("odd size.webm", video("vp8enc ! webmmux", caps: "width=65,height=49"), .plays(12...12)),
        Input(
            "slow.webm", video("vp8enc ! webmmux", count: 2, caps: "width=64,height=48,framerate=1/2"), .plays(2...2)),
        Input(
            "begins late.mkv", video("vp8enc ! matroskamux", source: "timestamp-offset=10000000000"), .plays(12...12)),
        Input(
            "no container.h264", video("x264enc ! h264parse ! video/x-h264,stream-format=byte-stream"), .plays(12...12)),
        Input("raw.y4m", video("y4menc", caps: "format=I420,width=64,height=48"), .plays(12...12)),
        Input(
            "two videos.mkv",
            "gst-launch-1.0 -q videotestsrc num-buffers=12 ! video/x-raw,width=64,height=48 ! vp8enc ! m. "
                + "videotestsrc num-buffers=12 ! video/x-raw,width=64,height=48 ! vp8enc ! m. "
                + "matroskamux name=m ! filesink location=\"$1\"", .plays(12...12)),
        // The file starts within a group of frames, as if a receiver is switched on.
        Input(
            "starts anywhere.ts",
            video("x264enc key-int-max=10 ! mpegtsmux ! filesink location=whole.ts", count: 60)
                .replacing(" ! filesink location=\"$1\"", with: "") + " && tail -c +20000 whole.ts >\"$1\"",
            .plays(10...59)),
        Input(
            "ends anywhere.mkv",
            video("vp8enc keyframe-max-dist=5 ! matroskamux", count: 50)
                .replacing("\"$1\"", with: "whole.mkv")
                + " && head -c $(($(stat -c %s whole.mkv) * 3 / 5)) whole.mkv >\"$1\"",
            .plays(10...49)),
        Input("dot.png", video("pngenc", count: 1, caps: "width=1,height=1"), .plays(20...20, size: "2x2")),
        Input("strip.png", video("pngenc", count: 1, caps: "width=5000,height=2"), .plays(20...20, size: "5000x2")),
        Input("a \"b\" !c$d;.mp4", mp4, .plays(12...12)),
        Input("-o=x.mp4", mp4, .plays(12...12)),
        Input("\u{202E}größe.mp4", mp4, .plays(12...12)),
        Input("no index.mp4", mp4 + " && truncate -s 900 \"$1\"", .refused("GStreamer cannot decode")),
        Input("empty.mp4", ": >\"$1\"", .refused("is empty")),
        Input("page.png", "echo '<html></html>' >\"$1\"", .refused("is a text file")),
        Input(
            "sound.wav", "gst-launch-1.0 -q audiotestsrc num-buffers=20 ! wavenc ! filesink location=\"$1\"",
            .refused("contains only sound")),
        Input("a folder", "mkdir \"$1\"", .refused("is not a file")),
    ]

    @Test(arguments: inputs) func aFilePlaysOrIsRefusedInALine(_ input: Input) throws {
        try Repository.requirePlugin()
        let folder = try ScratchFolder()
        try Program.run(["bash", "-c", input.recipe, "recipe", "./" + input.name], in: folder.path)
            .expectSuccess(input.recipe)
        let outcome = try Program.run(
            [Repository.root + "/launch", "blend", "source=\(input.name)", "sink=out.mkv", "frames=20"], in: folder.path
        )
        switch input.expected {
        case .refused(let text):
            #expect(outcome.status == 2 && outcome.errorLines.count == 1, "\(outcome.errors)")
            #expect(outcome.errors.contains(text), "\(outcome.errors)")
        case .plays(let counts, let size):
            outcome.expectSuccess(input.name)
            let most = min(20, counts.upperBound)
            let played = try Program.decode(
                "filesrc location=out.mkv ! decodebin ! video/x-raw ! fakesink silent=false sync=false",
                options: ["-v"],
                in: folder.path)
            played.expectSuccess("playing the recording")
            let count = played.output.matches(of: #/last-message = chain /#).count
            #expect((min(counts.lowerBound, most)...most).contains(count), "\(count) frames")
            let sides = size.split(separator: "x")
            #expect(played.output.contains("width=(int)\(sides[0]), height=(int)\(sides[1])"), "\(size)")
        }
    }

    /// GStreamer's pipeline descriptions must be UTF-8.
    @Test func aNameThatIsNotUTF8IsRefusedInALine() throws {
        let folder = try ScratchFolder()
        let outcome = try Program.shell(
            "name=$'caf\\xe9.mp4'; echo >\"$name\"; exec \(Repository.root)/launch blend \"source=$name\" sink=out.mkv",
            in: folder.path)
        #expect(outcome.status == 2 && outcome.errorLines.count == 1)
        #expect(outcome.errors.contains("caf") && outcome.errors.contains("is not UTF-8"), "\(outcome.errors)")
    }
}
