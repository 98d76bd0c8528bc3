// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Imaging
import Testing

@Suite("Merging: pictures of one's own, soft ellipses, alpha")
struct MergingPixelsTests {
    private static let sets = Processor.kernelSets.indices

    @Test("memory is used again; sizes that cannot be are empty")
    func sizes() {
        let owned = OwnedImage(.bgra, width: 5, height: 3)
        #expect(owned.image.rowBytes == 20 && owned.image.stride == 20 && owned.image.height == 3)
        fill(owned.image, color: 0x0102_0304)
        owned.resize(width: 5, height: 3)
        #expect(owned.image.row(2)[19] == 1)
        owned.resize(width: 7, height: 1, format: .gray8)
        #expect(owned.image.format == .gray8 && owned.image.rowBytes == 7)
        for (width, height) in [(-1, 4), (4, -1), (0, 4), (.max, .max), (1 << 20, 1 << 20), (.max, 1)] {
            owned.resize(width: width, height: height)
            #expect(owned.image.isEmpty && owned.image.width == 0)
        }
        owned.resize(width: 100, height: 100)
        owned.image.row(99)[99] = 7
        #expect(owned.image.row(99)[99] == 7)
    }

    @Test("half the size: the mean of four, the last row and column of odd sizes left out", arguments: sets)
    func halves(set: Int) {
        let picture = Picture(.bgra, width: 83, height: 3, padding: 3)
        var random = Random(seed: 2)
        picture.fillAtRandom(&random)
        let half = OwnedImage(.bgra)
        half.halve(picture.image, kernels: Processor.kernelSets[set])
        #expect(half.image.width == 41 && half.image.height == 1 && half.image.format == .bgra)
        for x in 0..<41 {
            for byte in 0..<4 {
                let four = [picture[2 * x, 0], picture[2 * x + 1, 0], picture[2 * x, 1], picture[2 * x + 1, 1]]
                let sum = four.map { Int($0[byte]) }.reduce(0, +)
                #expect(Int(half.image.row(0)[4 * x + byte]) == (sum + 2) / 4)
            }
        }
        let gray = Picture(.gray8, width: 4, height: 4)
        half.halve(gray.image)
        #expect(half.image.width == 41 && half.image.format == .bgra)
    }

    @Test(
        "soft ellipses by their formula",
        arguments: [
            SoftEllipse(center: Point(20, 15), first: Point(12, 0), second: Point(0, 9), softness: 0.4),
            SoftEllipse(center: Point(18.3, 14.8), first: Point(10, 4), second: Point(-3, 9), softness: 1),
            SoftEllipse(center: Point(2, 3), first: Point(-15, 2), second: Point(6, 8), softness: 0.01),
            SoftEllipse(center: Point(20, 15), first: Point(0.2, 0), second: Point(0, 0.3), softness: 0),
        ], sets)
    func ellipse(ellipse: SoftEllipse, set: Int) {
        let picture = Picture(.gray8, width: 41, height: 31, padding: 2)
        picture.fill { x, _ in x < 30 ? 255 : 100 }
        ellipse.limit(picture.image, kernels: Processor.kernelSets[set])
        let (a, b) = (ellipse.first, ellipse.second)
        let area = a.x * b.y - a.y * b.x
        let shortest = min((a.x * a.x + a.y * a.y).squareRoot(), (b.x * b.x + b.y * b.y).squareRoot())
        let softness = max(ellipse.softness, 1 / max(1, shortest))
        var worst = 0.0
        for y in 0..<31 {
            for x in 0..<41 {
                let (dx, dy) = (Double(x) + 0.5 - ellipse.center.x, Double(y) + 0.5 - ellipse.center.y)
                let (p, q) = ((dx * b.y - dy * b.x) / area, (dy * a.x - dx * a.y) / area)
                let t = min(1, max(0, (1 - (p * p + q * q).squareRoot()) / softness))
                let right = min(x < 30 ? 255 : 100, 255 * t * t * (3 - 2 * t))
                worst = max(worst, abs(Double(picture[x, y][0]) - right))
                let bounds = ellipse.bounds
                let isInside =
                    x >= bounds.x && x < bounds.x + bounds.width && y >= bounds.y && y < bounds.y + bounds.height
                #expect(isInside || picture[x, y] == [0])
            }
        }
        #expect(worst < 0.6)
        #expect(picture.isIntactAround)
    }

