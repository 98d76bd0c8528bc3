// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("svblend: hud")
struct BlendHudTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Computes the expected result from the definitions: the stencil of `foreground` in a colour, screened over
    /// `background`.
    private func expected(_ background: TestFrame, _ foreground: TestFrame, _ color: Color) throws -> TestFrame {
        let edges = referenceStencil(of: foreground)
        return try blended(background, "screen") { x, y in
            guard let edge = edges.colorInside(x, y) else { return nil }
            if background.format.isGray { return edge }
            func tinted(_ value: Double, _ by: Double) -> UInt8 { UInt8((value * by / 255).rounded()) }
            return Color(
                red: tinted(edge.red, color.red), green: tinted(edge.green, color.green),
                blue: tinted(edge.blue, color.blue))
        }
    }

    @Test("The edges of the foreground in the HUD colour, screened", arguments: [PixelFormat.bgra, .rgb, .xbgr])
    func edges(_ format: PixelFormat) throws {
        let foreground = opaqueForeground(21, 13, seed: 70)
        let background = TestFrame(format, 21, 13, seed: 71)
        let path = try folder.write(foreground, "f.png")
        let harness = try blendHarness([("location", path), ("mode", "hud")], like: background)
        let green = Color(red: 128, green: 255, blue: 0)
        try expectEqual(harness.process(background), expected(background, foreground, green), within: 1)
        harness.element.set("hud-color", "0x00ff2010")
        let other = Color(red: 255, green: 32, blue: 16)
        try expectEqual(harness.process(background), expected(background, foreground, other), within: 1)
        // Switch to another mode and back.
        harness.element.set("mode", "normal")
        try expectEqual(harness.process(background), blended(background, "normal") { foreground.colorInside($0, $1) })
        harness.element.set("mode", "hud")
        try expectEqual(harness.process(background), expected(background, foreground, other), within: 1)
    }

    @Test("Grey streams are not tinted")
    func gray() throws {
        let values = TestFrame(.gray8, 21, 13, seed: 72)
        let foreground = TestFrame(.rgb, 21, 13) { x, y in [UInt8](repeating: values[x, y][0], count: 3) }
        let background = TestFrame(.gray8, 21, 13, seed: 73)
        let path = try folder.write(foreground, "f.png")
        let harness = try blendHarness([("location", path), ("mode", "hud")], like: background)
        let wanted = try expected(background, values, Color(gray: 0))
        // The conversion of the foreground to grey rounds, and the Laplacian amplifies this error.
        try expectEqual(harness.process(background), wanted, within: 4)
    }
}
