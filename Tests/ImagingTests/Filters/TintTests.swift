// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Imaging
import Testing

@Suite("Tint")
struct TintTests {
    private static let kernels = Processor.kernelSets

    /// Returns all values multiplied by the gain of green.
    private static func products(_ gain: ChannelGains, _ set: Int) -> [Int] {
        let picture = Picture(.rgb, width: 256, height: 1)
        picture.fill { x, _ in UInt8(x / 3) }
        ColorGainFilter(kernels: kernels[set]).apply(gain, to: FrameImage(picture.image))
        return (0..<256).map { Int(picture[$0, 0][1]) }
    }

    @Test("Every value by every gain of some decimals: the product, clipped and rounded", arguments: kernels.indices)
    func decimals(_ set: Int) {
        for thousandths in Array(stride(from: 0, through: 4000, by: 25)) + [1, 7, 333, 667, 999, 1001, 1999, 3999] {
            let gain = Double(thousandths) / 1000
            // Computed with integers. Halves are rounded up.
            let expected = (0..<256).map { min(255, (2 * $0 * thousandths + 1000) / 2000) }
            #expect(Self.products(ChannelGains(red: 0, green: gain, blue: 0), set) == expected, "\(gain)")
        }
    }

    @Test("Every value by any gain, also next to where a rounding turns", arguments: kernels.indices)
    func any(_ set: Int) {
        var random = Random(seed: 3)
        var gains: [Double] = []
        for number in 1...40 {
            // Gains slightly above and below a tie. The product is then nearly half a level or 127.5.
            for tie in [0.5 / Double(6 * number + 1), 127.5 / Double(255 - number)] {
                gains += [tie + 1e-8, tie - 1e-8]
            }
        }
        for _ in 0..<150 { gains.append(Double(random.next() >> 11) / 9_007_199_254_740_992 * 4) }
        for gain in gains {
            let expected = (0..<256).map { Int(min(255, Double($0) * gain).rounded()) }
            #expect(Self.products(ChannelGains(red: 1, green: gain, blue: 2), set) == expected, "\(gain)")
        }
    }

    @Test("Each colour by its own gain, in all packed formats", arguments: PixelFormat.all, kernels.indices)
    func colors(_ format: PixelFormat, _ set: Int) {
        let filter = ColorGainFilter(kernels: Self.kernels[set])
        // Some widths are greater than the number of pixels that the kernel processes together.
        for (width, height) in [(1, 1), (3, 2), (64, 3), (1031, 2)] {
            let picture = Picture(format, width: width, height: height, padding: 5)
            var random = Random(seed: UInt64(width))
            for gains in [(1.2, 0.9, 1.1), (0, 4, 0.3), (1, 2.5, 1)] {
                picture.fillAtRandom(&random)
                let before = picture.bytes
                let pixels = (0..<height).map { y in (0..<width).map { picture[$0, y] } }
                filter.apply(ChannelGains(red: gains.0, green: gains.1, blue: gains.2), to: FrameImage(picture.image))
                var wrong = 0
                for y in 0..<height {
                    for x in 0..<width {
                        var expected = pixels[y][x]
                        let pairs =
                            format.isGray
                            ? [(0, 0.299 * gains.0 + 0.587 * gains.1 + 0.114 * gains.2)]
                            : [(format.red, gains.0), (format.green, gains.1), (format.blue, gains.2)]
                        for (place, gain) in pairs {
                            expected[place] = UInt8(min(255, Double(expected[place]) * gain).rounded())
                        }
                        if picture[x, y] != expected { wrong += 1 }
                    }
                }
                #expect(wrong == 0 && picture.isIntactAround)
                picture.restore(before)
            }
        }
    }

    @Test("Gains with offsets are as exact")
    func offsets() {
        let filter = ColorGainFilter()
        let picture = Picture(.rgb, width: 256, height: 1)
        for (gain, offset) in [(255.0 / 64, -255.0 / 64 * 100), (1.5, -12.5), (0.5, 100.25), (0, 77.5), (-1, 255)] {
            let channel = ChannelGains.Channel(gain: gain, offset: offset)
            picture.fill { x, _ in UInt8(x / 3) }
            filter.apply(ChannelGains(red: channel, green: channel, blue: channel), to: FrameImage(picture.image))
            let wrong = (0..<256).filter {
                picture[$0, 0][0] != UInt8(max(0, min(255, Double($0) * gain + offset)).rounded())
            }
            #expect(wrong.isEmpty, "\(gain) \(offset)")
        }
    }

