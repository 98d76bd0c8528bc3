// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging
import Testing
@testable import Vision

/// Tests of the blob detector's stages. The expected values were computed by hand.
@Suite("Blobs: stages")
struct BlobsStageTests {
    /// Creates an image in which each channel has a constant level.
    private func plain(_ levels: [UInt8], width: Int = 60, height: Int = 40) -> Matrix<UInt8> {
        var result = Matrix<UInt8>(width: width, height: height, channels: levels.count)
        for y in 0..<height {
            let row = result.mutableRow(y)
            for x in 0..<width { for (c, level) in levels.enumerated() { row[x * levels.count + c] = level } }
        }
        return result
    }

    private func mask(_ boxes: Rectangle..., width: Int = 60, height: Int = 40) -> Matrix<UInt8> {
        var result = Matrix<UInt8>(width: width, height: height)
        for box in boxes {
            result.unite(Matrix(width: box.width, height: box.height, filledWith: 255), x: box.x, y: box.y)
        }
        return result
    }

    private func search(_ change: (inout BlobSearch) -> Void = { _ in }) -> BlobSearch {
        var search = BlobSearch(
            model: .border, threshold: 4, kernel: 0, iterations: 0, history: 500, scale: 0.5, minSide: 20, maxSide: 80,
            maxBlobs: 32, isUneven: false, removesShadows: true)
        change(&search)
        return search
    }

    // MARK: Ground

    @Test("Half of the light is a distance of ln 2 and shade; colour counts four times as much")
    func distance() throws {
        // Eight levels are added before the logarithm. So 92 becomes ln 100, 42 becomes ln 50, and 192 becomes ln 200.
        let gray = try Ground.continuingEdge(try logarithm(of: plain([92])))
        let dark = gray.distance(try logarithm(of: plain([42])))
        #expect(abs(dark.distance[30, 20] - 0.6931) < 0.001 && dark.shade[30, 20] == 255)
        #expect(gray.noise(gray.distance(try logarithm(of: plain([92]))).distance) < 0.001)
        // Red differs by ln 2, so the light differs by a third of that. The colour differs by (1 + 1 + 4)/9 of its
        // square, with the weight 16.
        let colors = try Ground.continuingEdge(try logarithm(of: plain([92, 92, 92])))
        let red = colors.distance(try logarithm(of: plain([92, 92, 192])))
        let square = 0.6931 * 0.6931 * (1.0 / 9 + 16 * 6.0 / 9)
        #expect(abs(Double(red.distance[30, 20]) - square.squareRoot()) < 0.002 && red.shade[30, 20] == 0)
    }

    @Test("The mean of the shortest half ignores values far from the most frequent ones")
    func shortestHalf() {
        #expect(meanOfShortestHalf([]) == 0 && meanOfShortestHalf([7]) == 7)
        #expect(meanOfShortestHalf([9, 1, 2, 30, 3]) == 2)
    }

