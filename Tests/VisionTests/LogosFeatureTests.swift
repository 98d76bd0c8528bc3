// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Foundation
import Imaging
import Testing
@testable import Vision

@Suite("Logos: features")
struct LogosFeatureTests {
    /// Returns the features of a mask of cells, `size` pixels each, from lines of characters of which # is covered.
    private func features(_ lines: [String], size: Int = 20) throws -> ShapeFeatures {
        let plane = OwnedImage(.gray8)
        plane.resize(width: (lines.map(\.count).max() ?? 0) * size, height: lines.count * size)
        for y in 0..<plane.image.height {
            let row = plane.image.row(y)
            let line = Array(lines[y / size])
            for x in 0..<plane.image.width { row[x] = line[x / size] == "#" ? 255 : 0 }
        }
        return try ShapeFeatures(ofMask: plane.image)
    }

    /// Compares ratios, which are exact to about a third of a pixel along the edges of a square of 64.
    private func expect(
        _ features: ShapeFeatures, holes: Int, hull: Double, rectangle: Double, contour: Double,
        skeleton: ClosedRange<Double>, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(features.holes == holes, sourceLocation: sourceLocation)
        #expect(abs(features.hullRatio - hull) < 0.02, "\(features)", sourceLocation: sourceLocation)
        #expect(abs(features.rectangleRatio - rectangle) < 0.025, "\(features)", sourceLocation: sourceLocation)
        #expect(abs(features.contourRatio - contour) < 0.02, "\(features)", sourceLocation: sourceLocation)
        #expect(skeleton.contains(features.skeletonRatio), "\(features)", sourceLocation: sourceLocation)
    }

    @Test("A rectangle fills its hull, its rectangle and its contour, and shrinks to a point in its square")
    func rectangle() throws {
        let rectangle = try features(["......", ".####.", ".####.", "......"])
        expect(rectangle, holes: 0, hull: 1, rectangle: 1, contour: 1, skeleton: 0...0.001)
    }

    /// Its walls are a quarter of the square's 64 pixels wide, so that the lines in their middle are 4 · 48 pixels long, of
    /// 4096 · 3/4.
    @Test("A frame: one hole of a quarter of its area")
    func frame() throws {
        let frame = try features(["......", ".####.", ".#..#.", ".#..#.", ".####.", "......"])
        expect(frame, holes: 1, hull: 0.75, rectangle: 0.75, contour: 0.75, skeleton: 0.0585...0.0635)
        let wide = try features(["..........", ".########.", ".##....##.", ".##....##.", ".########.", ".........."])
        expect(wide, holes: 1, hull: 0.75, rectangle: 0.75, contour: 0.75, skeleton: 0.0585...0.0635)
    }

    /// Five of nine cells; the hull lacks half a cell at each corner. A tilted square of area 8 encloses all of it.
    @Test("A cross")
    func cross() throws {
        let cross = try features([".....", "..#..", ".###.", "..#..", "....."], size: 30)
        // Two lines across the square's diagonals, less at most half of an arm's width of 64 / √8 at each end.
        let area = 4096.0 * 5 / 8
        let line = 3 / 8.0.squareRoot() * 64, width = 64 / 8.0.squareRoot()
        let skeleton = 2 * (line - width) / area * 0.9...2 * line / area
        expect(cross, holes: 0, hull: 5.0 / 7, rectangle: 5.0 / 8, contour: 1, skeleton: skeleton)
    }

    @Test("An L: three of four cells, and seven eighths of them in the hull")
    func angle() throws {
        let angle = try features(["......", ".##...", ".##...", ".####.", ".####.", "......"])
        expect(angle, holes: 0, hull: 6.0 / 7, rectangle: 0.75, contour: 1, skeleton: 0.005...0.03)
    }

    @Test("Two holes; specks beside a shape are none of it")
    func two() throws {
        let eight = try features([
            ".........", ".#######.", ".#.#.#.#.", ".#######.", ".........", ".........", ".........",
        ])
        expect(eight, holes: 3, hull: 18.0 / 21, rectangle: 18.0 / 21, contour: 18.0 / 21, skeleton: 0.04...0.1)
    }

    @Test("A mask without a region, and one of a pixel: an error or plain numbers, and no harm")
    func degenerate() throws {
        #expect(throws: VisionError.self) { try features(["...", "..."]) }
        let pixel = try features(["...", ".#.", "..."], size: 1)
        #expect(pixel.holes == 0 && pixel.rectangleRatio > 0)
        let line = try features([".........", ".#######.", "........."], size: 1)
        #expect(line.holes == 0 && line.rectangleRatio > 0)
    }

    @Test("Distances and tolerances")
    func distances() throws {
        var one = try features(["###"])
        (one.holes, one.hullRatio, one.rectangleRatio) = (2, 0.5, 0.5)
        (one.skeletonRatio, one.contourRatio) = (0.05, 0.9)
        var other = one
        #expect(one.distance(to: one) == 0 && one.isNear(one, ShapeFeatures.Tolerances()))
        other.hullRatio = 0.6
        other.contourRatio = 0.85
        other.skeletonRatio = 0.06
        other.rectangleRatio = 0.48
        #expect(abs(one.distance(to: other) - 0.18) < 1e-9)
        #expect(one.isNear(other, ShapeFeatures.Tolerances()))
        var tolerances = ShapeFeatures.Tolerances()
        tolerances.contourRatio = 0.04
        #expect(!one.isNear(other, tolerances))
        other = one
        other.holes = 5
        #expect(!one.isNear(other, ShapeFeatures.Tolerances()))
    }
}

