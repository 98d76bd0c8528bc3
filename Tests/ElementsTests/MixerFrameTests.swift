// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("svmixer: frames")
struct MixerFrameTests {
    private let below = TestFrame(.bgra, 16, 10, seed: 110)
    private let above = TestFrame(.bgra, 16, 10, seed: 111).map { _, _, pixel in Array(pixel.prefix(3)) + [255] }

    @Test("Modes by their formulas", arguments: formulas.map(\.nick))
    func modes(_ mode: String) throws {
        let result = try mix("sink_1::mode=\(mode)", below, above)
        try expectEqual(result, blended(below, mode) { above.colorInside($0, $1) }, within: 1)
    }

    @Test("The difference of two frames, in every format", arguments: PixelFormat.all)
    func formats(_ format: PixelFormat) throws {
        // The frames are opaque. Another test covers alpha.
        func opaque(_ seed: UInt64) -> TestFrame {
            TestFrame(format, 17, 9, seed: seed).map { _, _, pixel in
                var pixel = pixel
                if let alpha = format.alpha { pixel[alpha] = 255 }
                return pixel
            }
        }
        let (a, b) = (opaque(112), opaque(113))
        let result = try mix("sink_1::mode=difference", output: ",format=\(format.name)", a, b)
        #expect(try result == blended(a, "difference") { b.colorInside($0, $1) })
    }

    @Test("An input without alpha is opaque, whatever its padding byte says", arguments: [PixelFormat.xrgb, .bgrx])
    func padding(_ format: PixelFormat) throws {
        let frame = TestFrame(format, 16, 10, seed: 114)
        let result = try mix(output: ",format=BGRA", frame)
        #expect(result == TestFrame(.bgra, 16, 10) { x, y in frame.color(x, y).pixel(.bgra) })
    }

    @Test("opacity", arguments: [0.0, 0.3, 0.5])
    func opacity(_ opacity: Double) throws {
        let result = try mix("sink_1::opacity=\(opacity)", below, above)
        let expected = try blended(below, "normal", { above.colorInside($0, $1) }, weight: { _, _ in opacity })
        try expectEqual(result, expected, within: 1)
    }

    @Test("An input's alpha lets what lies below through")
    func alpha() throws {
        let above = TestFrame(.rgba, 16, 10) { x, y in
            Color(red: 255, green: UInt8(y * 20), blue: 0, alpha: UInt8(x * 17)).pixel(.rgba)
        }
        let result = try mix(output: ",format=BGRA", below, above)
        let expected = try blended(
            below, "normal", { above.colorInside($0, $1) }, weight: { x, _ in Double(x * 17) / 255 })
        try expectEqual(result, expected, within: 1)
    }