    @Test("Numbers beyond all measure do no harm")
    func beyond() {
        let picture = Picture(.bgra, width: 5, height: 3, padding: 1)
        for number in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
            let channel = ChannelGains.Channel(gain: number, offset: number)
            ColorGainFilter().apply(
                ChannelGains(red: channel, green: channel, blue: channel), to: FrameImage(picture.image))
            #expect(picture.isIntactAround)
        }
        let empty = Picture(.gray8, width: 0, height: 0)
        ColorGainFilter().apply(ChannelGains(red: 2, green: 2, blue: 2), to: FrameImage(empty.image))
    }

    // MARK: - YUV

    @Test(
        "YUV: as by way of RGB in full precision, also cropped and of odd sizes",
        arguments: FrameFormat.allYUV, kernels.indices)
    func yuv(_ format: FrameFormat, _ set: Int) throws {
        let filter = ColorGainFilter(kernels: Self.kernels[set])
        let gains = (1.3, 0.7, 1.1)
        for (colorimetry, crop) in [
            (Colorimetry(.bt601), nil),
            (Colorimetry(.bt709, isFullRange: true), Rectangle(x: 3, y: 1, width: 9, height: 6)),
            (Colorimetry(.bt709), Rectangle(x: 1, y: 2, width: 1, height: 1)),
        ] {
            let video = Video(format, width: 13, height: 9, padding: 3, crop: crop, colorimetry: colorimetry)
            video.fillAtRandom(seed: 9)
            let before = video.bytes
            var old: [Character: [[Double]]] = [:]
            for letter in video.letters {
                old[letter] = (0..<video.frame.height).map { y in
                    (0..<video.frame.width).map { x in Double(video[letter, x, y] ?? 0) }
                }
            }
            filter.apply(ChannelGains(red: gains.0, green: gains.1, blue: gains.2), to: video.frame)
            for letter in video.letters {
                for y in 0..<video.frame.height {
                    for x in 0..<video.frame.width {
                        let sharers = video.sharers(letter, x, y)
                        let lumas = try sharers.map { try #require(old["Y"])[$0.y][$0.x] }
                        let u = try #require(old["U"])[y][x]
                        let v = try #require(old["V"])[y][x]
                        let luma = lumas.reduce(0, +) / Double(lumas.count)
                        let expected = sample(letter, (luma, u, v), gains, colorimetry)
                        let found = Double(try #require(video[letter, x, y]))
                        // The mean of luma is rounded, and then chroma is computed from it.
                        #expect(abs(found - expected) <= (letter == "Y" ? 0.51 : 1.1), "\(letter) \(x) \(y)")
                    }
                }
            }
            #expect(video.isIntactAround(before))
        }
    }

    /// Computes a sample by the equations of BT.601 and BT.709.
    private func sample(
        _ letter: Character, _ yuv: (Double, Double, Double), _ gains: (Double, Double, Double), _ space: Colorimetry
    ) -> Double {
        let (kr, kb) = space.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let (low, spread, chroma) = space.isFullRange ? (0.0, 255.0, 255.0) : (16.0, 219.0, 224.0)
        let y = (yuv.0 - low) / spread
        let (pb, pr) = ((yuv.1 - 128) / chroma, (yuv.2 - 128) / chroma)
        let (red, blue) = (y + 2 * (1 - kr) * pr, y + 2 * (1 - kb) * pb)
        let green = (y - kr * red - kb * blue) / (1 - kr - kb)
        func clipped(_ value: Double) -> Double { min(1, max(0, value)) }
        let (r, g, b) = (clipped(red * gains.0), clipped(green * gains.1), clipped(blue * gains.2))
        let luma = kr * r + (1 - kr - kb) * g + kb * b
        let value =
            switch letter {
            case "Y": low + spread * luma
            case "U": 128 + chroma * (b - luma) / (2 * (1 - kb))
            default: 128 + chroma * (r - luma) / (2 * (1 - kr))
            }
        return min(255, max(0, value))
    }

    // MARK: - White balance

    @Test("Grey world: the means become their mean, from numbers by hand", arguments: ["BGRA", "xRGB", "RGB"])
    func grayWorld(_ name: String) throws {
        let format = try #require(PixelFormat(name: name))
        let picture = Picture(format, width: 2, height: 2, padding: 3)
        // The means are 100, 50 and 30, and their mean is 60.
        let pixels: [(UInt8, UInt8, UInt8)] = [(80, 50, 0), (120, 50, 60), (200, 0, 30), (0, 100, 30)]
        for (index, pixel) in pixels.enumerated() {
            var bytes = [UInt8](repeating: 9, count: format.bytesPerPixel)
            (bytes[format.red], bytes[format.green], bytes[format.blue]) = pixel
            picture[index % 2, index / 2] = bytes
        }
        let sample = ColorSample()
        sample.take(FrameImage(picture.image))
        let balanced = ChannelGains(red: 0.6, green: 1.2, blue: 2)
        #expect(sample.grayWorld == balanced)
        picture.fill { _, _ in 0 }
        sample.take(FrameImage(picture.image))
        #expect(sample.grayWorld == ChannelGains())
        // Gains are limited. Without the limit, the means 255, 3 and 3 would give 0.34, 29 and 29.
        picture.fill { x, _ in x % format.bytesPerPixel == format.red ? 255 : 3 }
        sample.take(FrameImage(picture.image))
        #expect(sample.grayWorld.green.gain == 4 && sample.grayWorld.red.gain == 87.0 / 255)
    }

    @Test("Simple: 2 % beyond either end, from numbers by hand")
    func stretch() {
        let picture = Picture(.rgb, width: 100, height: 1)
        // Red: 2 pixels are 0, 96 pixels are 51 to 146, and 2 pixels are 255, so the range is 51 to 146. Green: 3
        // pixels are 0, all others 200. Blue: all pixels are 100.
        for x in 0..<100 {
            picture[x, 0] = [x < 2 ? 0 : x < 98 ? UInt8(49 + x) : 255, x < 3 ? 0 : 200, 100]
        }
        let sample = ColorSample()
        sample.take(FrameImage(picture.image))
        let lines = sample.stretch
        let (red, green, blue) = (255.0 / 95, 255.0 / 200, 255.0 / 64)
        #expect(lines.red == ChannelGains.Channel(gain: red, offset: -51 * red))
        #expect(lines.green == ChannelGains.Channel(gain: green, offset: 0))
        // The range is extended to 64 values around 100.
        #expect(lines.blue == ChannelGains.Channel(gain: blue, offset: -68 * blue))
    }

    @Test("Samples of YUV are its colours, those of large frames are spread evenly")
    func samples() {
        let video = Video(.nv12, width: 5, height: 3, padding: 2)
        for (letter, value) in [("Y", 81), ("U", 90), ("V", 240)] as [(Character, UInt8)] { video.fill(letter, value) }
        let sample = ColorSample()
        sample.take(video.frame)
        #expect((sample.image.width, sample.image.height) == (5, 3))
        // Red in BT.601
        let pixel = (0..<3).map { sample.image.row(1)[$0] }
        #expect(pixel[0] >= 253 && pixel[1] <= 1 && pixel[2] <= 1)

        let large = Picture(.gray8, width: 700, height: 300)
        large.fill { x, y in UInt8((x / 4 + y) % 256) }
        sample.take(FrameImage(large.image))
        // The image has 210 000 pixels. Every second pixel of every second row gives 52 500.
        #expect((sample.image.width, sample.image.height) == (350, 150))
        #expect(sample.image.row(7)[3 * 11] == 19)
    }

    @Test("Each pixel has its own chroma", arguments: FrameFormat.allYUV)
    func chroma(format: FrameFormat) {
        // In BT.601, U is 90 and V is 240 for red. For blue, U is 240 and V is 110.
        let video = Video(format, width: 8, height: 4, padding: 3)
        video.fill("Y", 81)
        for y in 0..<4 {
            for x in 0..<8 { (video["U", x, y], video["V", x, y]) = x < 4 ? (90, 240) : (240, 110) }
        }
        let sample = ColorSample()
        sample.take(video.frame)
        for y in 0..<4 {
            let row = sample.image.row(y)
            for x in 0..<8 {
                let (red, blue) = (row[3 * x], row[3 * x + 2])
                #expect(x < 4 ? red > 200 && blue < 50 : red < 50 && blue > 200, "(\(x), \(y)): \(red), \(blue)")
            }
        }
    }

    @Test("The median of grey")
    func median() {
        let picture = Picture(.gray8, width: 5, height: 1, padding: 2)
        picture.fill { x, _ in [9, 200, 30, 31, 255][x] }
        #expect(picture.image.median == 31)
        picture.fill { _, _ in 255 }
        #expect(picture.image.median == 255)
        let single = Picture(.rgb, width: 5, height: 1)
        #expect(withExtendedLifetime(single) { single.image.median } == 0)
    }
}
