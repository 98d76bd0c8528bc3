// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Testing
import KernelTypes

@Suite("Merging: parts of frames as pixels")
struct MergingPatchTests {
    /// Areas of a frame of 15 x 11 pixels or of a crop of it, at every parity.
    private static let crops = [
        nil, Rectangle(x: 1, y: 1, width: 13, height: 9), Rectangle(x: 2, y: 3, width: 12, height: 7),
    ]
    private static let areas = [
        Rectangle(x: 0, y: 0, width: 40, height: 40), Rectangle(x: 2, y: 2, width: 6, height: 4),
        Rectangle(x: 3, y: 1, width: 5, height: 5), Rectangle(x: 5, y: 3, width: 1, height: 1),
        Rectangle(x: -3, y: -2, width: 8, height: 5), Rectangle(x: 9, y: 5, width: 90, height: 90),
    ]

    /// Converts YUV to red, green and blue by the numbers that follow from ITU-R BT.601 and BT.709.
    private func color(_ y: Double, _ u: Double, _ v: Double, _ colorimetry: Colorimetry) -> [Double] {
        let full = colorimetry.isFullRange
        let (luma, blue, red) = (full ? y : 255 * (y - 16) / 219, (u - 128), (v - 128))
        let scale = full ? 1 : 255.0 / 224
        return colorimetry.matrix == .bt601
            ? [
                luma + scale * 1.402 * red, luma - scale * (0.344136 * blue + 0.714136 * red),
                luma + scale * 1.772 * blue,
            ]
            : [
                luma + scale * 1.5748 * red, luma - scale * (0.187324 * blue + 0.468124 * red),
                luma + scale * 1.8556 * blue,
            ]
    }

    /// Returns the colour of a visible pixel of a frame, before rounding.
    private func color(of video: Video, _ x: Int, _ y: Int) -> [Double] {
        func sample(_ letter: Character) -> Double { Double(video[letter, x, y] ?? 0) }
        if video.frame.format.isYUV { return color(sample("Y"), sample("U"), sample("V"), video.frame.colorimetry) }
        return video.frame.format.isGray
            ? [sample("Y"), sample("Y"), sample("Y")] : [sample("R"), sample("G"), sample("B")]
    }

    private func nearest(_ value: Double) -> Double { min(255, max(0, value)) }

    @Test("read from every format, at every parity", arguments: FrameFormat.all)
    func reading(format: FrameFormat) {
        for kernels in Processor.kernelSets {
            let patch = FramePatch(kernels: kernels)
            for (round, crop) in Self.crops.enumerated() {
                let colorimetry: Colorimetry? = [nil, Colorimetry(.bt709), Colorimetry(.bt601, isFullRange: true)][
                    round]
                let video = Video(format, width: 15, height: 11, padding: 3, crop: crop, colorimetry: colorimetry)
                video.fillAtRandom(seed: UInt64(round) + 5)
                for area in Self.areas {
                    patch.read(video.frame, area)
                    #expect(patch.area == video.frame.bounds.intersection(area))
                    #expect(patch.image.bounds == Rectangle(width: patch.area.width, height: patch.area.height))
                    var worst = 0.0
                    for y in 0..<patch.area.height {
                        for x in 0..<patch.area.width {
                            let (column, row) = (x + patch.area.x, y + patch.area.y)
                            let pixel = (0..<4).map { Double(patch.image.row(y)[4 * x + $0]) }
                            let right = color(of: video, column, row).map(nearest)
                            for (ours, theirs) in zip([pixel[2], pixel[1], pixel[0]], right) {
                                worst = max(worst, abs(ours - theirs))
                            }
                            #expect(UInt8(pixel[3]) == video["A", column, row] ?? 255)
                        }
                    }
                    #expect(worst < 0.51, "\(kernels.level.rawValue) \(area)")
                }
            }
        }
    }

    @Test("colours are mixed in by weight and opacity; nothing else changes", arguments: FrameFormat.all)
    func mixing(format: FrameFormat) {
        let patch = FramePatch()
        for (round, crop) in Self.crops.enumerated() {
            let video = Video(format, width: 15, height: 11, padding: 3, crop: crop)
            for area in Self.areas {
                video.fillAtRandom(seed: UInt64(round) + 9)
                let before = video.bytes
                let original = Video(format, width: 15, height: 11, padding: 3, crop: crop)
                original.restore(before)
                patch.read(video.frame, area)
                paint(patch.image, [160, 90, 50])
                let weights = Picture(.gray8, width: patch.area.width, height: patch.area.height, padding: 5)
                var random = Random(seed: 8)
                weights.fillAtRandom(&random)
                let opacity = [1, 0.6, 1][round]
                patch.mix(into: video.frame, weights: weights.image, opacity: opacity)
                expect(video, original, 0x32_5A_A0, patch.area, weights, opacity)
                #expect(video.isIntactAround(before))
            }
        }
    }