    @Test("A slope of 1 is a ramp with a mean of 0; gaps are filled from around them")
    func light() throws {
        var across = Matrix<Float>(width: 4, height: 2)
        for y in 0..<2 { for x in 0..<3 { across.mutableRow(y)[x] = 1 } }
        let ramp = try Ground.integral(across: across, down: Matrix(width: 4, height: 2))
        for (x, expected) in [-1.5, -0.5, 0.5, 1.5].enumerated() { #expect(abs(ramp[x, 1] - Float(expected)) < 1e-5) }
        var (values, weight) = (
            Matrix<Float>(width: 9, height: 7, filledWith: 3), Matrix<Float>(width: 9, height: 7, filledWith: 1)
        )
        for y in 2..<5 { for x in 3..<6 { (values.mutableRow(y)[x], weight.mutableRow(y)[x]) = (100, 0) } }
        let filled = try values.filled(where: weight)
        #expect(abs(filled[4, 3] - 3) < 1e-4 && filled[0, 0] == 3)
    }

    // MARK: Shadows

    /// Returns a region of an object with a fifth of the background's light, and its shadow with half of this light.
    /// Both have 10 x 10 pixels.
    private func region(_ offset: Int, thing: Float = -1.609, shadow: Float = -0.693) throws -> ShadowRegion {
        let (box, cast) = (
            Rectangle(x: 5, y: 5, width: 10, height: 10), Rectangle(x: 5 + offset, y: 5, width: 10, height: 10)
        )
        var luma = Matrix<Float>(width: 40, height: 20)
        for (place, level) in [(cast, shadow), (box, thing)] {
            luma.paste(Matrix(width: 10, height: 10, filledWith: level), x: place.x, y: place.y)
        }
        let mask = mask(box, cast, width: 40, height: 20)
        return try ShadowRegion(
            mask: mask, residual: luma, frame: Rectangle(x: -100, y: -100, width: 300, height: 300), noise: 0.005)
    }

    @Test("A thing that is moved by the offset of its shadow covers all of it")
    func fit() throws {
        let (thing, shadow) = (
            mask(Rectangle(x: 5, y: 5, width: 9, height: 6), width: 40, height: 30),
            mask(Rectangle(x: 17, y: 9, width: 9, height: 6), width: 40, height: 30)
        )
        func best(_ direction: Point?) throws -> ShadowFit {
            try .best(
                thing, shadow, mask: thing | shadow, frame: Rectangle(width: 40, height: 30), direction: direction)
        }
        let fit = try best(nil)
        #expect((fit.x, fit.y) == (12, 4) && fit.fit > 0.999)
        #expect(abs(fit.direction.x - 0.9487) < 0.001 && abs(fit.direction.y - 0.3162) < 0.001)
        // In the opposite direction, the shadow would cover nothing.
        #expect(try best(Point(-1, 0)).fit < 0.01)
    }

    @Test("The light of a shadow is where many flat pixels are, and its thing proves it")
    func shadow() throws {
        let region = try region(8)
        let level = try #require(ShadowLevel.all(in: [region], least: 8).first { abs($0.level + 0.693) < 0.0125 })
        #expect(region.darkPixels(level).count == 80)
        let evidence = try #require(try estimateLight([region]))
        #expect(abs(evidence.light.level.level + 0.693) < 0.0125)
        let direction = try #require(evidence.light.direction)
        #expect(direction.x > 0.95)
        let rest = try evidence.withoutShadow(region, 0)
        #expect(abs(rest.count - 100) <= 10 && rest[18, 10] == 0 && rest[10, 10] == 255)
    }

    @Test("A thing alone has no shadow")
    func alone() throws {
        #expect(try estimateLight([try region(0)]) == nil)
    }

    @Test("Noise counts for more where there is less light")
    func noise() {
        // At half of the light, a noise of 0.01 becomes 0.02.
        #expect(abs(noiseTolerance(0.05, level: -0.6931, noise: 0.01, deviations: 3) - 0.11) < 1e-4)
    }

    @Test("Of two lights the one with the ground's colour is the shadow's, else the lighter one")
    func likelier() {
        let (gray, dark) = (ShadowLevel(level: -0.5), ShadowLevel(level: -0.8))
        let tinted = ShadowLevel(level: -0.4, tint: [0.04, 0, -0.04])
        #expect(gray.isLikelierShadow(than: dark) && !dark.isLikelierShadow(than: gray))
        #expect(dark.isLikelierShadow(than: tinted) && !tinted.isLikelierShadow(than: dark))
    }

    // MARK: Segmentation

    @Test("Limits of sides are in pixels of the full frame; a quarter is enough for the shorter side")
    func limits() {
        // At half of the size, 20…80 pixels become 10…40, and 20/4 becomes 2.5.
        func fits(_ width: Int, _ height: Int, _ precision: Double = 0) -> Bool {
            search().fits(Rectangle(width: width, height: height), scale: 0.5, precision: precision)
        }
        #expect(fits(10, 3) && !fits(10, 2) && !fits(9, 9) && fits(40, 40) && !fits(41, 10))
        #expect(fits(9, 2, 1) && fits(41, 10, 1))
    }

    @Test("Parts that merge when the background is eroded are one, without growing; specks and small parts are none")
    func components() throws {
        let foreground = mask(
            Rectangle(x: 5, y: 5, width: 12, height: 12), Rectangle(x: 20, y: 5, width: 6, height: 12),
            Rectangle(x: 40, y: 10, width: 11, height: 11), Rectangle(x: 30, y: 30, width: 4, height: 4),
            Rectangle(x: 2, y: 30, width: 2, height: 2))
        func boxes(_ change: (inout BlobSearch) -> Void) throws -> [Rectangle] {
            try Segmentation(foreground, nil, search(change)).candidates.map(\.box)
        }
        let (left, right) = (
            Rectangle(x: 5, y: 5, width: 12, height: 12), Rectangle(x: 40, y: 10, width: 11, height: 11)
        )
        #expect(try boxes { _ in } == [left, right, Rectangle(x: 20, y: 5, width: 6, height: 12)])
        let both = Rectangle(x: 5, y: 5, width: 21, height: 12)
        #expect(try boxes { ($0.kernel, $0.iterations) = (3, 2) } == [both, right])
        #expect(try boxes { $0.maxBlobs = 1 } == [left])
    }

    @Test("The frame's mean: levels within a standard deviation of it are background")
    func mean() throws {
        // If half of the pixels are 100 and half are 200, the mean is 150 and the standard deviation is 50.
        var image = plain([100])
        image.paste(plain([200], width: 30), x: 30, y: 0)
        #expect(try image.nearMean(search { $0.threshold = 1 }).count == 2400)
        #expect(try image.nearMean(search { $0.threshold = 0.98 }).count == 0)
    }

    @Test("The frame's mean: two equally frequent levels count alike, wherever their pixels are")
    func equalGroups() throws {
        // Both levels differ from the mean (150) by one standard deviation (50). The arrangements are halves, rows and
        // columns.
        let arrangements: [(Int, Int) -> Bool] = [
            { x, _ in x < 30 }, { _, y in y.isMultiple(of: 2) }, { x, _ in x.isMultiple(of: 2) },
        ]
        for isFirst in arrangements {
            for (first, second): (UInt8, UInt8) in [(100, 200), (200, 100)] {
                var image = plain([second])
                for y in 0..<40 { for x in 0..<60 where isFirst(x, y) { image.mutableRow(y)[x] = first } }
                #expect(try image.nearMean(search { $0.threshold = 1 }).count == 2400)
                #expect(try image.nearMean(search { $0.threshold = 0.98 }).count == 0)
                #expect(image.filledWithMean[0, 0] == 150 && image.filledWithMean[59, 39] == 150)
            }
        }
    }

    @Test("The frame's mean: of equally large blobs, the uppermost and then the leftmost one is first")
    func equalBlobs() throws {
        // The two dark squares and the two bright squares have the same number of pixels, and the background is their
        // mean.
        let squares = [(10, 5), (40, 5), (10, 25), (40, 25)]
        for dark in [[0, 1], [2, 3], [0, 3], [1, 2]] {
            var image = plain([150])
            for (index, (x, y)) in squares.enumerated() {
                image.paste(plain([dark.contains(index) ? 100 : 200], width: 10, height: 10), x: x, y: y)
            }
            func boxes(_ count: Int) throws -> [Rectangle] {
                try Segmentation(
                    nearMean: image,
                    search { ($0.threshold, $0.minSide, $0.maxSide, $0.maxBlobs) = (1, 10, 0, count) }
                ).candidates.map(\.box)
            }
            let all = try boxes(4)
            #expect(all.map(\.y) == [all[0].y, all[0].y, all[2].y, all[2].y] && all[0].y < all[2].y)
            #expect(all[0].x < all[1].x && all[2].x < all[3].x)
            #expect(try boxes(1) == [all[0]] && boxes(2) == Array(all[0..<2]))
        }
    }

    @Test("With knn the threshold is a distance in levels", arguments: [(19, false), (21, true)])
    func learned(difference: UInt8, isForeground: Bool) throws {
        let knn = search { ($0.model, $0.threshold) = (.knn, 20) }
        let model = try LearnedBackground(.knn, for: plain([100]))
        for _ in 0..<8 { #expect(try model.foreground(plain([100]), knn).count == 0) }
        #expect(try model.foreground(plain([100 + difference]), knn).count == (isForeground ? 2400 : 0))
    }
}
