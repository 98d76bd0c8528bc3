// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import TestSupport
import Testing

/// Tests of keying in svblend and svswitch. The tests of the blender test the formula.
@Suite("keying: svblend and svswitch")
struct KeyingTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static let wall = Color(red: 20, green: 180, blue: 70)
    private static let red = Color(red: 190, green: 60, blue: 50)

    /// A red box in front of a wall.
    private func presenter(_ format: PixelFormat, alpha: UInt8 = 255) -> TestFrame {
        TestFrame(format, 32, 16) { x, y in
            let color = (12..<20).contains(x) && y >= 4 ? Self.red : Self.wall
            return Color(color.red, color.green, color.blue, opacity: Double(alpha) / 255).pixel(format)
        }
    }

    private func expect(_ color: Color, _ wanted: Color, within limit: Double = 1, _ what: String = "") {
        for (found, level) in [
            (color.red, wanted.red), (color.green, wanted.green), (color.blue, wanted.blue),
        ] { #expect(abs(found - level) <= limit, "\(what): \(color), not \(wanted)") }
    }

    // MARK: - svblend

    @Test("svblend: the wall shows the stream, in every format", arguments: PixelFormat.all, ["key-auto", "key-color"])
    func blend(_ format: PixelFormat, _ property: String) throws {
        let path = try folder.write(presenter(.rgb), "p.png")
        let background = TestFrame(format, 32, 16, color: Color(red: 90, green: 90, blue: 90))
        let key = (property, property == "key-auto" ? "true" : "0xff14b446")
        let harness = try blendHarness([("location", path), ("keying", "chroma"), key], like: background)
        let result = try harness.process(background)
        #expect(result[3, 3] == background[3, 3] && result[30, 15] == background[30, 15])
        let box = format.isGray ? Color(gray: 98) : Self.red
        expect(Color(result.color(15, 10).red, result.color(15, 10).green, result.color(15, 10).blue), box, within: 2)
        // The change applies immediately, without a new foreground.
        harness.element.set("keying", "none")
        #expect(try harness.process(background)[3, 3] != background[3, 3])
        harness.element.set("keying", "chroma")
        #expect(try harness.process(background) == result)
    }

    @Test("svblend: over YUV, too", arguments: [FrameFormat.nv12, .yuy2, .y444] + FrameFormat.deep)
    func blendYUV(_ format: FrameFormat) throws {
        let path = try folder.write(presenter(.rgb), "p.png")
        let background = TestFrame(.bgra, 32, 16, color: Color(red: 90, green: 90, blue: 90))
        let line = try pipeline(
            "appsrc name=in format=time caps=\(background.caps()) ! videoconvert ! video/x-raw,format=\(format.name) "
                + "! svblend location=\(path) keying=chroma key-auto=true ! videoconvert ! video/x-raw,format=BGRA "
                + "! appsink name=out sync=false")
        try line.play()
        try line.push(background, into: "in", at: 0)
        let shown = try #require(try line.pull()).frame
        try line.end("in")
        expect(shown.color(3, 3), Color(gray: 90), within: 3, format.name)
        expect(shown.color(15, 10), Self.red, within: 7, format.name)
    }

    @Test("svblend: luma, and alpha and matte multiply")
    func blendLuma() throws {
        let foreground = TestFrame(.bgra, 16, 4) { x, _ in
            Color(gray: x < 8 ? 0 : 255, alpha: x % 2 == 0 ? 255 : 0).pixel(.bgra)
        }
        let path = try folder.write(foreground, "f.png")
        let background = TestFrame(.bgrx, 16, 4, color: Color(gray: 100))
        let result = try blendHarness([("location", path), ("keying", "luma")], like: background).process(background)
        for x in 0..<16 { #expect(result.color(x, 2).red == (x >= 8 && x % 2 == 0 ? 255 : 100), "\(x)") }
    }

    @Test("svblend and svswitch: choke moves the edges of the matte inwards, in every format")
    func choke() throws {
        let path = try folder.write(presenter(.rgb), "p.png")
        let background = TestFrame(.bgra, 32, 16, color: Color(gray: 90))
        let properties = [("location", path), ("keying", "chroma"), ("key-auto", "true"), ("choke", "2")]
        let result = try blendHarness(properties, like: background).process(background)
        // The box begins at column 12 and row 4, and ends at column 20 and at the border of the image.
        for (x, y, isVisible) in [
            (13, 10, false), (14, 10, true), (17, 10, true), (18, 10, false), (16, 5, false), (16, 6, true),
            (16, 15, true),
        ] {
            expect(result.color(x, y), isVisible ? Self.red : Color(gray: 90), within: 2, "\(x), \(y)")
        }
        for format in ["BGRA", "xRGB", "Y444", "I420"] {
            let frame = try shown(
                format, "background-color=0xff5a5a5a sink_0::choke=2", input: presenter(.bgrx))
            expect(frame.color(13, 10), Color(gray: 90), within: 6, format)
            expect(frame.color(16, 12), Self.red, within: 7, format)
        }
        let clear = try shown("BGRA", "background-color=0 sink_0::choke=3", input: presenter(.bgra))
        #expect(clear.color(14, 10).alpha == 0 && clear.color(16, 12).alpha == 255)
    }

    // MARK: - svswitch

    private func shown(
        _ format: String, _ properties: String, input: TestFrame, output: PixelFormat = .bgra
    ) throws -> TestFrame {
        let line = try pipeline(
            "svswitch name=s \(properties) sink_0::keying=chroma sink_0::key-auto=true ! video/x-raw,format=\(format) "
                + "! videoconvert ! video/x-raw,format=\(output.name) ! appsink name=out sync=false "
                + "appsrc name=in format=time caps=\(input.caps()) ! videoconvert ! s.sink_0")
        try line.play()
        try line.push(input, into: "in", at: 0, duration: 40_000_000)
        try line.end("in")
        return try #require(try line.pullAll().first).frame
    }

    @Test(
        "svswitch: the wall shows the background's colour",
        arguments: ["BGRA", "xRGB", "RGB", "NV12", "I420", "YUY2", "Y444", "I420_10LE"])
    func colored(_ format: String) throws {
        let frame = try shown(format, "background-color=0xff2040a0", input: presenter(.bgrx))
        expect(frame.color(3, 3), Color(red: 32, green: 64, blue: 160), within: 5, format)
        expect(frame.color(15, 10), Self.red, within: 7, format)
        #expect(frame.color(3, 3).opacity == 1)
    }

    @Test("svswitch: over a transparent colour it is transparent where the output has alpha", arguments: [255, 128])
    func transparent(_ alpha: UInt8) throws {
        let input = presenter(.bgra, alpha: alpha)
        for (format, output) in [("BGRA", PixelFormat.bgra), ("ARGB", .argb)] {
            let frame = try shown(format, "background-color=0", input: input, output: output)
            #expect(frame.color(3, 3).alpha == 0 && frame.color(30, 2).alpha == 0)
            #expect(frame.color(15, 10).alpha == alpha)
            expect(frame.color(15, 10), Self.red, within: 1)
        }
        // Half of a colour is over half of another colour.
        let frame = try shown("BGRA", "background-color=0x80ffffff", input: input)
        #expect(frame.color(3, 3).argb == 0x80FF_FFFF)
        #expect(abs(Int(frame.color(15, 10).alpha) - (alpha == 255 ? 255 : 192)) <= 1)
    }

    @Test("svswitch: keyed in the middle of a transition, too")
    func transition() throws {
        let other = TestFrame(.bgra, 32, 16, color: Color(red: 10, green: 10, blue: 210))
        let sources = (0...1).map {
            "appsrc name=in\($0) format=time caps=\(other.caps()) ! s.sink_\($0)"
        }
        let line = try pipeline(
            "svswitch name=s every=80000000 duration=400000000 easing=linear sink_0::keying=chroma "
                + "sink_0::key-auto=true ! video/x-raw,format=BGRA ! appsink name=out sync=false "
                + sources.joined(separator: " "))
        try line.play()
        for (index, frame) in [presenter(.bgra), other].enumerated() {
            for number in 0..<12 {
                try line.push(frame, into: "in\(index)", at: UInt64(number) * 40_000_000, duration: 40_000_000)
            }
            try line.end("in\(index)")
        }
        let frames = try line.pullAll().map(\.frame)
        #expect(frames.count == 12)
        // The colours change from black to blue and are never green.
        #expect(frames.first?.color(3, 3).argb == 0xFF00_0000)
        #expect(frames.contains { (60...150).contains($0.color(3, 3).blue) })
        #expect(frames.allSatisfy { $0.color(3, 3).green <= 12 })
    }
}