    /// Sets the first three bytes of each pixel.
    private func paint(_ image: Image, _ color: [UInt8]) {
        for y in 0..<image.height {
            for x in 0..<image.width { for (byte, value) in color.enumerated() { image.row(y)[4 * x + byte] = value } }
        }
    }

    private func expect(
        _ video: Video, _ original: Video, _ color: UInt32, _ area: Rectangle, _ weights: Picture, _ opacity: Double
    ) {
        func weight(_ x: Int, _ y: Int) -> Double {
            let (column, row) = (x - area.x, y - area.y)
            guard column >= 0, row >= 0, column < area.width, row < area.height else { return 0 }
            return Double(weights[column, row][0]) / 255 * opacity
        }
        var worst = 0.0
        for letter in video.letters where letter != "A" && letter != "x" {
            let paint = Samples.of(color, letter, video.frame.colorimetry)
            for y in 0..<video.frame.height {
                for x in 0..<video.frame.width {
                    let sharers = video.sharers(letter, x, y)
                    let share = sharers.map { weight($0.x, $0.y) }.reduce(0, +) / Double(sharers.count)
                    let was = Double(original[letter, x, y] ?? 0)
                    worst = max(worst, abs(Double(video[letter, x, y] ?? 0) - (was + (paint - was) * share)))
                }
            }
        }
        #expect(worst < 2, "\(video.frame.format.name) \(area)")
        for letter in ["A", "x"] as [Character] {
            for y in 0..<video.frame.height {
                for x in 0..<video.frame.width { #expect(video[letter, x, y] == original[letter, x, y]) }
            }
        }
    }

    @Test("what is read and put back is as it was", arguments: FrameFormat.all)
    func unchanged(format: FrameFormat) {
        let video = Video(format, width: 12, height: 8, padding: 1)
        // Colours that exist in RGB.
        video.fillAtRandom()
        if format.isYUV { for letter in ["U", "V"] as [Character] { video.fill(letter, 141) } }
        if format.isYUV { for y in 0..<8 { for x in 0..<12 { video["Y", x, y] = UInt8(60 + 10 * x + y) } } }
        let before = video.bytes
        let patch = FramePatch()
        patch.read(video.frame, Rectangle(x: 1, y: 1, width: 9, height: 6))
        let weights = Picture(.gray8, width: 9, height: 6)
        weights.fill { _, _ in 255 }
        patch.mix(into: video.frame, weights: weights.image)
        let maximum = zip(before.joined(), video.bytes.joined()).map { abs(Int($0) - Int($1)) }.max() ?? 0
        #expect(maximum <= (format.isYUV ? 1 : 0))
    }

    @Test("weights that do not fit, no opacity and another frame's parity change nothing")
    func refused() {
        let video = Video(.i420, width: 10, height: 8)
        video.fillAtRandom()
        let before = video.bytes
        let patch = FramePatch()
        patch.read(video.frame, Rectangle(x: 2, y: 2, width: 4, height: 4))
        paint(patch.image, [255, 255, 255])
        let (good, small) = (Picture(.gray8, width: 4, height: 4), Picture(.gray8, width: 4, height: 3))
        let wrong = Picture(.bgra, width: 4, height: 4)
        for weights in [good, small, wrong] { weights.fill { _, _ in 255 } }
        patch.mix(into: video.frame, weights: small.image)
        patch.mix(into: video.frame, weights: wrong.image)
        for opacity in [0, -1, Double.nan] { patch.mix(into: video.frame, weights: good.image, opacity: opacity) }
        patch.mix(into: video.whole.cropped(to: Rectangle(x: 1, y: 0, width: 9, height: 8)), weights: good.image)
        patch.mix(into: video.whole.cropped(to: Rectangle(width: 5, height: 8)), weights: good.image)
        #expect(video.bytes == before)
        patch.mix(into: video.frame, weights: good.image)
        #expect(video.bytes != before)
    }
}