    @Test("mask, and an error with the path where it is missing")
    func mask() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(TestFrame(.gray8, 16, 10) { x, _ in [UInt8(x * 17)] }, "m.png")
        let result = try mix("sink_1::mask=\(path)", below, above)
        let expected = try blended(
            below, "normal", { above.colorInside($0, $1) }, weight: { x, _ in Double(x * 17) / 255 })
        try expectEqual(result, expected, within: 1)
        let missing = folder.file("missing.png")
        let line = try MixerLine("sink_1::mask=\(missing)", inputs: [(below, "25/1"), (above, "25/1")])
        line.pipeline.set(GST_STATE_PAUSED)
        let error = try #require(line.pipeline.bus.wait(GST_MESSAGE_ERROR))
        #expect(error.isError(GST_RESOURCE_ERROR_NOT_FOUND))
        #expect(error.text.contains(missing))
    }

    @Test("zorder: the highest on top; the first pad's size is the output's all the same")
    func zorder() throws {
        let small = TestFrame(.bgrx, 8, 6, color: Color(red: 255, green: 0, blue: 0))
        let large = TestFrame(.bgrx, 20, 12, color: Color(red: 0, green: 0, blue: 255))
        let onTop = try mix("sink_0::zorder=7", output: ",format=BGRx", large, small)
        #expect((onTop.width, onTop.height) == (20, 12))
        #expect(onTop.color(2, 2) == large.color(0, 0))
        let normal = try mix(output: ",format=BGRx", large, small)
        #expect(normal.color(2, 2) == small.color(0, 0))
        #expect(normal.color(15, 10) == large.color(0, 0))
        let first = try mix("sink_0::zorder=7", output: ",format=BGRx", small, large)
        #expect((first.width, first.height) == (8, 6))
        #expect(first.color(2, 2) == small.color(0, 0))
    }

    @Test(
        "xpos and ypos, partly and wholly outside",
        arguments: [(0, 0), (3, 2), (-3, -2), (12, 7), (16, 0), (-16, 3), (0, -10), (16384, -16384)])
    func position(_ x: Int, _ y: Int) throws {
        let result = try mix("sink_1::xpos=\(x) sink_1::ypos=\(y) sink_1::mode=difference", below, above)
        #expect(try result == blended(below, "difference", x: x, y: y) { above.colorInside($0, $1) })
    }

    @Test("width and height scale an input, and the first one's are the output's")
    func size() throws {
        let plain = TestFrame(.bgrx, 16, 10, color: Color(red: 200, green: 100, blue: 50))
        let black = TestFrame(.bgrx, 30, 20, color: Color(gray: 0))
        let result = try mix(
            "sink_1::width=7 sink_1::height=12 sink_1::xpos=4 sink_1::ypos=5", output: ",format=BGRx", black, plain)
        let place = Rectangle(x: 4, y: 5, width: 7, height: 12)
        for y in 0..<20 {
            for x in 0..<30 {
                let isInside = !place.intersection(Rectangle(x: x, y: y, width: 1, height: 1)).isEmpty
                #expect(result.color(x, y) == (isInside ? plain : black).color(0, 0), "at \(x), \(y)")
            }
        }
        let scaled = try mix("sink_0::width=33 sink_0::height=11", output: ",format=BGRx", plain)
        #expect((scaled.width, scaled.height) == (33, 11))
        #expect(scaled.color(30, 10) == plain.color(0, 0))
    }

    @Test("background-color shows where no input lies, and is blended with")
    func background() throws {
        let red = TestFrame(.bgra, 4, 3, color: Color(red: 255, green: 0, blue: 0))
        let canvas = Color(red: 0x10, green: 0x80, blue: 0x30, alpha: 0x40)
        let result = try mix(
            "background-color=0x40108030 sink_0::xpos=2 sink_0::ypos=1 sink_0::mode=add",
            output: ",format=BGRA,width=8,height=6", red)
        let expected = try blended(TestFrame(.bgra, 8, 6, color: canvas), "add", x: 2, y: 1) { red.colorInside($0, $1) }
        #expect(result == expected)
    }

    @Test("What is hidden makes no difference")
    func hidden() throws {
        let hidden = TestFrame(.bgrx, 16, 10, seed: 115)
        let (cover, top) = (TestFrame(.bgrx, 16, 10, seed: 116), TestFrame(.bgrx, 16, 10, seed: 117))
        let two = try mix("sink_1::mode=screen", output: ",format=BGRx", cover, top)
        let three = try mix("sink_2::mode=screen", output: ",format=BGRx", hidden, cover, top)
        #expect(two == three)
        // If an input is not completely opaque, the inputs below must be drawn.
        let seen = try mix("sink_1::opacity=0.98 sink_2::mode=screen", output: ",format=BGRx", hidden, cover, top)
        #expect(seen != three)
    }

    @Test("mode=none and opacity=0 leave an input out")
    func leftOut() throws {
        for property in ["mode=none", "opacity=0"] { #expect(try mix("sink_1::\(property)", below, above) == below) }
    }

    @Test("hud on a pad: its edges in its colour, screened over what lies below")
    func hud() throws {
        let opaque = TestFrame(.bgrx, 16, 10, seed: 118)
        let result = try mix("sink_1::mode=hud sink_1::hud-color=0xff00ff00", output: ",format=BGRx", opaque, above)
        let edges = referenceStencil(of: above)
        let expected = try blended(opaque, "screen") { x, y in
            edges.colorInside(x, y).map { Color(0, $0.green, 0) }
        }
        try expectEqual(result, expected, within: 1)
    }

    @Test("Inputs in other formats are converted", arguments: ["I420", "NV12", "YUY2"])
    func converted(_ format: String) throws {
        let line = try pipeline(
            "svmixer name=m sink_1::mode=add ! video/x-raw,format=BGRx ! appsink name=out sync=false "
                + "videotestsrc num-buffers=2 pattern=solid-color foreground-color=0xff204060 ! "
                + "video/x-raw,format=\(format),width=32,height=16 ! m. "
                + "videotestsrc num-buffers=2 pattern=solid-color foreground-color=0xff102030 ! "
                + "video/x-raw,format=xBGR,width=32,height=16 ! m.")
        try line.play()
        let samples = try line.pullAll()
        #expect(samples.count == 2)
        let color = try #require(samples.last).frame.color(20, 10)
        for (value, expected) in [(color.red, 0x30), (color.green, 0x60), (color.blue, 0x90)] {
            // The conversions use limited range and BT.601 in both directions.
            #expect(abs(Int(value) - expected) <= 6)
        }
    }
}
