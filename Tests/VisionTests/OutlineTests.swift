// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
@testable import Vision

/// Tests of each step from an image to an outline. The expected numbers were calculated by hand.
@Suite("Outlines")
struct OutlineTests {
    private static func rectangle(_ width: Double, _ height: Double, at corner: Point = Point(0, 0)) -> [Point] {
        [Point(0, 0), Point(width, 0), Point(width, height), Point(0, height)].map {
            Point($0.x + corner.x, $0.y + corner.y)
        }
    }

    private static func turned(_ corners: [Point], degrees: Double, scale: Double, shift: Point) -> [Point] {
        let (sine, cosine) = sineAndCosine(degrees: degrees)
        let map = Similarity(turn: Point(cosine, sine) * scale, shift: shift)
        return corners.map { map($0) }
    }

    // MARK: - Geometry

    @Test("A rectangle of 4 by 2: its perimeter, its area, the area of its hull, and places at equal distances")
    func polygon() {
        let rectangle = Self.rectangle(4, 2)
        #expect(rectangle.perimeter == 12 && rectangle.signedArea == 8 && rectangle.hullArea == 8)
        #expect(rectangle.reversed().signedArea == -8)
        #expect(rectangle.bounds == Rectangle(x: 0, y: 0, width: 5, height: 3))
        let places = [Point(0, 0), Point(2, 0), Point(4, 0), Point(4, 2), Point(2, 2), Point(0, 2)]
        #expect(rectangle.resampled(6) == places)
        // The hull includes a notch with an area of 1.
        #expect((rectangle + [Point(1, 1)]).hullArea == 8)
        // Smoothing does not change the mean of a closed line.
        let smooth = rectangle.resampled(24).smoothed(sigma: 2)
        #expect(abs(smooth.map(\.x).reduce(0, +) / 24 - 2) < 1e-9 && smooth.map(\.x).max() ?? 0 < 4)
    }

    @Test("Maps: a product, an inverse, and the factors by which lengths change")
    func maps() {
        let map = AffineMap(xx: 0, xy: -2, x0: 5, yx: 0.5, yy: 0, y0: 1)
        #expect(map(Point(1, 3)) == Point(-1, 1.5))
        #expect((map.inverse * map)(Point(7, -3)) == Point(7, -3))
        #expect(map.stretch.least == 0.5 && map.stretch.most == 2 && map.determinant == 1)
        // A rotation by 90° and an enlargement by 2.
        let places = [Point(0, 0), Point(1, 0), Point(0, 2)]
        let fit = Similarity(from: places, to: [Point(3, 4), Point(3, 6), Point(-1, 4)])
        #expect((fit.turn - Point(0, 2)).length < 1e-12 && (fit.shift - Point(3, 4)).length < 1e-12)
        // The first pixel covers 0 to 1. In OpenCV, its centre is at 0.
        #expect(AffineMap(fit)(Point(-0.5, -0.5)) == Point(2.5, 3.5))
    }

    @Test("The transform of one turn around a circle has one frequency")
    func fourier() {
        let transform = FourierTransform(bits: 3)
        let circle = (0..<8).map { place in
            let (sine, cosine) = sineAndCosine(degrees: 45 * Double(place))
            return SIMD2(Float(cosine), Float(sine))
        }
        for (frequency, value) in transform(circle).enumerated() {
            #expect(abs(value.x - (frequency == 1 ? 8 : 0)) < 1e-5 && abs(value.y) < 1e-5, "\(frequency)")
        }
    }

    // MARK: - Outlines

    /// For a square with side 1, the mean square distance of the edge from the centre is 1/4 + 1/12 = 1/3, so the size
    /// is √(1/3). The thickness is 2 · area / perimeter, relative to the size.
    @Test("A square: its size, its thickness, and a perfect match after any rotation")
    func square() throws {
        let corners = Self.rectangle(90, 90)
        let square = try #require(try Outline(Silhouette(corners: corners)))
        #expect(abs(square.size - 90 / 3.0.squareRoot()) < 0.5 && abs(square.thickness - 3.0.squareRoot() / 2) < 0.01)
        #expect((square.middle - Point(45, 45)).length < 0.1 && square.area == 8100)
        let moved = Self.turned(corners.reversed(), degrees: 30, scale: 2, shift: Point(300, 200))
        let other = try #require(try Outline(Silhouette(corners: moved)))
        let match = try square.compared(to: other, square.aligned(to: other))
        #expect(match.distance < 0.01 && match.holes == 0)
        #expect(abs(match.images.turn.length - 2) < 0.02)
        #expect((match.images(Point(45, 45)) - other.middle).length < 0.5)
    }

