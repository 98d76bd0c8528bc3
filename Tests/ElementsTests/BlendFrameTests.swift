// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import TestScope
import TestSupport
import Testing
import KernelTypes

@Suite("svblend: frames")
struct BlendFrameTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test("Modes by their formulas, in every format", arguments: PixelFormat.all, formulas.map(\.nick))
    func modes(_ format: PixelFormat, _ mode: String) throws {
        let foreground =
            format.isGray
            ? TestFrame(.rgb, 16, 8) { x, y in [UInt8](repeating: UInt8(x * 16 + y), count: 3) }
            : opaqueForeground(16, 8, seed: 50)
        let background = TestFrame(format, 16, 8, seed: 51)
        let path = try folder.write(foreground, "f.png")
        let harness = try blendHarness([("location", path), ("mode", mode)], like: background)
        let expected = try blended(background, mode) { foreground.colorInside($0, $1) }
        // Grey foregrounds are converted, and this conversion may round.
        try expectEqual(harness.process(background), expected, within: format.isGray ? 2 : 1)
    }

    @Test("Every mode runs, changes no alpha and no padding", arguments: BlendMode.allCases)
    func allModes(_ mode: BlendMode) throws {
        let foreground = opaqueForeground(16, 8, seed: 52)
        let path = try folder.write(foreground, "f.png")
        for format in [PixelFormat.bgra, .xrgb, .gray8, .rgb] {
            let background = TestFrame(format, 16, 8, seed: 53)
            let harness = try blendHarness([("location", path), ("mode", mode.nick)], like: background)
            let result = try harness.process(background)
            if let kept = format.alpha ?? format.padding {
                for x in 0..<16 { #expect(result[x, 5][kept] == background[x, 5][kept]) }
            }
            if mode == .none { #expect(result == background) }
        }
    }

    @Test("Threads do not change the picture, and may change while it plays")
    func threads() throws {
        let path = try folder.write(opaqueForeground(64, 36, seed: 54), "f.png")
        let frame = TestFrame(.bgrx, 800, 450, seed: 55)
        let settings = [("location", path), ("mode", "overlay"), ("opacity", "0.6")]
        let expected = try blendHarness(settings + [("threads", "1")], like: frame).process(frame)
        let harness = try blendHarness(settings, like: frame)
        for threads in ["0", "2", "5", "64", "1"] {
            harness.element.set("threads", threads)
            #expect(try harness.process(frame) == expected, "\(threads)")
        }
    }

    @Test(
        "An odd size and its neighbours, padded too",
        arguments: TestScope.pairs([PixelFormat.bgra, .rgb, .gray8], [0, 1, 2, 3]))
    func widths(_ format: PixelFormat, _ more: Int) throws {
        let width = 637 + more
        let gray = format.isGray
        let foreground = TestFrame(.rgb, width, 119) { x, y in
            gray ? [90, 90, 90] : [UInt8(x & 255), UInt8(y & 255), UInt8((x + y) & 255)]
        }
        let background = TestFrame(format, width, 119) { x, y in
            (0..<format.bytesPerPixel).map { UInt8((x * 3 + y * 5 + $0 * 7) & 255) }
        }
        let path = try folder.write(foreground, "f.png")
        let harness = try blendHarness([("location", path), ("mode", "difference")], like: background)
        let expected = try blended(background, "difference") { foreground.colorInside($0, $1) }
        try expectEqual(harness.process(background), expected, within: gray ? 1 : 0)

        let padding = Padding(offset: 5, row: 11 + more)
        let result = try harness.process(giving: background.buffer(padded: padding).reference)
        try expectEqual(harness.shown(result), expected, within: gray ? 1 : 0)
        if !gray {
            #expect(try TestFrame.memory(of: result) == TestFrame.memory(of: expected.buffer(padded: padding)))
        }
    }

    @Test("Opacity mixes the result with the stream", arguments: [0.0, 0.1, 0.5, 0.75, 1.0], ["normal", "screen"])
    func opacity(_ opacity: Double, _ mode: String) throws {
        let foreground = opaqueForeground(20, 6, seed: 54)
        let background = TestFrame(.rgba, 20, 6, seed: 55)
        let path = try folder.write(foreground, "f.png")
        let harness = try blendHarness(
            [("location", path), ("mode", mode), ("opacity", "\(opacity)")], like: background)
        let expected = try blended(background, mode, { foreground.colorInside($0, $1) }, weight: { _, _ in opacity })
        try expectEqual(harness.process(background), expected, within: 1)
    }

    @Test("The foreground's own alpha weighs it", arguments: [PixelFormat.bgra, .rgb, .argb])
    func alpha(_ format: PixelFormat) throws {
        // The colours are 0 and 255, so that premultiplication does not change them.
        let foreground = TestFrame(.bgra, 16, 4) { x, y in
            Color(red: 255, green: y % 2 == 0 ? 0 : 255, blue: 0, alpha: UInt8(x * 17)).pixel(.bgra)
        }
        let background = TestFrame(format, 16, 4, seed: 56)
        let path = try folder.write(foreground, "f.png")
        let harness = try blendHarness([("location", path)], like: background)
        let expected = try blended(
            background, "normal", { foreground.colorInside($0, $1) }, weight: { x, _ in Double(x * 17) / 255 })
        try expectEqual(harness.process(background), expected, within: 1)
    }

    @Test("A mask weighs the foreground, and alpha, mask and opacity multiply")
    func mask() throws {
        let foreground = TestFrame(.bgra, 16, 16) { x, y in
            Color(red: 255, green: 0, blue: 255, alpha: y < 8 ? 255 : 128).pixel(.bgra)
        }
        let mask = TestFrame(.gray8, 16, 16) { x, _ in [UInt8(x * 17)] }
        let background = TestFrame(.bgrx, 16, 16, seed: 57)
        let paths = try (folder.write(foreground, "f.png"), folder.write(mask, "m.png"))
        let harness = try blendHarness(
            [("location", paths.0), ("mask", paths.1), ("opacity", "0.5")], like: background)
        let expected = try blended(
            background, "normal", { foreground.colorInside($0, $1) },
            weight: { x, y in Double(x * 17) / 255 * (y < 8 ? 1 : 128.0 / 255) * 0.5 })
        try expectEqual(harness.process(background), expected, within: 2)
        #expect(try harness.process(background)[0, 3] == background[0, 3])
    }

    @Test(
        "The rectangle may lie partly or wholly outside",
        arguments: [
            (0, 0), (3, 2), (-3, -2), (12, 0), (0, 8), (15, 9), (16, 0), (0, 10), (-8, 0), (0, -6), (-16384, -16384),
            (16384, 16384),
        ])
    func position(_ x: Int, _ y: Int) throws {
        let foreground = opaqueForeground(8, 6, seed: 58)
        let background = TestFrame(.bgra, 16, 10, seed: 59)
        let path = try folder.write(foreground, "f.png")
        let harness = try blendHarness(
            [("location", path), ("xpos", "\(x)"), ("ypos", "\(y)"), ("width", "8"), ("height", "6")],
            like: background)
        let expected = try blended(background, "normal", x: x, y: y) { foreground.colorInside($0, $1) }
        #expect(try harness.process(background) == expected)
    }

    @Test("fit: cover fills, contain leaves free, stretch takes all")
    func fit() throws {
        // The foreground has three squares next to each other: red, green, blue.
        let colors = [[255, 0, 0], [0, 255, 0], [0, 0, 255]] as [[UInt8]]
        let foreground = TestFrame(.rgb, 30, 10) { x, _ in colors[x / 10] }
        let background = TestFrame(.rgb, 30, 30, color: Color(gray: 9))
        let path = try folder.write(foreground, "f.png")
        let harness = try blendHarness([("location", path)], like: background)
        let cover = try harness.process(background)
        for (x, y) in [(3, 3), (15, 15), (27, 27)] { #expect(cover[x, y] == [0, 255, 0]) }
        harness.element.set("fit", "contain")
        let contain = try harness.process(background)
        try expectEqual(contain.part(0, 10, 30, 10), foreground)
        #expect(contain.part(0, 0, 30, 10) == background.part(0, 0, 30, 10))
        #expect(contain.part(0, 20, 30, 10) == background.part(0, 20, 30, 10))
        harness.element.set("fit", "stretch")
        let stretched = try harness.process(background)
        for (x, color) in [(4, colors[0]), (15, colors[1]), (25, colors[2])] {
            for y in [0, 15, 29] { #expect(stretched[x, y] == color) }
        }
    }

    @Test("mode=none, opacity=0 and no picture hand on the very same buffer")
    func passThrough() throws {
        let background = TestFrame(.bgra, 16, 10, seed: 60)
        let path = try folder.write(opaqueForeground(16, 10, seed: 61), "f.png")
        for properties in [[], [("location", path), ("mode", "none")], [("location", path), ("opacity", "0")]] {
            let harness = try blendHarness(properties, like: background)
            let buffer = try background.buffer()
            let result = try harness.process(giving: buffer.reference)
            #expect(result.pointer == buffer.pointer)
            #expect(try harness.shown(result) == background)
        }
    }

    @Test("Size and format change in the middle of the stream, and the foreground is fitted anew")
    func renegotiation() throws {
        let foreground = TestFrame(.rgb, 40, 20, color: Color(red: 10, green: 200, blue: 90))
        let path = try folder.write(foreground, "f.png")
        var background = TestFrame(.bgra, 16, 10, seed: 62)
        let harness = try blendHarness([("location", path)], like: background)
        for (format, width, height) in [
            (PixelFormat.bgra, 16, 10), (.rgb, 33, 7), (.xbgr, 5, 50), (.argb, 64, 48), (.bgra, 1, 1),
        ] {
            background = TestFrame(format, width, height, seed: 63)
            harness.renegotiate(like: background)
            let expected = try blended(background, "normal") { _, _ in foreground.color(0, 0) }
            // GStreamer's Lanczos filter changes a plain colour near the border by a few levels.
            try expectEqual(harness.process(background), expected, within: 8)
        }
    }
}
