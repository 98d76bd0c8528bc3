// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests how often `launch` converts or scales whole frames. Many pipelines contain elements for this, but most of
/// these elements have nothing to do. The tests count only elements that convert or scale.
@Suite struct ConversionTests {
    private let folder: ScratchFolder

    init() throws {
        try Repository.requirePlugin()
        folder = try ScratchFolder()
    }

    /// Runs a pipeline.
    /// - Returns: the names of the elements and mixer inputs that have converted or scaled frames.
    private func converters(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Set<String> {
        let outcome = try Program.shell(
            line, in: folder.path, environment: Outcome.reportsConverters, limit: 60)
        outcome.expectSuccess(line, sourceLocation: sourceLocation)
        return outcome.converters
    }

    private func printed(_ words: [String]) throws -> String {
        let outcome = try Program.run([Repository.root + "/launch"] + words + ["--print"], in: folder.path)
        outcome.expectSuccess("\(words)")
        return outcome.output
    }

    private func record(_ name: String, _ words: String = "video/x-raw,format=I420", encoder: String = "x264enc") throws
    {
        try Self.record(name, words, encoder: encoder, in: folder)
    }

    private static func record(
        _ name: String, _ words: String = "video/x-raw,format=I420", encoder: String = "x264enc",
        in folder: ScratchFolder
    ) throws {
        let muxer = name.hasSuffix(".mp4") ? "mp4mux" : "matroskamux"
        try Program.launch(
            "videotestsrc num-buffers=12 ! \(words),width=320,height=180,framerate=30/1 ! \(encoder) ! \(muxer)"
                + " ! filesink location=\(folder.path(name))"
        ).expectSuccess(name)
    }

    /// A folder with film.mp4. It is created only once.
    private static let films = Result<ScratchFolder, any Error> {
        let folder = try ScratchFolder.lasting()
        try record("film.mp4", in: folder)
        return folder
    }

    private func linkFilm() throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("film.mp4"), withDestinationPath: Self.films.get().path("film.mp4"))
    }

    @Test func whatConvertsIsCounted() throws {
        let source = "gst-launch-1.0 -q videotestsrc num-buffers=2 ! video/x-raw,format=NV12,width=64,height=48"
        #expect(try converters(source + " ! videoconvert ! videoscale ! fakesink").isEmpty)
        let both = source + " ! videoconvert ! video/x-raw,format=BGRx ! videoscale ! video/x-raw,width=32 ! fakesink"
        #expect(try converters(both) == ["videoconvert0", "videoscale0"])
        let mixer = source + " ! compositor name=m ! video/x-raw,format=BGRx ! fakesink"
        #expect(try converters(mixer) == ["m:sink_0"])
    }

    /// Runs all pipelines from a clip to a recording. LaunchTests runs all pipelines from drawn frames to no output.
    @Test(arguments: Repository.pipelines) func nothingIsConverted(_ name: String) throws {
        try linkFilm()
        var words = [name, "source=film.mp4", "sink=result.mp4", "frames=3"]
        // The network may not be installed.
        if name.hasPrefix("privacy") { words.append("detector=cascade") }
        // This pipeline scales its inputs to the size of the result. Here, they already have this size.
        if name == "green-screen" { words += ["size=320x180", "width=320", "height=180"] }
        // On a busy machine, the decoder can need more time for its first frame than svswitch waits.
        let line = try printed(words).replacing("svswitch ", with: "svswitch timeout=60000000000 ")
        let found = try converters(line)
        #expect(found.isEmpty, "\(words): \(found)")
    }

    /// A source, a sink, the number of elements that convert, and the reason.
    struct Expectation: CustomTestStringConvertible, Sendable {
        let source: String
        let sink: String
        let count: Int
        let why: String
        init(_ source: String, _ sink: String, _ count: Int, _ why: String) {
            (self.source, self.sink, self.count, self.why) = (source, sink, count, why)
        }
        var testDescription: String { "\(source) to \(sink): \(count), \(why)" }
    }

    static let files = [
        Expectation("test", "result.webm", 0, "VP8 takes what is drawn"),
        Expectation("test", "result.png", 0, "what is drawn for a PNG is drawn in RGB"),
        Expectation("film.mp4", "result.webm", 0, "VP8 takes what H.264 decodes to"),
        Expectation("film.mp4", "result.png", 1, "PNG has no YUV"),
        Expectation("turned.mp4", "result.mp4", 0, "videoflip turns YUV"),
        Expectation("full.mkv", "null", 0, "svblend works in 4:2:2"),
        Expectation("full.mkv", "result.mp4", 1, "a recording that every player plays is 4:2:0"),
        Expectation("picture.png", "null", 0, "svblend works in RGB"),
        Expectation("picture.png", "result.png", 0, "PNG is RGB"),
        Expectation("picture.png", "result.mp4", 1, "H.264 is YUV; the picture becomes so once, before it is repeated"),
    ]

    @Test(arguments: files) func filesAreConvertedWhereTheyMust(_ expected: Expectation) throws {
        switch expected.source {
        case "film.mp4": try linkFilm()
        case "turned.mp4":
            try linkFilm()
            try turn("film.mp4", to: "turned.mp4")
        case "full.mkv": try record("full.mkv", "video/x-raw,format=Y42B")
        case "picture.png":
            try FileManager.default.copyItem(atPath: Repository.foreground, toPath: folder.path("picture.png"))
        default: break
        }
        let line = try printed(["camera", "source=\(expected.source)", "sink=\(expected.sink)", "frames=3"])
        let found = try converters(line)
        #expect(found.count == expected.count, "\(expected.testDescription): \(found)")
        if expected.source == "picture.png" { #expect(found.isSubset(of: ["videoconvert0"])) }
        if expected.source == "turned.mp4" { #expect(line.contains(" ! videoflip ")) }
    }

    /// Writes a copy of an MP4 file whose frames must be rotated by 90°. The matrix in the `tkhd` box says this
    /// (ISO/IEC 14496-12, 8.3.2).
    private func turn(_ name: String, to turned: String) throws {
        var data = try #require(FileManager.default.contents(atPath: folder.path(name)))
        let box = try #require(data.range(of: Data("tkhd".utf8)))
        let matrix: [UInt32] = [0, 0x10000, 0, 0xFFFF_0000, 0, 0, 180 << 16, 0, 0x4000_0000]
        let bytes = matrix.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        // Version 0 of the box: flags, two times, a number, a reserved field, a duration, two reserved fields, and four
        // short numbers.
        let start = box.upperBound + 4 + 5 * 4 + 2 * 4 + 4 * 2
        data.replaceSubrange(start..<start + bytes.count, with: bytes)
        try data.write(to: URL(fileURLWithPath: folder.path(turned)))
    }

    static let cameras = [
        Expectation("NV12", "null", 0, "svblend works in it"),
        Expectation("NV12", "result.mp4", 0, "svblend works in it, H.264 takes it"),
        Expectation("YUY2", "null", 0, "svblend works in it"),
        Expectation("YUY2", "result.mp4", 1, "a recording that every player plays is 4:2:0"),
        Expectation("MJPEG", "null", 0, "JPEG decodes to I420"),
        Expectation("MJPEG", "result.mp4", 0, "JPEG decodes to I420"),
    ]

    /// The camera is a test pattern in the format of a camera.
    @Test(arguments: cameras) func camerasAreConvertedWhereTheyMust(_ expected: Expectation) throws {
        let words = ["camera", "source=webcam", "sink=\(expected.sink)", "size=320x180"]
        let format = expected.source == "MJPEG" ? "I420" : expected.source
        let camera =
            "videotestsrc num-buffers=12 ! video/x-raw,format=\(format),width=320,height=180,framerate=30/1"
            + (expected.source == "MJPEG" ? " ! jpegenc" : "")
        let line = try printed(words).replacing(#/v4l2src device=\S+/#, with: camera)
        #expect(line.contains(camera))
        let found = try converters(line)
        #expect(found.count == expected.count, "\(expected.testDescription): \(found)")
    }

    /// If a window accepts only one format, frames are drawn in this format.
    @Test(arguments: ["BGRx", "YUY2", "I420"]) func windowsGetTheirFormat(_ format: String) throws {
        // Streams for svmixer have alpha, which svmixer can blend over YUV without a conversion.
        let mixed = format == "BGRx" ? [] : ["blend-live"]
        for name in ["camera", "blend", "faces", "filters"] + mixed {
            let window = "video/x-raw,format=\(format) ! fakesink"
            let line = try printed([name, "source=test", "sink=window", "size=320x180", "frames=3"])
                .replacing("autovideosink", with: window)
            #expect(line.contains(window))
            #expect(try converters(line).isEmpty, "\(name)")
        }
    }
}

extension Outcome {
    /// The environment in which GStreamer reports converters.
    static let reportsConverters = ["GST_DEBUG": "GST_PERFORMANCE:5,videoaggregator:5"]

    /// The names of the elements and mixer inputs that have converted or scaled frames, from the messages of GStreamer.
    /// The elements that read an image inside of this project's elements have other names.
    var converters: Set<String> {
        let messages = errors.matches(
            of: #/<(video(?:convert|scale)\d+|\w+:\w+)> (?:setup videoscaling|This pad will be converted)/#)
        return Set(messages.map { String($0.1) })
    }
}
