// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Imaging
import Testing
import KernelTypes

/// Modes whose results may differ by up to 1 from the exact value. All other results are rounded exactly, and halves in
/// any direction.
private let inexact: Set<BlendMode> = [.softLight]

private let modes = BlendMode.allCases.filter { $0.isSeparable }

@Suite("Separable modes")
struct SeparableTests {
    @Test("every pair of values, every kernel set", arguments: modes)
    func everyPair(mode: BlendMode) {
        let formula = mode.formula
        let exact = everyPairOf { b, f in 255 * min(1, max(0, formula(b, f))) }
        for kernels in Processor.kernelSets {
            let blender = Blender(kernels: kernels)
            let masked = blended(mode, by: blender)
            #expect(
                worst(masked, exact, within: inexact.contains(mode) ? 1 : 0.5) == nil,
                "\(kernels.level.rawValue), full opacity")
            let weights = Picture(.gray8, width: 256, height: 256)
            weights.fill { _, _ in 255 }
            #expect(
                blended(mode, by: blender, weights: weights.image) == masked,
                "\(kernels.level.rawValue), weighted by 255")
            let half = everyPairOf { b, f in
                let result = 255 * min(1, max(0, formula(b, f)))
                return (127 * 255 * b + 128 * result) / 255
            }
            #expect(
                worst(blended(mode, by: blender, opacity: 0.5), half, within: 1.01) == nil,
                "\(kernels.level.rawValue), weighted")
        }
    }

    @Test(
        "numbers worked out by hand",
        arguments: [
            (BlendMode.average, 100, 201, 151), (.multiply, 128, 128, 64), (.screen, 128, 128, 192), (.hud, 0, 77, 77),
            (.normal, 3, 200, 200), (.darken, 3, 200, 3), (.lighten, 3, 200, 200), (.colorDodge, 0, 255, 0),
            (.colorDodge, 1, 255, 255), (.colorDodge, 60, 155, 153), (.colorBurn, 255, 0, 255), (.colorBurn, 254, 0, 0),
            (.colorBurn, 155, 200, 128), (.hardLight, 100, 64, 50), (.hardLight, 100, 191, 177),
            (.softLight, 128, 255, 181),
            (.softLight, 128, 0, 64), (.softLight, 16, 255, 53), (.overlay, 64, 100, 50), (.difference, 10, 250, 240),
            (.exclusion, 128, 77, 128), (.add, 200, 100, 255), (.subtract, 100, 200, 0), (.divide, 0, 0, 0),
            (.divide, 1, 0, 255), (.divide, 50, 100, 128), (.grainExtract, 10, 20, 118), (.grainMerge, 100, 100, 72),
            (.linearBurn, 200, 100, 45), (.linearLight, 100, 200, 245), (.vividLight, 255, 0, 255),
            (.vividLight, 100, 228, 255), (.vividLight, 55, 178, 91), (.vividLight, 200, 64, 145),
            (.pinLight, 100, 20, 40),
            (.pinLight, 100, 200, 145), (.hardMix, 155, 100, 255), (.hardMix, 154, 100, 0), (.negation, 200, 100, 210),
            (.reflect, 0, 255, 255), (.reflect, 100, 155, 100), (.glow, 155, 100, 100), (.none, 9, 99, 9),
        ] as [(BlendMode, Int, Int, Int)])
    func byHand(mode: BlendMode, b: Int, f: Int, expected: Int) {
        let background = Picture(.gray8, width: 1, height: 1)
        let foreground = Picture(.gray8, width: 1, height: 1)
        background[0, 0] = [UInt8(b)]
        foreground[0, 0] = [UInt8(f)]
        Blender().blend(foreground.image, onto: background.image, mode: mode, opacity: 1)
        #expect(background[0, 0] == [UInt8(expected)])
    }

    private func blended(
        _ mode: BlendMode, by blender: Blender, opacity: Double = 1, weights: Image? = nil
    ) -> [UInt8] {
        let background = Picture(.gray8, width: 256, height: 256)
        let foreground = Picture(.gray8, width: 256, height: 256)
        background.fill { _, y in UInt8(y) }
        foreground.fill { x, _ in UInt8(x) }
        blender.blend(foreground.image, onto: background.image, mode: mode, opacity: opacity, weights: weights)
        return (0..<256).flatMap { y in UnsafeBufferPointer(start: background.image.row(y), count: 256) }
    }

    /// Returns `formula` of all pairs of bytes as 0…1. The background changes slowest.
    private func everyPairOf(_ formula: (Double, Double) -> Double) -> [Double] {
        (0..<65536).map { formula(Double($0 / 256) / 255, Double($0 % 256) / 255) }
    }

    /// Returns the pair with the largest error above `limit`. If `limit` is 1 or more, the exact values are rounded
    /// first.
    private func worst(_ results: [UInt8], _ exact: [Double], within limit: Double) -> String? {
        var found: (error: Double, index: Int)?
        for (index, result) in results.enumerated() {
            let error = limit < 1 ? abs(Double(result) - exact[index]) : abs(Double(result) - exact[index].rounded())
            if error > limit + 1e-6, error > found?.error ?? 0 { found = (error, index) }
        }
        return found.map { "b=\($0.index / 256) f=\($0.index % 256): \(results[$0.index]), not \(exact[$0.index])" }
    }
}