@Suite("Logos: thinning")
struct LogosThinningTests {
    private func skeleton(_ lines: [String]) -> Skeleton {
        Skeleton(thinning: lines.flatMap { $0.map { $0 == "#" } }, width: lines.first?.count ?? 0)
    }

    private func text(_ skeleton: Skeleton, width: Int) -> [String] {
        stride(from: 0, to: skeleton.pixels.count, by: width).map { start in
            String(skeleton.pixels[start..<start + width].map { $0 ? "#" : "." })
        }
    }

    @Test("Lines of one pixel stay; their lengths")
    func lines() {
        for (lines, length) in [
            ([".......", ".#####.", "......."], 4.0), (["...", ".#.", ".#.", ".#.", "..."], 2),
            (["......", ".#....", "..#...", "...#..", "....#.", "......"], 3 * 2.0.squareRoot()),
            (["......", "....#.", "...#..", "..#...", "......"], 2 * 2.0.squareRoot()),
            (["......", ".###..", "....#.", "......"], 2 + 2.0.squareRoot()),
            (["...", ".#.", "..."], 0), (["....", "....", "...."], 0),
        ] {
            let thin = skeleton(lines)
            #expect(text(thin, width: lines[0].count) == lines)
            #expect(abs(thin.length - length) < 1e-9)
        }
    }

    /// Random shapes, thinned by the paper's wording: the pixels P2 to P9 are the neighbours clockwise from the one
    /// above; A is the number of times that a 0 is followed by a 1 around, B the number of 1s.
    @Test("Zhang and Suen's conditions, word by word", arguments: 0..<20)
    func reference(seed: Int) {
        var random = SeededRandom(UInt64(seed))
        let (width, height) = (30, 24)
        var mask = [Bool](repeating: false, count: width * height)
        for _ in 0..<6 {
            let (x, y) = (Int.random(in: 1..<22, using: &random), Int.random(in: 1..<16, using: &random))
            let (w, h) = (Int.random(in: 1..<12, using: &random), Int.random(in: 1..<9, using: &random))
            let sets = Double.random(in: 0..<1, using: &random) < 0.75
            for row in y..<min(height - 1, y + h) {
                for column in x..<min(width - 1, x + w) { mask[row * width + column] = sets }
            }
        }
        var expected = mask
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for step in 1...2 {
                var gone: [Int] = []
                for y in 1..<height - 1 {
                    for x in 1..<width - 1 where expected[y * width + x] {
                        let p = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)].map {
                            expected[(y + $0.1) * width + x + $0.0]
                        }
                        let (p2, p4, p6, p8) = (p[0], p[2], p[4], p[6])
                        let a = (0..<8).count { !p[$0] && p[($0 + 1) % 8] }
                        let b = p.count { $0 }
                        let sides =
                            step == 1 ? !(p2 && p4 && p6) && !(p4 && p6 && p8) : !(p2 && p4 && p8) && !(p2 && p6 && p8)
                        if b >= 2, b <= 6, a == 1, sides { gone.append(y * width + x) }
                    }
                }
                for index in gone { expected[index] = false }
                if !gone.isEmpty { hasChanged = true }
            }
        }
        #expect(Skeleton(thinning: mask, width: width).pixels == expected)
    }

    @Test("What reaches the edge of the mask, and masks of no size")
    func edges() {
        #expect(skeleton(["###", "###", "###"]).pixels.count { $0 } <= 1)
        #expect(skeleton([]).pixels.isEmpty)
        #expect(Skeleton(thinning: [true, true, true], width: 3).length == 0)
        #expect(Skeleton(thinning: [true], width: 0).length == 0)
    }

    /// Three by two pixels without one at the corner: the hull lacks half a pixel, the rectangle nothing.
    @Test("The hull and the smallest rectangle of a few pixels, and the map to a square")
    func rowEnds() throws {
        var mask = Matrix<UInt8>(width: 6, height: 5)
        for (x, y) in [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2)] { mask.mutableRow(y)[x] = 255 }
        let ends = RowEnds(mask)
        #expect(ends.hullArea == 5.5)
        let rectangle = try #require(try ends.smallestRectangle())
        #expect(abs(rectangle.width * rectangle.height - 6) < 1e-4)
        // The middle of the rectangle becomes that of the square, and its corners those of the inside.
        let map = AffineMap(rectangle, side: 20, margin: 4)
        #expect((map(Point(2, 1.5)) - Point(9.5, 9.5)).length < 1e-4)
        let corners = [(0.5, 0.5), (3.5, 0.5), (3.5, 2.5), (0.5, 2.5)].map { map(Point($0.0, $0.1)) }
        #expect(corners.allSatisfy { abs(abs($0.x - 9.5) - 6) < 1e-4 && abs(abs($0.y - 9.5) - 6) < 1e-4 })
        #expect(try RowEnds(Matrix<UInt8>(width: 3, height: 3)).smallestRectangle() == nil)
    }
}
