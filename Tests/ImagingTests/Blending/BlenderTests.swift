// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Imaging
import Testing
import KernelTypes

@Suite("Blender")
struct BlenderTests {
    @Test("odd widths, padded rows: colours are blended, all other bytes stay", arguments: PixelFormat.all)
    func formats(format: PixelFormat) {
        var random = Random(seed: 1)
        for kernels in Processor.kernelSets {
            let blender = Blender(kernels: kernels)
            for width in [1, 2, 3, 15, 16, 17, 18, 63, 64, 65, 66, 511, 1023, 1024, 1025, 2051] {
                for (mode, opacity) in [
                    (BlendMode.difference, 1.0), (.difference, 0.4), (.divide, 1), (.luminosity, 1), (.normal, 1),
                ] {
                    let background = Picture(format, width: width, height: 3, padding: 5)
                    let foreground = Picture(format, width: width, height: 3, padding: 9)
                    background.fillAtRandom(&random)
                    foreground.fillAtRandom(&random)
                    let before = background.bytes
                    let source = foreground.bytes
                    let done = blender.blend(
                        foreground.image, onto: background.image, mode: mode, opacity: opacity,
                        useForegroundAlpha: false)
                    #expect(done)
                    #expect(background.isIntactAround, "\(kernels.level.rawValue) \(mode.nick) \(width)")
                    #expect(foreground.bytes == source)
                    let old = Picture(format, width: width, height: 3, padding: 5)
                    old.restore(before)
                    #expect(
                        differing(background, old, foreground, mode, { _, _ in opacity }) == nil,
                        "\(kernels.level.rawValue) \(mode.nick) \(width)")
                }
            }
        }
    }

    @Test(
        "opacity, weights and alpha multiply", arguments: PixelFormat.all.filter { $0.alpha != nil } + [.gray8, .rgb])
    func weights(format: PixelFormat) {
        var random = Random(seed: 2)
        let modes: [BlendMode] = [.normal, .multiply, .colorDodge, .softLight, .hue, .darkerColor, .exclusion]
        for kernels in Processor.kernelSets {
            let blender = Blender(kernels: kernels)
            for (opacity, isMasked, usesAlpha) in [
                (1, true, true), (0.3, true, true), (0.77, true, false), (0.5, false, true), (1, false, true),
                (0.123, false, false), (0.95, false, false),
            ] {
                for mode in modes {
                    let background = Picture(format, width: 600, height: 2, padding: 3)
                    let foreground = Picture(format, width: 600, height: 2, padding: 7)
                    let mask = Picture(.gray8, width: 600, height: 2, padding: 1)
                    for picture in [background, foreground, mask] { picture.fillAtRandom(&random) }
                    let old = Picture(format, width: 600, height: 2, padding: 3)
                    old.restore(background.bytes)
                    blender.blend(
                        foreground.image, onto: background.image, mode: mode, opacity: opacity,
                        weights: isMasked ? mask.image : nil, useForegroundAlpha: usesAlpha)
                    #expect(background.isIntactAround)
                    let difference = differing(background, old, foreground, mode) { x, y in
                        let alpha = usesAlpha ? format.alpha.map { Double(foreground[x, y][$0]) / 255 } ?? 1 : 1
                        return opacity * alpha * (isMasked ? Double(mask[x, y][0]) / 255 : 1)
                    }
                    #expect(
                        difference == nil, "\(kernels.level.rawValue) \(mode.nick) \(opacity) \(isMasked) \(usesAlpha)")
                }
            }
        }
    }

    @Test("parts of weight 0, parts of weight 255 and parts between", arguments: PixelFormat.all)
    func evenParts(format: PixelFormat) {
        var random = Random(seed: 5)
        for mode in [BlendMode.screen, .reflect, .color] {
            let background = Picture(format, width: 4096, height: 1)
            let foreground = Picture(format, width: 4096, height: 1)
            let mask = Picture(.gray8, width: 4096, height: 1)
            for picture in [background, foreground] { picture.fillAtRandom(&random) }
            mask.fill { x, _ in
                switch x {
                case ..<1024: 0
                case ..<2048: 255
                case ..<3072: UInt8(x & 255)
                default: x.isMultiple(of: 2) ? 0 : 255
                }
            }
            let old = Picture(format, width: 4096, height: 1)
            old.restore(background.bytes)
            Blender().blend(
                foreground.image, onto: background.image, mode: mode, opacity: 1, weights: mask.image,
                useForegroundAlpha: false)
            #expect((0..<1024).allSatisfy { background[$0, 0] == old[$0, 0] })
            #expect(differing(background, old, foreground, mode) { x, _ in Double(mask[x, 0][0]) / 255 } == nil)
        }
    }

    @Test(
        "opaque strips of rows above and below translucent ones", arguments: PixelFormat.all.filter { $0.alpha != nil })
    func strips(format: PixelFormat) throws {
        var random = Random(seed: 3)
        let alpha = try #require(format.alpha)
        for kernels in Processor.kernelSets {
            for translucent in [[], [0], [15], [16], [20], [39], [3, 35]] {
                let background = Picture(format, width: 70, height: 40, padding: 2)
                let foreground = Picture(format, width: 70, height: 40, padding: 6)
                for picture in [background, foreground] { picture.fillAtRandom(&random) }
                for y in 0..<40 {
                    for x in 0..<70 {
                        foreground.image.row(y)[x * 4 + alpha] = translucent.contains(y) && x > 66 ? 77 : 255
                    }
                }
                let old = Picture(format, width: 70, height: 40, padding: 2)
                old.restore(background.bytes)
                Blender(kernels: kernels).blend(foreground.image, onto: background.image, mode: .screen, opacity: 0.8)
                #expect(background.isIntactAround)
                let difference = differing(background, old, foreground, .screen) { x, y in
                    0.8 * Double(foreground[x, y][alpha]) / 255
                }
                #expect(difference == nil, "\(kernels.level.rawValue) \(translucent)")
            }
        }
    }

    @Test("nothing is done without weight, with mode none, or for formats that do not fit")
    func nothing() {
        let background = Picture(.bgrx, width: 9, height: 2)
        let foreground = Picture(.bgra, width: 9, height: 2)
        var random = Random(seed: 3)
        background.fillAtRandom(&random)
        foreground.fillAtRandom(&random)
        let before = background.bytes
        let blender = Blender()
        for opacity in [0, -1, -Double.infinity, .nan, .signalingNaN, 1e-300, .leastNonzeroMagnitude] {
            #expect(blender.blend(foreground.image, onto: background.image, mode: .normal, opacity: opacity))
        }
        #expect(blender.blend(foreground.image, onto: background.image, mode: .none, opacity: 1))
        for other in PixelFormat.all where ![.bgra, .bgrx].contains(other) {
            let wrong = Picture(other, width: 9, height: 2)
            #expect(!blender.blend(wrong.image, onto: background.image, mode: .normal, opacity: 1))
            if other.isGray { continue }
            #expect(
                !blender.blend(
                    foreground.image, onto: background.image, mode: .normal, opacity: 1, weights: wrong.image))
        }
        #expect(background.bytes == before)
    }

    @Test("opacity is clipped to 1", arguments: [1, 1.5, 1e300, Double.infinity])
    func clipped(opacity: Double) {
        let background = Picture(.rgb, width: 5, height: 1)
        let foreground = Picture(.rgb, width: 5, height: 1)
        foreground.fill { x, _ in UInt8(x) }
        Blender().blend(foreground.image, onto: background.image, mode: .normal, opacity: opacity)
        #expect((0..<5).allSatisfy { background[$0, 0] == foreground[$0, 0] })
    }

    @Test("the fast path of normal equals the slow one", arguments: PixelFormat.all)
    func normal(format: PixelFormat) {
        var random = Random(seed: 4)
        let fast = Picture(format, width: 37, height: 3, padding: 3)
        let foreground = Picture(format, width: 37, height: 3)
        fast.fillAtRandom(&random)
        foreground.fillAtRandom(&random)
        let slow = Picture(format, width: 37, height: 3, padding: 3)
        slow.restore(fast.bytes)
        let all = Picture(.gray8, width: 37, height: 3)
        all.fill { _, _ in 255 }
        let blender = Blender()
        blender.blend(foreground.image, onto: fast.image, mode: .normal, opacity: 1, useForegroundAlpha: false)
        blender.blend(
            foreground.image, onto: slow.image, mode: .normal, opacity: 1, weights: all.image,
            useForegroundAlpha: false)
        #expect(fast.bytes == slow.bytes)
        #expect(fast[36, 2][format.red] == foreground[36, 2][format.red])
    }

    @Test("of pictures that differ in size the common part is blended")
    func commonPart() {
        let background = Picture(.gray8, width: 4, height: 3)
        background.fill { _, _ in 10 }
        let foreground = Picture(.gray8, width: 3, height: 9)
        foreground.fill { _, _ in 20 }
        let weights = Picture(.gray8, width: 9, height: 2)
        weights.fill { _, _ in 255 }
        Blender().blend(foreground.image, onto: background.image, mode: .add, opacity: 1, weights: weights.image)
        let rows = (0..<3).map { y in (0..<4).map { background[$0, y][0] } }
        #expect(rows == [[30, 30, 30, 10], [30, 30, 30, 10], [10, 10, 10, 10]])
        let empty = Image(base: background.image.base, width: 0, height: 5, stride: 0, format: .gray8)
        #expect(Blender().blend(empty, onto: background.image, mode: .add, opacity: 1))
        #expect(Blender().blend(background.image, onto: empty, mode: .add, opacity: 0.5))
    }

    /// Returns the first pixel that differs from the formula by more than 1 or whose other bytes have changed.
    private func differing(
        _ result: Picture, _ background: Picture, _ foreground: Picture, _ mode: BlendMode,
        _ weight: (Int, Int) -> Double
    ) -> String? {
        let format = result.image.format
        for y in 0..<result.image.height {
            for x in 0..<result.image.width {
                let (pixel, b, f) = (result[x, y], background[x, y], foreground[x, y])
                for kept in [format.alpha, format.padding] {
                    if let kept, pixel[kept] != b[kept] { return "\(x) \(y): byte \(kept) changed" }
                }
                let right = exact(mode, b, f, format)
                for (channel, blended) in zip([format.red, format.green, format.blue], right) {
                    let old = Double(b[channel])
                    let value = old + (blended * 255 - old) * weight(x, y)
                    if abs(Double(pixel[channel]) - value.rounded()) > 1 {
                        return "\(x) \(y): \(pixel) of \(b) and \(f), not \(value)"
                    }
                }
            }
        }
        return nil
    }

    private func exact(_ mode: BlendMode, _ b: [UInt8], _ f: [UInt8], _ format: PixelFormat) -> [Double] {
        let places = [format.red, format.green, format.blue]
        let (old, new) = (places.map { Double(b[$0]) / 255 }, places.map { Double(f[$0]) / 255 })
        guard !mode.isSeparable else { return zip(old, new).map { min(1, max(0, mode.formula($0, $1))) } }
        let color = mode.colorFormula((old[0], old[1], old[2]), (new[0], new[1], new[2]))
        return [color.red, color.green, color.blue]
    }
}
