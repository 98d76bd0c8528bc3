// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Elements
import Imaging
import TestSupport
import Testing

func blendHarness(_ properties: [(String, String)] = [], like frame: TestFrame) throws -> Harness {
    guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
    return try Harness("svblend", properties, like: frame)
}

func pipeline(_ description: String) throws -> Pipeline {
    guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
    return try Pipeline(description)
}

/// Returns a random foreground without alpha. It is suitable for all formats, because the file is lossless and the
/// formats only differ in the order of bytes.
func opaqueForeground(_ width: Int, _ height: Int, seed: UInt64) -> TestFrame {
    TestFrame(.rgb, width, height, seed: seed)
}

/// Returns background + (result − background) · weight, rounded. All values are bytes.
func mixed(_ background: UInt8, _ result: Double, _ weight: Double) -> Int {
    let b = Double(background)
    return Int((b + (min(255, max(0, result)) - b) * weight).rounded())
}

/// The formulas of some blend modes, for byte values.
let formulas: [(nick: String, result: @Sendable (_ b: Double, _ f: Double) -> Double)] = [
    ("normal", { _, f in f }),
    ("multiply", { b, f in b * f / 255 }),
    ("screen", { b, f in 255 - (255 - b) * (255 - f) / 255 }),
    ("difference", { b, f in abs(b - f) }),
    ("add", { b, f in b + f }),
    ("subtract", { b, f in b - f }),
    ("average", { b, f in (b + f) / 2 }),
    ("darken", { b, f in min(b, f) }),
    ("overlay", { b, f in b <= 127.5 ? 2 * b * f / 255 : 255 - 2 * (255 - b) * (255 - f) / 255 }),
]

func formula(_ nick: String) throws -> @Sendable (Double, Double) -> Double {
    try #require(formulas.first { $0.nick == nick }).result
}

/// Returns `background` with `foreground` blended over it. The top left corner of the foreground is at (`left`, `top`).
/// - Parameters:
///   - foreground: returns the colour at a position of the foreground; nil outside of the foreground.
///   - weight: returns the weight at a position of the foreground.
func blended(
    _ background: TestFrame, _ mode: String, x left: Int = 0, y top: Int = 0,
    _ foreground: (_ x: Int, _ y: Int) -> Color?, weight: (_ x: Int, _ y: Int) -> Double = { _, _ in 1 }
) throws -> TestFrame {
    let result = try formula(mode)
    let format = background.format
    return background.map { x, y, pixel in
        guard let color = foreground(x - left, y - top) else { return pixel }
        var pixel = pixel
        let pairs =
            format.isGray
            ? [(0, color.red)] : [(format.red, color.red), (format.green, color.green), (format.blue, color.blue)]
        for (place, f) in pairs {
            let b = pixel[place]
            pixel[place] = UInt8(clamping: mixed(b, result(Double(b), Double(f)), weight(x - left, y - top)))
        }
        return pixel
    }
}

extension TestFrame {
    /// Returns the colour at a position. Returns nil outside of the frame.
    func colorInside(_ x: Int, _ y: Int) -> Color? {
        (0..<width).contains(x) && (0..<height).contains(y) ? color(x, y) : nil
    }
}

/// Expects that two frames differ by at most `tolerance`.
func expectEqual(
    _ frame: TestFrame, _ expected: TestFrame, within tolerance: Int = 0, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let distance = try #require(frame.distance(to: expected), comment, sourceLocation: sourceLocation)
    #expect(distance <= tolerance, comment, sourceLocation: sourceLocation)
}
