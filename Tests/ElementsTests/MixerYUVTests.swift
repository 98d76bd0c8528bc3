// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("svmixer: YUV")
struct MixerYUVTests {
    private static let formats = FrameFormat.allYUV + FrameFormat.deep

    /// Converts one frame of each input to a format, and mixes the frames.
    private func mixed(
        _ properties: String, _ inputs: [(frame: TestFrame, format: String)], output: String = ""
    ) throws -> (plain: Buffer, shown: TestFrame) {
        let sources = inputs.enumerated().map { index, input in
            "appsrc name=in\(index) format=time caps=\(input.frame.caps()) ! videoconvert "
                + "! video/x-raw,format=\(input.format) ! mix.sink_\(index)"
        }
        let line = try pipeline(
            "svmixer name=mix \(properties) ! video/x-raw\(output) ! tee name=t ! queue ! videoconvert "
                + "! video/x-raw,format=BGRA ! appsink name=out sync=false "
                + "t. ! queue ! appsink name=plain sync=false " + sources.joined(separator: " "))
        try line.play()
        for (index, input) in inputs.enumerated() {
            try line.push(input.frame, into: "in\(index)", at: 0)
            try line.end("in\(index)")
        }
        let plain = try #require(try line.pullBuffer("plain")).buffer
        return (plain, try #require(try line.pull()).frame)
    }

    private func expectNear(_ color: Color, _ expected: [Double], _ what: String) {
        // videoconvert rounds down in both directions. This alone changes colours by up to 5 levels.
        for (found, wanted) in zip([color.red, color.green, color.blue], expected) {
            #expect(abs(found - wanted) <= 7, "\(what): \(color)")
        }
    }

    @Test("Colours are mixed as in RGB", arguments: formats)
    func colors(_ format: FrameFormat) throws {
        let below = TestFrame(.bgra, 33, 24, color: Color(red: 120, green: 90, blue: 150))
        let above = TestFrame(.bgra, 33, 24, color: Color(red: 200, green: 100, blue: 60))
        for (mode, expected) in [
            ("screen", [226.0, 155, 175]), ("normal", [200, 100, 60]), ("multiply", [94, 35, 35]),
            ("average", [160, 95, 105]),
        ] {
            for other in [format.name, "YUY2,colorimetry=bt709", "RGBA"] {
                let result = try mixed(
                    "sink_1::mode=\(mode) sink_1::xpos=3", [(below, format.name), (above, other)],
                    output: ",format=\(format.name)")
                expectNear(result.shown.color(20, 13), expected, "\(mode) of \(other)")
            }
        }
    }

    @Test(
        "Threads do not change a YUV picture",
        arguments: [("NV12", "screen"), ("YUY2", "hue"), ("I420", "normal"), ("I420_10LE", "multiply")])
    func threads(_ format: String, _ mode: String) throws {
        // The frames are large enough for several threads, and the position is odd.
        let inputs = [(TestFrame(.bgra, 800, 450, seed: 5), format), (TestFrame(.bgra, 800, 450, seed: 6), format)]
        func memory(_ properties: String) throws -> [UInt8] {
            let place = "sink_1::xpos=3 sink_1::ypos=1 sink_1::opacity=0.7"
            return try TestFrame.memory(of: mixed("\(properties) \(place)", inputs, output: ",format=\(format)").plain)
        }
        let results = try [1, 2, 3].map { try memory("threads=\($0) sink_1::mode=\(mode)") }
        #expect(results.allSatisfy { $0 == results[0] })
        #expect(try results[0] != memory("sink_1::mode=none"))
    }

    @Test("What is beside an input stays bit for bit", arguments: formats)
    func beside(_ format: FrameFormat) throws {
        let below = TestFrame(.bgra, 64, 48, seed: 77)
        let above = TestFrame(.bgra, 13, 9, color: Color(red: 200, green: 100, blue: 60))
        let inputs = [(below, format.name), (above, "BGRA")]
        let before = try TestFrame.memory(of: mixed("sink_1::mode=none", inputs).plain)
        for place in ["sink_1::xpos=21 sink_1::ypos=11", "sink_1::mode=multiply sink_1::xpos=20 sink_1::ypos=10"] {
            let after = try TestFrame.memory(of: mixed(place, inputs).plain)
            #expect(before.count == after.count)
            let changed = zip(before, after).count { $0 != $1 }
            // There are 117 pixels. Each has luma and up to 2 chroma samples with up to 2 bytes each. The edges add
            // some samples.
            #expect(changed > 100 && changed < 117 * 6)
        }
        let hidden = try TestFrame.memory(of: mixed("sink_1::opacity=0.001", inputs).plain)
        #expect(hidden == before)
    }

    @Test("Alpha lets what lies below through, in any format that has it", arguments: ["BGRA", "ARGB", "AYUV", "A420"])
    func alpha(_ format: String) throws {
        let below = TestFrame(.bgra, 40, 24, color: Color(red: 100, green: 100, blue: 100))
        let above = TestFrame(.bgra, 40, 24) { x, _ in
            Color(red: 200, green: 60, blue: 100, alpha: [0, 128, 255, 255][x / 10]).pixel(.bgra)
        }
        let result = try mixed("", [(below, "NV12"), (above, format)], output: ",format=NV12")
        for (x, expected) in [(4, [100.0, 100, 100]), (14, [150, 80, 100]), (34, [200, 60, 100])] {
            expectNear(result.shown.color(x, 11), expected, "\(format) at \(x)")
        }
        // The output can also be packed without alpha.
        for output in ["BGRx", "xRGB"] {
            let packed = try mixed("", [(below, "NV12"), (above, format)], output: ",format=\(output)")
            expectNear(packed.shown.color(14, 11), [150, 80, 100], output)
        }
    }

    @Test("Inputs of other sizes are scaled, and those that are cropped by fit are", arguments: formats)
    func sizes(_ format: FrameFormat) throws {
        let below = TestFrame(.bgra, 64, 48, color: Color(red: 30, green: 60, blue: 90))
        let above = TestFrame(.bgra, 20, 20, color: Color(red: 200, green: 100, blue: 60))
        let place = "sink_1::width=31 sink_1::height=17 sink_1::xpos=11 sink_1::ypos=9 sink_1::fit=cover"
        let result = try mixed(place, [(below, format.name), (above, format.name)]).shown
        for y in 0..<48 {
            // Chroma and scaling mix colours at the edges.
            for x in 0..<64 where !(8...14 ~= x) && !(39...45 ~= x) && !(6...12 ~= y) && !(23...29 ~= y) {
                let isInside = 11..<42 ~= x && 9..<26 ~= y
                expectNear(result.color(x, y), isInside ? [200, 100, 60] : [30, 60, 90], "\(x), \(y)")
            }
        }
    }

    @Test("The background, and an input's edges in a colour")
    func backgroundAndStencil() throws {
        let edges = TestFrame(.bgra, 32, 24) { x, _ in Color(gray: x < 16 ? 0 : 255).pixel(.bgra) }
        for format in ["NV12", "GRAY8", "BGRA"] {
            let result = try mixed(
                "background-color=0xff204060 sink_0::mode=hud sink_0::hud-color=0xffff0000", [(edges, format)],
                output: ",format=I420")
            expectNear(result.shown.color(4, 12), [0x20, 0x40, 0x60], format)
            #expect((14...17).contains { result.shown.color($0, 12).red > 150 }, "\(format)")
            #expect((0..<32).allSatisfy { result.shown.color($0, 12).green < 0x60 }, "\(format)")
        }
    }

    @Test(
        "The output has the format of the first input, or one that suits it",
        arguments: [
            (["NV12", "NV12"], "", "NV12"), (["YUY2", "NV12"], "", "YUY2"), (["I420_10LE", "BGRA"], "", "I420_10LE"),
            (["NV12", "BGRA"], "", "NV12"), (["BGRA", "NV12"], "", "BGRA"), (["RGB", "RGB"], "", "RGB"),
            (["YUY2", "YUY2"], ",format={BGRA,I420,NV12}", "I420"), (["NV12", "NV12"], ",format={Y444,NV12}", "NV12"),
            (["AYUV", "NV12"], "", "BGRA"), (["RGB", "BGRA"], ",format={RGB,NV12}", "NV12"),
            (["GRAY8", "GRAY8"], "", "GRAY8"), (["UYVY", "RGB"], ",format={RGB,BGR}", "RGB"),
        ])
    func negotiation(_ inputs: [String], _ allowed: String, _ expected: String) throws {
        let small = TestFrame(.bgra, 16, 12, color: Color(red: 9, green: 90, blue: 200))
        // The second input is larger. GStreamer's base class would choose its format for the output.
        let large = TestFrame(.bgra, 40, 30, color: Color(red: 9, green: 90, blue: 200))
        let line = try pipeline(
            "svmixer name=mix ! video/x-raw\(allowed) ! appsink name=out sync=false "
                + zip([small, large], inputs).enumerated().map { index, input in
                    "appsrc name=in\(index) format=time caps=\(input.0.caps()) ! videoconvert "
                        + "! video/x-raw,format=\(input.1) ! mix.sink_\(index) "
                }.joined())
        try line.play()
        for (index, frame) in [small, large].enumerated() {
            try line.push(frame, into: "in\(index)", at: 0)
            try line.end("in\(index)")
        }
        _ = try #require(try line.pullBuffer("out"))
        let caps = try #require(gst_pad_get_current_caps(try line.pad("mix", "src").pad))
        defer { gst_caps_unref(caps) }
        let structure = gst_caps_get_structure(caps, 0)
        #expect(gst_structure_get_string(structure, "format").map { String(cString: $0) } == expected)
    }
}
