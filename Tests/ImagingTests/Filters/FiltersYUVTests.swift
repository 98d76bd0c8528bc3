// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Imaging
import KernelTypes
import Testing

/// Compares filters on YUV with their formulas in Double. Colours are converted by the frame's matrix, filtered, and
/// converted back. Chroma is the mean of the pixels of a sample.
@Suite("Filters: YUV")
struct FiltersYUVTests {
    /// Chains without jumps that do not amplify the rounding of the first conversion.
    private static let colors = [
        "sepia-tone | vignette", "photo-chrome | saturation saturation=0.8", "hue angle=40", "invert",
        "gamma gamma=1.2", "monochrome color=#80c0ff intensity=0.7", "photo-fade", "exposure ev=-0.5",
        "false-color", "tone-curve shadows=0.3", "stripes size=6", "white-point color=#f0e0ff | invert | photo-noir",
        "invert | temperature-tint temperature=5000",
    ]

    private static let spatial = [
        "gaussian-blur radius=2", "box-blur radius=3 | sepia-tone", "mirror", "mirror axis=vertical | invert", "twirl",
        "crop-zoom", "bloom radius=2", "rotate angle=20", "mirror-tile count=3", "pixellate size=5", "pencil-sketch",
        "kaleidoscope", "gaussian-blur radius=9",
    ]

    private static let sizes: [(width: Int, height: Int, crop: Rectangle?)] = [
        (31, 22, nil), (37, 21, Rectangle(x: 1, y: 1, width: 33, height: 17)),
        (36, 24, Rectangle(x: 2, y: 3, width: 31, height: 20)),
    ]

