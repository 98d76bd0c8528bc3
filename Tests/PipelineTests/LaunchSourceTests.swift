// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests that the content of a `source=` file decides how it is played, not its name.
@Suite struct LaunchSourceTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func launch(_ words: String...) throws -> Outcome {
        try Program.run([Repository.root + "/launch"] + words + ["--print"], in: folder.path)
    }

    /// Prints a pipeline, and then runs it to record a file.
    private func record(_ source: String, _ words: String...) throws -> (
        line: String, notes: String, playback: Playback
    ) {
        let printed = try Program.run(
            [Repository.root + "/launch", "filters", "source=\(source)", "filters=gamma", "sink=out.mkv", "--print"]
                + words, in: folder.path)
        printed.expectSuccess(source)
        let outcome = try Program.shell(printed.output, in: folder.path)
        outcome.expectSuccess(printed.output)
        #expect(outcome.complaints.isEmpty, "\(outcome.errors)")
        return (printed.output, printed.errors, try Playback(of: folder.path("out.mkv")))
    }

    private func make(_ name: String, _ description: String) throws {
        try Program.launch("\(description) ! filesink location=\(folder.path(name))").expectSuccess(name)
    }

    private func write(_ base64: String, to name: String) throws {
        let data = try #require(Data(base64Encoded: base64, options: .ignoreUnknownCharacters))
        try data.write(to: URL(fileURLWithPath: folder.path(name)))
    }

    /// Writes a GIF with uncompressed frames. Each frame has one grey level. `delays` are the durations in hundredths
    /// of a second.
    private func writeGIF(_ name: String, delays: [UInt8], side: Int = 32) throws {
        var bytes = Array("GIF89a".utf8) + [UInt8(side), 0, UInt8(side), 0, 0xF6, 0, 0]
        for shade in 0..<128 { bytes += [UInt8](repeating: UInt8(2 * shade), count: 3) }
        for (index, delay) in delays.enumerated() {
            bytes += [0x21, 0xF9, 4, 0, delay, 0, 0, 0, 0x2C, 0, 0, 0, 0, UInt8(side), 0, UInt8(side), 0, 0, 7]
            // Codes have eight bits. A clear code comes before every 64 pixels, so that the codes do not get longer.
            for start in stride(from: 0, to: side * side, by: 64) {
                let count = min(64, side * side - start)
                bytes += [UInt8(count + 1), 128] + [UInt8](repeating: UInt8(20 * index % 128), count: count)
            }
            bytes += [1, 129, 0]
        }
        try Data(bytes + [0x3B]).write(to: URL(fileURLWithPath: folder.path(name)))
    }

    // MARK: - Animated pictures

    @Test(arguments: [2, 3, 7, 70]) func anAnimatedGIFMovesToItsEnd(_ count: Int) throws {
        try writeGIF("moving.gif", delays: [UInt8](repeating: 10, count: count))
        let (line, notes, playback) = try record("moving.gif")
        #expect(!line.contains("imagefreeze") && notes.isEmpty, "\(notes)")
        #expect(playback.count == count)
        #expect(abs(playback.duration - Double(count) / 10) < 0.01)
    }

    @Test func theFramesOfAGIFAreSpreadOverItsTime() throws {
        // A frame without a duration lasts 100 ms.
        try writeGIF("moving.gif", delays: [20, 0, 10, 20])
        let (_, _, playback) = try record("moving.gif")
        #expect(playback.count == 4)
        #expect(abs(playback.duration - 0.6) < 0.01)
        #expect(try record("moving.gif", "frames=2").playback.count == 2)
    }

    /// In memory, the rows of such frames may have padding.
    @Test func aGIFOfAnOddSizeKeepsItsTime() throws {
        try writeGIF("moving.gif", delays: [10, 10, 10], side: 41)
        let playback = try record("moving.gif").playback
        #expect(playback.count == 3 && abs(playback.duration - 0.3) < 0.01)
    }

    @Test func twoGIFsAreMixed() throws {
        try writeGIF("a.gif", delays: [10, 10, 10])
        try writeGIF("b.gif", delays: [10, 10, 10])
        let printed = try launch("blend-live", "source=a.gif", "source2=b.gif", "sink=out.mkv")
        try Program.shell(printed.output, in: folder.path).expectSuccess(printed.output)
        #expect(try Playback(of: folder.path("out.mkv")).count == 3)
    }

    @Test func aGIFOfOneFrameIsAStill() throws {
        try writeGIF("still.gif", delays: [10])
        let (line, notes, playback) = try record("still.gif", "frames=40")
        #expect(line.contains("imagefreeze") && notes.isEmpty)
        #expect(playback.count == 40)
    }

    @Test func ofAnAnimatedPNGTheFirstFrameIsShownAndANoteSaysSo() throws {
        try write(Self.animatedPNG, to: "moving.png")
        let (line, notes, playback) = try record("moving.png", "frames=3")
        #expect(line.contains("imagefreeze") && playback.count == 3)
        #expect(notes.contains("source=moving.png is animated, but GStreamer decodes only its first frame"))
    }

    @Test func anAnimatedWebPIsRefusedInALine() throws {
        try write(Self.animatedWebP, to: "moving.webp")
        let outcome = try launch("blend", "source=moving.webp", "sink=out.mkv")
        if outcome.status == 0 { return }  // This GStreamer can decode the file.
        #expect(outcome.status == 2 && outcome.errorLines.count == 1)
        #expect(outcome.errors.contains("source=moving.webp is an animated image that GStreamer cannot decode"))
    }

    // MARK: - Names that mislead

    @Test(arguments: [
        ("picture.mp4", "pngenc"), ("picture", "jpegenc"), ("picture.webm", "jpegenc"), ("picture.jpg", "pngenc"),
    ])
    func aPictureOfAnyNameIsAStill(_ name: String, _ encoder: String) throws {
        try make(name, "videotestsrc num-buffers=1 ! video/x-raw,width=64,height=48 ! videoconvert ! \(encoder)")
        let (line, _, playback) = try record(name, "frames=20")
        #expect(line.contains("imagefreeze") && line.contains("jpegparse") == (encoder == "jpegenc"))
        #expect(playback.count == 20)
    }

    @Test(arguments: ["film.png", "film", "film.jpg"]) func aVideoOfAnyNameMoves(_ name: String) throws {
        try make(
            name, "videotestsrc num-buffers=12 ! video/x-raw,width=64,height=48,framerate=10/1 ! jpegenc ! avimux")
        let (line, notes, playback) = try record(name)
        #expect(!line.contains("imagefreeze") && notes.isEmpty)
        #expect(playback.count == 12)
    }

    @Test(arguments: [("", 25.0), ("fps=10", 10)]) func aStreamOfJPEGsMoves(_ key: String, _ rate: Double) throws {
        try make("film.jpg", "videotestsrc num-buffers=20 ! video/x-raw,width=64,height=48 ! jpegenc")
        let (line, notes, playback) = try key.isEmpty ? record("film.jpg") : record("film.jpg", key)
        #expect(!line.contains("imagefreeze"))
        #expect(playback.count == 20 && abs(playback.duration - 20 / rate) < 0.01)
        #expect(notes.contains("plays at 25 frames per second. To set another rate: fps=N") == key.isEmpty, "\(notes)")
    }

    @Test func aLongTextIsCalledAText() throws {
        try String(repeating: "This is not a film.\n", count: 2000)
            .write(toFile: folder.path("notes.mp4"), atomically: false, encoding: .utf8)
        let outcome = try launch("blend", "source=notes.mp4", "sink=null")
        #expect(outcome.status == 2 && outcome.errors.contains("is a text file"), "\(outcome.errors)")
    }

    // MARK: - Alpha

    @Test(arguments: ["VP8", "VP9"]) func aWebMWithAlphaPlays(_ codec: String) throws {
        try write(codec == "VP8" ? Self.vp8WithAlpha : Self.vp9WithAlpha, to: "alpha.webm")
        // GStreamer 1.26 sometimes drops the last of the three frames, also with stock elements only.
        #expect(2...3 ~= (try record("alpha.webm").playback.count))
    }

    /// The mixer shows the input below transparent pixels, even if the recording itself has no alpha.
    @Test func aPicturesAlphaReachesTheMixer() throws {
        try make("green.png", "videotestsrc num-buffers=1 pattern=green ! video/x-raw,width=64,height=48 ! pngenc")
        try make(
            "clear.png",
            "videotestsrc num-buffers=1 pattern=solid-color foreground-color=0x00ff0000"
                + " ! video/x-raw,format=BGRA,width=64,height=48 ! videoconvert ! video/x-raw,format=RGBA ! pngenc")
        let printed = try launch(
            "blend-live", "source=green.png", "source2=clear.png", "mode=normal", "sink=out.mkv", "frames=2")
        try Program.shell(printed.output, in: folder.path).expectSuccess(printed.output)
        let first =
            "filesrc location=out.mkv ! decodebin ! videoconvert ! video/x-raw,format=RGB ! identity eos-after=2"
            + " ! filesink location=out.rgb"
        try Program.decode(first, in: folder.path).expectSuccess("a frame")
        let pixel = try #require(FileManager.default.contents(atPath: folder.path("out.rgb"))).prefix(3)
        #expect(pixel[0] < 60 && pixel[1] > 180 && pixel[2] < 60, "\(Array(pixel))")
    }

    // MARK: - Files

    /// Three VP8 frames of 16x16 with alpha.
    static let vp8WithAlpha = """
        GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZwEAAAAAAAQ9EU2bdLpNu4tTq4QVSalmU6yBoU27i1OrhBZUrmtTrIHG
        TbuMU6uEElTDZ1OsggEXTbuMU6uEHFO7a1OsggQn7AEAAAAAAABZAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVSalmoCrXsYMPQkBNgIRMYXZmV0GETGF2ZkSJiEBywAAA
        AAAAFlSua8yuAQAAAAAAAEPXgQFzxYgAAAAAAAAAAZyBACK1nIN1bmSIgQCGhVZfVlA4g4EBI+ODhAX14QDglLCBELqBEJqBAlPAgQFVsIRV
        uYEBElTDZ9Fzc85jwItjxYgAAAAAAAAAAWfImEWjh0VOQ09ERVJEh4tMYXZjIGxpYnZweGfIokWjiERVUkFUSU9ORIeUMDA6MDA6MDAuMzAw
        MDAwMDAwAAAfQ7Z1QrTngQCgQbmhQY2BAAAA8AwAnQEqEAAQAABHCIWFiIWEiAICAnViAfwB3CD8Jd4B/kG8QcAD+wHWA/qB/gP4D8AP8N/i
        TvA/g1+uWiz/CD9ksoz/GD8QNcB1AP+S/AH2Bf1X7AesB/i38R/rv5Gf2D//8oD+lfthlmGaYx7RMPD+/+35sv8gxlkNz88OrHW+qZSCBU0n
        9tlRdLCIAY+qNhn/7dHD/mm/MRVHQcbp//o5WqXlMvyX5iAnaxB7RHtv/xNUJ4ZevpP22vdf/Cp6at/X0GNP/Dx3jcNMIFqZ8BidHm8hBL/J
        J4OssBfdQS0qTkKhf9kEf3i2vyoQYCmgRZ7/llp7/Xb173/4//8hB6Jx3NZ+xymh/H/n//+JtGl1L7L76KhP7Q/dv//MRc8tQ9l2ynhpjnwP
        7V2r66/m4alrqRuuzplLk5wXuYBn/gpRR3Y8G9x//uqKL5pCkN9ghLK5HjdzO//8iOS5S7EmlX+i6wUJsiv1vyb7UWf//3iQoWn5BkTxU4tM
        plzvkpRuCoj6EKP/n80YdaGmpqTugQGlnxACAJ0BKhAAEAAARwiFhYiFhIgCAgAMDWAA/v+6gwCg/qHegQBkAFECAAEQEAAYDFGOwF1/eoP5
        wYygAMktYC5QYAFTV2N+P7d3Z2PZTpmY/SxQxbZeNaqs7L+jF9Guj5+l33vMeAnr4VFa5SGAA4e8+iBDOWf9ZK4EW9c1F3YwAHWhmKaW7oEB
        pZGxAQABEBAAGAAYWC/0AAgAAPuBnKDzodOBAMgAsQEAARAQABgAMCgv9AJdAJ5SP2bTAm3mPlT4fggA8A7J/NcYkyjox1K+ZItGhs/QMt+C
        HBKEXmgPX9KJ1oRA4WaDgqem1BjdcraQQLgAAHWhmKaW7oEBpZGxAQABEBAAGAAYWC/0AAgAAPuBnBxTu2uRu4+zgQC3iveBAfGCAW3wgQM=
        """

    /// The same frames in VP9.
    static let vp9WithAlpha = """
        GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZwEAAAAAAANdEU2bdLpNu4tTq4QVSalmU6yBoU27i1OrhBZUrmtTrIHG
        TbuMU6uEElTDZ1OsggEXTbuMU6uEHFO7a1OsggNH7AEAAAAAAABZAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVSalmoCrXsYMPQkBNgIRMYXZmV0GETGF2ZkSJiEBywAAA
        AAAAFlSua8yuAQAAAAAAAEPXgQFzxYgAAAAAAAAAAZyBACK1nIN1bmSIgQCGhVZfVlA5g4EBI+ODhAX14QDglLCBELqBEJqBAlPAgQFVsIRV
        uYEBElTDZ9Vzc9JjwItjxYgAAAAAAAAAAWfInEWjh0VOQ09ERVJEh49MYXZjIGxpYnZweC12cDlnyKJFo4hEVVJBVElPTkSHlDAwOjAwOjAw
        LjMwMDAwMDAwMAAAH0O2dUHQ54EAoEE+oUEUgQAAAIJJg0IAAPAA9gQ4JBwYQgAAICAAfis6KX//9VYLyaa7Ux1raFfRf00X4Ul9utVafL+C
        Yj/xJBM0/62wIAf98UGoNCv//3pEFJVmwu7czgfe/vP+SGtfKJvdCuXxD618DfT/5CSgHqKlbhFfpO3LX/b1gRpkwqQlr2lq5oTSv//qU2Sz
        cDfIARcZXqqXN//lltbZMhus7kH9Gn/mv/uxlcX3/B0OMmQ96eOf8DOf3YsB8/a0Ch2XIXNwkIFiYYNzEWbGL//mQDTbarOv3s8irpUT5Av/
        /anxvvCOHfTgW3iu3+xgZCOfP/PBfUaHtsOY7tKnjZQP3Pv+++Pz6tnQvJ0xrsP5jj0pIYeBv3amcLhgdaGkpqLugQGlnYJJg0IAAPAA9gA4
        JBwYQgAAMGAAABC///2/hAAAoMOhpYEAZACGAECSnAhJQAADAAAABB6MRXAKq84H8SohqJZbChPneQB1oZamlO6BAaWPhgBAkpwASUAAAyAA
        AEJA+4GcoMWhp4EAyACGAECSnAhKwAADAAAABBysq58S4UK/FineYodqBXQXdGBAAHWhlqaU7oEBpY+GAECSnABKwAADIAAAQkD7gZwcU7tr
        kbuPs4EAt4r3gQHxggFx8IED
        """

    /// Two frames of 8x8.
    static let animatedPNG = """
        iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAACXBIWXMAAAABAAAAAQBPJcTWAAAACGFjVEwAAAACAAAAAPONk3AAAAAaZmNU
        TAAAAAAAAAAIAAAACAAAAAAAAAAAAAEACgAA8k66YgAAAAxJREFUeJxjYBgeAAAAyAABrUB2IgAAABpmY1RMAAAAAQAAAAcAAAAIAAAAAQAA
        AAAAAQAKAADrLBm4AAAAJWZkQVQAAAACeJxjEGFg0GBgsGFgCGBgSGFgqGBg6GFgYBi0ogDh+xGBLl6b7gAAAABJRU5ErkJggg==
        """

    /// The same frames in WebP.
    static let animatedWebP = """
        UklGRq4AAABXRUJQVlA4WAoAAAACAAAABwAABwAAQU5JTQYAAAD/////AQBBTk1GMAAAAAAAAAAAAAcAAAcAAGQAAAJWUDggGAAAADABAJ0B
        KggACAACADQlpAADcAD++/1QAEFOTUZKAAAAAAAAAAAABwAABwAAZAAAAFZQOCAyAAAAtAEAnQEqCAAIAAAANCWoAnQA9IG1bgD+/nYnobmh
        OSD3D01dA/x9j//8TZ+X2P+sAAA=
        """
}