    @Test("A bar is far from a square, and an L from its mirror image")
    func different() throws {
        let square = try #require(try Outline(Silhouette(corners: Self.rectangle(60, 60))))
        let bar = try #require(try Outline(Silhouette(corners: Self.rectangle(120, 30))))
        #expect(try square.compared(to: bar, square.aligned(to: bar)).distance > 0.25)
        let corners = [(0, 0), (20, 0), (20, 60), (60, 60), (60, 80), (0, 80)].map { Point(Double($0.0), Double($0.1)) }
        let l = try #require(try Outline(Silhouette(corners: corners)))
        let mirrored = try #require(try Outline(Silhouette(corners: corners.map { Point(100 - $0.x, $0.y) })))
        #expect(try l.compared(to: l, l.aligned(to: l)).distance < 1e-6)
        #expect(try l.compared(to: mirrored, l.aligned(to: mirrored)).distance > 0.1)
    }

    /// A square with side 1 has the size 1/√3. A hole with an area of 1/9 is 3/9 of the square of the size.
    @Test("A hole that only one of two squares has")
    func hole() throws {
        let square = Silhouette(corners: Self.rectangle(90, 90))
        var frame = square
        frame.holes = [Self.rectangle(30, 30, at: Point(30, 30))]
        let (plain, open) = (try #require(try Outline(square)), try #require(try Outline(frame)))
        let holes = try plain.compared(to: open, plain.aligned(to: open)).holes
        #expect(abs(holes - (1.0 / 3) / (1 + 1.0 / 3)) < 0.03, "\(holes)")
        #expect(try open.compared(to: open, open.aligned(to: open)).holes < 0.01)
    }

    // MARK: - Ground and cutting out

    /// Returns a background with level 100 + x, a shadow on a fifth of it, and a dark object in the middle.
    private func scene(shadow: Double) -> Matrix<UInt8> {
        var picture = Matrix<UInt8>(width: 90, height: 60)
        for y in 0..<60 {
            let row = picture.mutableRow(y)
            for x in 0..<90 { row[x] = UInt8((100 + Double(x)) * (18..<36 ~= x ? shadow : 1)) }
            guard 20..<40 ~= y else { continue }
            for x in 40..<60 { row[x] = 20 }
        }
        return picture
    }

    @Test(
        "The ground rises by a level per column; a shadow on it is a factor, and no contrast where it counts as ground")
    func ground() throws {
        let all = Matrix<UInt8>(width: 90, height: 60, filledWith: 255)
        let lit = try GroundPlane(scene(shadow: 1), all)
        #expect(lit.shadow == 1)
        let contrast = lit.contrast(scene(shadow: 1), darkest: 1)
        #expect(abs(contrast[10, 5]) < 1 && abs(contrast[80, 50]) < 1 && abs(contrast[50, 30] - 130) < 1.5)
        let shaded = try GroundPlane(scene(shadow: 0.6), all)
        #expect(abs(shaded.shadow - 0.6) < 0.02)
        #expect(shaded.contrast(scene(shadow: 0.6), darkest: 1)[20, 5] > 40)
        #expect(shaded.contrast(scene(shadow: 0.6), darkest: shaded.shadow - 0.04)[20, 5] < 3)
    }

    @Test("A dark square is cut out exactly, however coarse the outline is; its colour is relative to the ground")
    func cutOut() throws {
        let gray = OwnedImage(.gray8, width: 80, height: 80)
        for y in 0..<80 {
            for x in 0..<80 { gray.image.row(y)[x] = 20..<60 ~= x && 20..<60 ~= y ? 50 : 200 }
        }
        let picture = try withExtendedLifetime(gray) { try BlobPicture(gray.image, hasAlpha: false) }
        let outline = try CutOut(picture, coarse: Self.rectangle(42, 41, at: Point(19, 19))).outline
        #expect(outline.silhouette.isExact && !outline.silhouette.hasNarrowShadow && outline.silhouette.holes.isEmpty)
        #expect(abs(outline.area - 1600) < 40 && (outline.middle - Point(40, 40)).length < 0.3)
        #expect(abs(outline.silhouette.tone.x - 0.25) < 0.01 && outline.silhouette.tone.x == outline.silhouette.tone.z)
        #expect(try CutOut(picture, coarse: Self.rectangle(42, 41, at: Point(19, 19))).faintParts() == nil)
    }

    // MARK: - Appearance

    /// An ellipse with half axes of 30 and 10 pixels has the size √(30 · 10). In normal position it is a circle.
    @Test("An ellipse in normal position is a circle")
    func ellipse() throws {
        let corners = (0..<360).map { degrees in
            let (sine, cosine) = sineAndCosine(degrees: Double(degrees))
            return Point(50 + 30 * cosine, 40 + 10 * sine)
        }
        let ellipse = try #require(Ellipse(corners))
        #expect(abs(ellipse.size - 300.0.squareRoot()) < 0.01 && (ellipse.center - Point(50, 40)).length < 1e-6)
        let map = ellipse.normalPosition(), middle = Double(NormalView.side - 1) / 2
        #expect((map(Point(middle + NormalView.radius, middle)) - Point(79.5, 39.5)).length < 0.02)
        #expect((map(Point(middle, middle + NormalView.radius)) - Point(49.5, 49.5)).length < 0.02)
        #expect(Ellipse(Self.rectangle(20, 0)) == nil)
    }

    @Test("A plain image has no contours, and two chromaticities differ by nothing or everything")
    func contours() throws {
        let plain = Matrix<UInt8>(width: NormalView.side, height: NormalView.side, channels: 3, filledWith: 90)
        let contours = try Contours(plain)
        #expect(contours.sharp.cropped(to: NormalView.core).plainness(under: NormalView.coreMask) == 1)
        let image = OwnedImage(.bgr, width: 60, height: 60)
        for y in 0..<60 {
            for x in 0..<180 { image.image.row(y)[x] = 200 }
        }
        func color(_ pixel: [UInt8]) throws -> Chromaticity {
            var part = Matrix<UInt8>(width: 20, height: 20, channels: 3)
            for y in 0..<20 {
                let row = part.mutableRow(y)
                for x in 0..<60 { row[x] = pixel[x % 3] }
            }
            return try #require(Chromaticity(part, in: image.image))
        }
        let mask = Matrix<UInt8>(width: 20, height: 20, filledWith: 255)
        let (red, blue) = (try color([40, 40, 200]), try color([200, 40, 40]))
        #expect(try red.distance(to: red, under: mask, bins: 32) < 0.01)
        #expect(try red.distance(to: blue, under: mask, bins: 32) > 0.99)
        // A colour with half of the light has nearly the same chromaticity.
        #expect(try red.distance(to: color([16, 16, 96]), under: mask, bins: 32) < 0.5)
    }

    /// The histograms of black and of white have one bin each. The distance is 2 · 1² / 1 for each bin.
    @Test("Histograms of black and white differ by 4, which counts 98 %")
    func classic() throws {
        func picture(_ level: UInt8) throws -> ClassicAppearance {
            let gray = GrayPicture(width: 30, height: 30, level: level)
            return try withExtendedLifetime(gray) {
                try ClassicAppearance(BlobPicture(gray.image, hasAlpha: false), .classic)
            }
        }
        let (black, white) = (try picture(0), try picture(255))
        #expect(abs(black.distance(to: white, histogramWeight: 0.98) - 3.92) < 1e-6)
        #expect(black.distance(to: black, histogramWeight: 0.98) == 0)
    }

    @Test("The nearest descriptor differs by one bit, the next by two")
    func bits() throws {
        let query = Descriptors(bits: [0b0101], count: 1, length: 1)
        let nearest = query.nearest(in: Descriptors(bits: [0b0110, 0b0100, 0b1010], count: 3, length: 1))
        #expect(nearest.map(\.index) == [1] && nearest.map(\.distance) == [1] && nearest.map(\.next) == [2])
    }
}