    /// Returns a frame with random smooth colours or random samples.
    private func video(
        _ format: FrameFormat, _ width: Int, _ height: Int, crop: Rectangle? = nil,
        _ colorimetry: Colorimetry = Colorimetry(.bt709), seed: UInt64 = 3
    ) -> Video {
        let video = Video(format, width: width, height: height, padding: 7, crop: crop, colorimetry: colorimetry)
        let equations = ColorEquations(colorimetry)
        let picture = RealPicture.sample(width: video.frame.width, height: video.frame.height, seed: seed)
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                let color = picture[x, y]
                let samples = equations.samples((color.x, color.y, color.z))
                video["Y", x, y] = UInt8(samples.y.rounded())
                video["U", x, y] = UInt8(min(255, samples.u.rounded()))
                video["V", x, y] = UInt8(min(255, samples.v.rounded()))
            }
        }
        return video
    }

    private func samples(_ video: Video, _ x: Int, _ y: Int) -> SIMD3<Double> {
        SIMD3(Double(video["Y", x, y] ?? 0), Double(video["U", x, y] ?? 0), Double(video["V", x, y] ?? 0))
    }

    private func exactColors(_ video: Video) -> RealPicture {
        let equations = ColorEquations(video.frame.colorimetry)
        return RealPicture(width: video.frame.width, height: video.frame.height) { x, y in
            let samples = samples(video, x, y)
            let color = equations.color(samples.x, samples.y, samples.z)
            return SIMD3(color.red, color.green, color.blue)
        }
    }

    /// Returns the mean difference in levels between the filtered frame and the formulas.
    private func error(_ chain: FilterChain, on video: Video, _ runner: FilterRunner) -> Double {
        let equations = ColorEquations(video.frame.colorimetry)
        let right = exactColors(video).filtered(chain).clipped
        let before = video.bytes
        #expect(runner.run(chain, on: video.frame))
        #expect(video.isIntactAround(before))
        var sum = 0.0
        for y in 0..<right.height {
            for x in 0..<right.width {
                func samples(_ place: (x: Int, y: Int)) -> (y: Double, u: Double, v: Double) {
                    let color = right[place.x, place.y]
                    return equations.samples((color.x, color.y, color.z))
                }
                let sharers = video.sharers("U", x, y).map(samples)
                let wanted = equations.color(
                    samples((x, y)).y, sharers.reduce(0) { $0 + $1.u } / Double(sharers.count),
                    sharers.reduce(0) { $0 + $1.v } / Double(sharers.count))
                let now = self.samples(video, x, y)
                let found = equations.color(now.x, now.y, now.z)
                sum +=
                    85
                    * (abs(found.red - wanted.red) + abs(found.green - wanted.green) + abs(found.blue - wanted.blue))
            }
        }
        return sum / Double(right.pixels.count)
    }

    @Test("the picture is that of the formulas", arguments: colors + spatial)
    func formulas(text: String) throws {
        let chain = try FilterChain(text)
        for (index, colorimetry) in colorimetries.enumerated() {
            let kernels = Processor.kernelSets[index % Processor.kernelSets.count]
            let mean = error(
                chain, on: video(.y444, 45, 23, colorimetry), FilterRunner(threads: 1, kernels: kernels))
            #expect(mean <= 0.8, "\(colorimetry), \(kernels.level.rawValue)")
        }
        let runner = FilterRunner(threads: 2)
        for format in FrameFormat.allYUV {
            for (width, height, crop) in Self.sizes {
                let mean = error(chain, on: video(format, width, height, crop: crop), runner)
                #expect(mean <= 0.8, "\(format.name), \(width) x \(height)")
            }
        }
    }

    /// These chains change all pixels. If a chain did not change a pixel, its samples would stay, even if they are no
    /// valid colour.
    @Test(
        "it is that of the same chain on red, green and blue",
        arguments: colors.filter { !$0.hasPrefix("stripes") })
    func packed(text: String) throws {
        let chain = try FilterChain(text)
        for format in FrameFormat.allYUV {
            for kernels in Processor.kernelSets {
                let runner = FilterRunner(threads: 1, kernels: kernels)
                let (direct, other) = (video(format, 1077, 6), video(format, 1077, 6))
                let strip = YUVStrip(kernels: kernels)
                let picture = Picture(.rgbx, width: 1077, height: 6)
                direct.frame.copyColors(into: picture.image, with: strip)
                let before = picture.bytes
                runner.run(chain, on: picture.image)
                #expect(picture.bytes != before)
                other.frame.forEachStrip(of: other.frame.bounds) { part in
                    for row in 0..<part.rowCount {
                        for x in 0..<part.width {
                            let pixel = picture[part.x + x, part.row(row)]
                            for channel in 0..<3 { strip.colors(row)[x + channel * YUVStrip.plane] = pixel[channel] }
                        }
                    }
                    strip.store(part, into: other.frame, masked: false)
                }
                runner.run(chain, on: direct.frame)
                let others = zip(direct.bytes.joined(), other.bytes.joined()).count { abs(Int($0) - Int($1)) > 1 }
                #expect(others == 0, "\(format.name), \(kernels.level.rawValue)")
            }
        }
    }

    @Test(
        "what a chain leaves as it is stays bit for bit",
        arguments: [
            "sepia-tone intensity=0", "vignette intensity=0", "hue angle=0", "gamma gamma=1", "exposure ev=0", "",
            "mirror | mirror", "gaussian-blur radius=0", "invert intensity=0 | pixellate size=1",
        ])
    func untouched(text: String) throws {
        let runner = FilterRunner(threads: 2)
        for format in FrameFormat.allYUV {
            for (width, height, crop) in Self.sizes {
                let video = Video(format, width: width, height: height, padding: 3, crop: crop)
                // The samples may also be invalid colours.
                video.fillAtRandom(seed: 11)
                let before = video.bytes
                #expect(runner.run(try FilterChain(text), on: video.frame))
                #expect(video.bytes == before, "\(format.name), \(width) x \(height)")
            }
        }
    }

    @Test("and so does a part of the picture", arguments: FrameFormat.allYUV)
    func untouchedPart(format: FrameFormat) throws {
        let video = video(format, 64, 48)
        let (before, now) = (self.video(format, 64, 48), video)
        FilterRunner(threads: 1).run(
            try FilterChain("vignette radius=0.5 softness=0 intensity=1"), on: video.frame)
        var changed = 0
        for y in 0..<48 {
            for x in 0..<64 {
                func isInside(_ x: Int, _ y: Int) -> Bool {
                    let (dx, dy) = (Double(x) - 31.5, Double(y) - 23.5)
                    return dx * dx + dy * dy < 18 * 18
                }
                let (old, new) = (samples(before, x, y), samples(now, x, y))
                if isInside(x, y) { #expect(old.x == new.x) } else if old.x != new.x { changed += 1 }
                if video.sharers("U", x, y).allSatisfy({ isInside($0.x, $0.y) }) { #expect(old == new) }
            }
        }
        #expect(changed > 1000)
    }

    @Test(
        "any number of threads does the same",
        arguments: [FrameFormat.nv12, .i420, .yuy2, .y42b, .y444],
        ["sepia-tone | vignette", "invert", "gamma", "gaussian-blur radius=5", "twirl | hue", "mirror", "median"])
    func threads(format: FrameFormat, text: String) throws {
        let crop = Rectangle(x: 1, y: 3, width: 1097, height: 64)
        let chain = try FilterChain(text)
        let (one, more) = (video(format, 1100, 70, crop: crop), video(format, 1100, 70, crop: crop))
        let before = one.bytes
        FilterRunner(threads: 1).run(chain, on: one.frame)
        FilterRunner(threads: 4).run(chain, on: more.frame)
        #expect(one.bytes == more.bytes)
        #expect(one.bytes != before)
        #expect(one.isIntactAround(before))
    }

    @Test("frames large enough to be shared", arguments: [FrameFormat.nv12, .uyvy])
    func shared(format: FrameFormat) throws {
        let chain = try FilterChain("sepia-tone | gamma | vignette | hue | gamma | saturation | stripes | photo-chrome")
        let (one, more) = (video(format, 1600, 900), video(format, 1600, 900))
        FilterRunner(threads: 1).run(chain, on: one.frame)
        FilterRunner(threads: 3).run(chain, on: more.frame)
        #expect(one.bytes == more.bytes)
    }

    @Test("random chains stay inside of the frame", arguments: 0..<8)
    func anything(part: Int) throws {
        var random = Random(seed: UInt64(900 + part))
        let runners = [FilterRunner(threads: 1), FilterRunner(threads: 3)]
        for _ in 0..<30 {
            let text = (0...Int(random.next() % 3)).map { _ in FiltersRunTests.anyUse(&random) }.joined(
                separator: " | ")
            let chain = try FilterChain(text)
            let format = FrameFormat.allYUV[Int(random.next() % UInt64(FrameFormat.allYUV.count))]
            let (width, height) = (1 + Int(random.next() % 45), 1 + Int(random.next() % 45))
            let (x, y) = (Int(random.next() % UInt64(width)), Int(random.next() % UInt64(height)))
            let crop = Rectangle(x: x, y: y, width: width - x, height: height - y)
            let videos = (0..<2).map { _ in Video(format, width: width, height: height, padding: 5, crop: crop) }
            let seed = random.next()
            for video in videos { video.fillAtRandom(seed: seed) }
            let before = videos[0].bytes
            for (runner, video) in zip(runners, videos) { #expect(runner.run(chain, on: video.frame)) }
            #expect(videos[0].isIntactAround(before), "\(text), \(format.name) \(crop)")
            #expect(videos[0].bytes == videos[1].bytes, "\(text), \(format.name) \(crop)")
        }
    }

    @Test("fields of interlaced 4:2:0 have chroma of their own", arguments: [FrameFormat.i420, .nv12, .yv12])
    func fields(format: FrameFormat) throws {
        let (width, height) = (21, 40)
        let chain = try FilterChain("sepia-tone intensity=0.8 | gamma")
        let video = video(format, width, height)
        let before = video.bytes
        func frame(_ height: Int, _ planes: [FrameImage.Plane], isInterlaced: Bool) -> FrameImage {
            FrameImage(
                format, width: width, height: height, planes: planes, colorimetry: video.whole.colorimetry,
                isInterlaced: isInterlaced)
        }
        let runner = FilterRunner(threads: 2)
        runner.run(chain, on: frame(height, video.whole.planes, isInterlaced: true))
        let together = video.bytes
        video.restore(before)
        for field in 0..<2 {
            let planes = video.whole.planes.map {
                FrameImage.Plane(base: $0.base + field * $0.stride, stride: 2 * $0.stride)
            }
            runner.run(chain, on: frame(height / 2, planes, isInterlaced: false))
        }
        #expect(video.bytes == together)
        #expect(together != before)
    }

    @Test(
        "10 bits: as 8, and what is not touched keeps its own",
        arguments: [(FrameFormat.i420Deep, FrameFormat.i420, 2), (.p010, .nv12, 8)],
        ["vignette radius=0.4 softness=0", "mirror", "gaussian-blur radius=2"])
    func deep(formats: (deep: FrameFormat, bytes: FrameFormat, shift: Int), text: String) throws {
        let (width, height, shift) = (33, 19, UInt16(formats.shift))
        let video = video(formats.bytes, width, height)
        let sizes = Video.sizes(formats.bytes, width, height)
        func byte(_ plane: Int, _ index: Int) -> UInt16 {
            let place = video.whole.planes[plane]
            let (row, column) = (index / sizes[plane].rowBytes, index % sizes[plane].rowBytes)
            return UInt16(place.base.load(fromByteOffset: row * place.stride + column, as: UInt8.self))
        }
        // The same values as 16-bit words. The bits below the upper 8 bits are set, too.
        var planes = sizes.indices.map { plane in
            (0..<sizes[plane].rows * sizes[plane].rowBytes).map { byte(plane, $0) << shift | (shift == 2 ? 1 : 0x40) }
        }
        let before = planes
        let bytesBefore = sizes.indices.map { plane in before[plane].indices.map { byte(plane, $0) } }
        let chain = try FilterChain(text)
        FilterRunner(threads: 1).run(chain, on: video.frame)
        let addresses = planes.indices.map { plane in planes[plane].withUnsafeMutableBytes { $0.baseAddress } }
        let frame = FrameImage(
            formats.deep, width: width, height: height,
            planes: zip(addresses, sizes).compactMap { address, size in
                address.map { .init(base: $0, stride: 2 * size.rowBytes) }
            }, colorimetry: video.whole.colorimetry)
        withExtendedLifetime(planes) { _ = FilterRunner(threads: 1).run(chain, on: frame) }
        var (changed, kept) = (0, 0)
        for plane in planes.indices {
            for index in planes[plane].indices {
                let byte = byte(plane, index)
                if planes[plane][index] == before[plane][index] {
                    kept += 1
                    #expect(byte == bytesBefore[plane][index])
                } else {
                    changed += 1
                    #expect(planes[plane][index] == byte << shift)
                }
            }
        }
        #expect(changed > 100)
        if text.hasPrefix("vignette") { #expect(kept > 100) }
    }

    @Test("what is drawn on the colours is in the frame, and nothing else changes", arguments: FrameFormat.allYUV)
    func drawing(format: FrameFormat) {
        let (video, before) = (video(format, 40, 30), video(format, 40, 30))
        FilterRunner(threads: 2).draw(on: video.frame) { picture in
            for x in 10..<20 { picture.packed?.row(6)[4 * x + 1] ^= 255 }
        }
        for y in 0..<30 {
            for x in 0..<40 {
                let isChanged = y == 6 && 10..<20 ~= x
                #expect((samples(video, x, y).x != samples(before, x, y).x) == isChanged)
            }
        }
    }
}
