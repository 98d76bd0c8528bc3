// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Imaging
import Testing
import KernelTypes

private let modes = BlendMode.allCases.filter { !$0.isSeparable }
private let formats = PixelFormat.all.filter { !$0.isGray }

@Suite("Modes that are not separable")
struct NonSeparableTests {
    @Test("many pairs of colours, every kernel set and byte order", arguments: modes)
    func manyPairs(mode: BlendMode) {
        let pairs = Self.pairs
        let exact = pairs.map { mode.colorFormula(color($0.0), color($0.1)) }
        for kernels in Processor.kernelSets {
            let blender = Blender(kernels: kernels)
            for format in formats {
                // One format is tested with all pairs, and the other formats with some pairs.
                let step = format == .bgra ? 1 : 16
                let chosen = Array(stride(from: 0, to: pairs.count, by: step))
                let background = Picture(format, width: chosen.count, height: 1)
                let foreground = Picture(format, width: chosen.count, height: 1)
                for (x, index) in chosen.enumerated() {
                    background[x, 0] = bytes(pairs[index].0, format)
                    foreground[x, 0] = bytes(pairs[index].1, format)
                }
                blender.blend(
                    foreground.image, onto: background.image, mode: mode, opacity: 1, useForegroundAlpha: false)
                let failure = chosen.enumerated().first { x, index in
                    let pixel = background[x, 0]
                    let result = [pixel[format.red], pixel[format.green], pixel[format.blue]]
                    let right = [exact[index].red, exact[index].green, exact[index].blue]
                    return zip(result, right).contains { abs(Double($0) - ($1 * 255).rounded()) > 1 }
                }
                #expect(
                    failure == nil,
                    "\(kernels.level.rawValue) \(format.name): \(failure.map { "\(pairs[$0.element])" } ?? "")")
            }
        }
    }

    @Test(
        "numbers worked out by hand",
        arguments: [
            // Lum(b) = .3·200 + .59·100 + .11·50 = 124.5, Lum(f) = .3·10 + .59·110 + .11·60 = 74.5
            (BlendMode.luminosity, [200, 100, 50], [10, 110, 60], [150, 50, 0]),
            (.color, [200, 100, 50], [10, 110, 60], [60, 160, 110]),
            // Sat(b) = 150 and Sat(f) = 100. f is stretched by 1.5 from its minimum, which gives Lum 96.75. Then 27.75
            // is added.
            (.hue, [200, 100, 50], [10, 110, 60], [28, 178, 103]),
            // b is shrunk by 2/3 to 100, 33.3, 0, which gives Lum 49.67. Then 74.83 is added.
            (.saturation, [200, 100, 50], [10, 110, 60], [175, 108, 75]),
            (.value, [200, 100, 50], [10, 110, 60], [110, 55, 28]),
            (.value, [0, 0, 0], [10, 110, 60], [110, 110, 110]),
            // Rec. 601 lumas: 124.2 and 74.4
            (.darkerColor, [200, 100, 50], [10, 110, 60], [10, 110, 60]),
            (.lighterColor, [200, 100, 50], [10, 110, 60], [200, 100, 50]),
        ] as [(BlendMode, [Int], [Int], [Int])])
    func byHand(mode: BlendMode, b: [Int], f: [Int], expected: [Int]) {
        let background = Picture(.rgb, width: 1, height: 1)
        let foreground = Picture(.rgb, width: 1, height: 1)
        background[0, 0] = b.map(UInt8.init)
        foreground[0, 0] = f.map(UInt8.init)
        Blender().blend(foreground.image, onto: background.image, mode: mode, opacity: 1)
        #expect(background[0, 0] == expected.map(UInt8.init))
    }

    @Test("on grey pictures they give what the formula gives", arguments: modes)
    func onGray(mode: BlendMode) {
        let background = Picture(.gray8, width: 256, height: 256)
        let foreground = Picture(.gray8, width: 256, height: 256)
        background.fill { _, y in UInt8(y) }
        foreground.fill { x, _ in UInt8(x) }
        Blender().blend(foreground.image, onto: background.image, mode: mode, opacity: 1)
        for b in 0..<256 {
            let row = background.image.row(b)
            let wrong = (0..<256).first { f in
                abs(Double(row[f]) - mode.colorFormula(color([b, b, b]), color([f, f, f])).green * 255) > 0.501
            }
            #expect(wrong == nil, "b=\(b)")
        }
    }

    private static let pairs: [([Int], [Int])] = {
        let edges = [0, 1, 127, 128, 254, 255]
        var pairs: [([Int], [Int])] = []
        var random = Random(seed: 7)
        let corners = edges.flatMap { r in edges.flatMap { g in edges.map { [r, g, $0] } } }
        for b in corners {
            for _ in 0..<40 { pairs.append((b, corners[Int(random.next() >> 33) % corners.count])) }
        }
        for _ in 0..<12_000 {
            pairs.append(((0..<3).map { _ in Int(random.byte()) }, (0..<3).map { _ in Int(random.byte()) }))
        }
        return pairs
    }()

    private func color(_ rgb: [Int]) -> RGB { (Double(rgb[0]) / 255, Double(rgb[1]) / 255, Double(rgb[2]) / 255) }

    private func bytes(_ rgb: [Int], _ format: PixelFormat) -> [UInt8] {
        var pixel = [UInt8](repeating: 77, count: format.bytesPerPixel)
        pixel[format.red] = UInt8(rgb[0])
        pixel[format.green] = UInt8(rgb[1])
        pixel[format.blue] = UInt8(rgb[2])
        return pixel
    }
}