    @Test("an ellipse without area has no pixels and limits nothing")
    func noEllipse() {
        let picture = Picture(.gray8, width: 4, height: 4)
        let before = picture.bytes
        for (first, second) in [
            (Point(0, 0), Point(0, 0)), (Point(1, 1), Point(2, 2)), (Point(.nan, 1), Point(0, 1)),
            (Point(.infinity, 0), Point(0, 1)),
        ] {
            let ellipse = SoftEllipse(center: Point(2, 2), first: first, second: second, softness: 0.5)
            #expect(ellipse.bounds.isEmpty)
            ellipse.limit(picture.image)
        }
        #expect(picture.bytes == before)
        let huge = SoftEllipse(center: Point(2, 2), first: Point(1e300, 0), second: Point(0, 1e-3), softness: 0.5)
        #expect(huge.bounds.width > 1 << 40)
        huge.limit(picture.image)
    }

    @Test("alpha is set, and taken out again", arguments: PixelFormat.all, sets)
    func alpha(format: PixelFormat, set: Int) {
        let picture = Picture(format, width: 86, height: 4, padding: 3)
        var random = Random(seed: 4)
        picture.fillAtRandom(&random)
        let before = Picture(format, width: 86, height: 4, padding: 3)
        before.restore(picture.bytes)
        let weights = Picture(.gray8, width: 85, height: 9)
        weights.fillAtRandom(&random)
        setAlpha(of: picture.image, to: weights.image)
        for y in 0..<4 {
            for x in 0..<86 {
                var expected = before[x, y]
                if let alpha = format.alpha, x < 85 { expected[alpha] = weights[x, y][0] }
                #expect(picture[x, y] == expected)
            }
        }
        let out = Picture(.gray8, width: 85, height: 4)
        extractAlpha(from: picture.image, into: out.image, kernels: Processor.kernelSets[set])
        for x in 0..<85 { #expect(out[x, 3] == (format.alpha == nil ? [255] : weights[x, 3])) }
        #expect(picture.isIntactAround && out.isIntactAround)
    }

    @Test("colours are scaled and clipped, dark pixels by one factor; the fourth byte stays", arguments: sets)
    func scaling(set: Int) {
        let kernels = Processor.kernelSets[set]
        let picture = Picture(.bgra, width: 44, height: 1)
        for x in stride(from: 4, to: 44, by: 4) { picture[x, 0] = [110, 120, 130, 40] }
        picture[0, 0] = [110, 120, 130, 40]
        picture[1, 0] = [200, 100, 255, 0]
        picture[2, 0] = [40, 50, 60, 255]
        picture[3, 0] = [0, 0, 0, 9]
        scaleColors(
            of: picture.image, by: SIMD3(2, 0.5, 1.5), adding: SIMD3(-30, 7, -0.25), dark: 1.25, fullFrom: 100,
            kernels: kernels)
        for x in stride(from: 4, to: 44, by: 4) { #expect(picture[x, 0] == [190, 67, 195, 40]) }
        #expect(picture[0, 0] == [190, 67, 195, 40])
        #expect(picture[1, 0] == [255, 57, 255, 0])
        // Half as light as `fullFrom`: a quarter of 50, 32 and 89.75, three quarters of 50, 62.5 and 75.
        #expect(picture[2, 0] == [50, 55, 79, 255])
        #expect(picture[3, 0] == [0, 0, 0, 9])
        let gray = Picture(.gray8, width: 3, height: 1)
        let before = gray.bytes
        scaleColors(of: gray.image, by: SIMD3(), adding: SIMD3(), dark: 0, fullFrom: 0, kernels: kernels)
        #expect(gray.bytes == before && picture.isIntactAround)
    }

    @Test("the same bytes as another format")
    func viewed() {
        let picture = Picture(.bgrx, width: 2, height: 1)
        picture[1, 0] = [1, 2, 3, 4]
        let view = picture.image.viewed(as: .argb)
        #expect(view.format == .argb && view.row(0)[7] == 4)
        #expect(picture.image.viewed(as: .rgb).format == .bgrx)
    }
}
