// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCVCheck
import Imaging
import TestScope
import Testing
@testable import Vision

/// Tests that the alignment by the enhanced correlation coefficient finds a known transform of a drawn pattern, and
/// that its results are similar to cv::findTransformECC.
@Suite("Alignment by correlation") struct CorrelationAlignmentTests {
    private static let side = 70
    private static let identity = [1.0, 0, 0, 0, 1, 0]

    /// A transform from the template's pixels to the image's pixels, and a change of the light.
    struct Known: Sendable, CustomTestStringConvertible {
        let map: [Double]
        var gain = 1.0
        var offset = 0.0

        var testDescription: String { "\(map), gain \(gain)" }
    }

    /// Returns the level of a smooth pattern without symmetry, about 40…215.
    private static func level(_ x: Double, _ y: Double) -> Double {
        let (a, b) = (sineAndCosine(degrees: 6 * x + 1.5 * y), sineAndCosine(degrees: 5 * y - 2 * x))
        return 128 + 29 * (a.sine + b.cosine + sineAndCosine(degrees: 2 * x - 7 * y).sine)
    }

    /// Draws the pattern with the transform and light of `known`.
    private static func pattern(_ known: Known = Known(map: identity)) -> [UInt8] {
        let m = known.map
        return (0..<side * side).map { index in
            let (x, y) = (Double(index % side), Double(index / side))
            let level = level(m[0] * x + m[1] * y + m[2], m[3] * x + m[4] * y + m[5])
            return UInt8(min(255, max(0, (known.gain * level + known.offset).rounded())))
        }
    }

    private static func align(
        _ target: [UInt8], _ image: [UInt8], start: [Double] = identity, steps: Int = 50
    ) throws -> (own: SVCheckAlignment, openCV: SVCheckAlignment) {
        let precision = 1e-6
        var openCV = SVCheckAlignment()
        try #require(
            sv_check_alignment(target, image, Int32(side), start, Int32(steps), precision, &openCV) == 0)
        func smoothed(_ pixels: [UInt8]) throws -> Matrix<Float> {
            try pixels.withImage(width: side, height: side, format: .gray8) { Matrix($0) }.floats.blurred(side: 3)
        }
        let map = AffineMap(
            xx: start[0], xy: start[1], x0: start[2], yx: start[3], yy: start[4], y0: start[5])
        let found = try CorrelationAlignment(smoothed(target), smoothed(image))
            .improved(map, steps: steps, precision: precision)
        let m = (found?.map ?? map).rows
        let own = SVCheckAlignment(
            converges: found == nil ? 0 : 1, coefficient: found?.coefficient ?? -1,
            map: (m[0], m[1], m[2], m[3], m[4], m[5]))
        return (own, openCV)
    }

    /// Returns the maximum error of the corners' positions, in pixels.
    private static func error(_ alignment: SVCheckAlignment, _ map: [Double]) -> Double {
        let m = alignment.map
        let end = Double(side - 1)
        return [(0, 0), (end, 0), (0, end), (end, end)].map { x, y in
            let across = (m.0 - map[0]) * x + (m.1 - map[1]) * y + m.2 - map[2]
            let down = (m.3 - map[3]) * x + (m.4 - map[4]) * y + m.5 - map[5]
            return (across * across + down * down).squareRoot()
        }.max() ?? 0
    }

    @Test(
        "A known transform of a drawn pattern is found, and at least as well as OpenCV finds it",
        arguments: [
            Known(map: identity),
            Known(map: [1, 0, 1.75, 0, 1, -2.5]),
            Known(map: [1.03, 0, -1, 0, 0.98, 0.5]),
            Known(map: [0.999, -0.044, 1.5, 0.044, 0.999, -1.5]),
            Known(map: [1.02, 0.015, 1.7, -0.02, 0.99, -1.1]),
            Known(map: [1.02, 0.015, 1.7, -0.02, 0.99, -1.1], gain: 0.5, offset: 30),
            Known(map: [0.97, 0.03, 1.2, 0.02, 1.04, -2.2], gain: 0.8, offset: -20),
        ])
    func knownTransforms(_ known: Known) throws {
        let (own, openCV) = try Self.align(Self.pattern(known), Self.pattern())
        let error = Self.error(own, known.map)
        #expect(own.converges == 1 && error < 0.15, "\(error) pixels, by OpenCV \(Self.error(openCV, known.map))")
        #expect(own.coefficient > 0.9995)
        #expect(openCV.converges == 1 && error < Self.error(openCV, known.map) + 0.05)
        #expect(own.coefficient > openCV.coefficient - 0.0005)
    }

    private static func matrix(_ width: Int, _ height: Int) -> Matrix<Float> {
        var matrix = Matrix<Float>(width: width, height: height)
        for y in 0..<height {
            let row = matrix.mutableRow(y)
            for x in 0..<width { row[x] = Float(level(Double(x), Double(y))) }
        }
        return matrix
    }

    /// Returns the correlation of the template and bilinear samples of the image, where both overlap. Computed with
    /// Double.
    private static func correlation(_ target: Matrix<Float>, _ image: Matrix<Float>, _ map: AffineMap) -> Double {
        var pairs: [(Double, Double)] = []
        for y in 0..<target.height {
            for x in 0..<target.width {
                let place = map(Point(Double(x), Double(y)))
                let (right, bottom) = (Double(image.width - 1), Double(image.height - 1))
                guard (0...right).contains(place.x), (0...bottom).contains(place.y) else { continue }
                let (left, top) = (Int(min(place.x, right - 1)), Int(min(place.y, bottom - 1)))
                let (across, down) = (place.x - Double(left), place.y - Double(top))
                func between(_ y: Int) -> Double {
                    Double(image[left, y]) * (1 - across) + Double(image[left + 1, y]) * across
                }
                pairs.append((Double(target[x, y]), between(top) * (1 - down) + between(top + 1) * down))
            }
        }
        let count = Double(max(1, pairs.count))
        let means = (pairs.reduce(0) { $0 + $1.0 } / count, pairs.reduce(0) { $0 + $1.1 } / count)
        func sum(_ product: (Double, Double) -> Double) -> Double {
            pairs.reduce(0) { $0 + product($1.0 - means.0, $1.1 - means.1) }
        }
        return sum { $0 * $1 } / (sum { a, _ in a * a } * sum { _, b in b * b }).squareRoot()
    }

    @Test(
        "The first coefficient is the correlation where the template and the image overlap",
        arguments: [
            AffineMap(),
            AffineMap(x0: 18.375, y0: 9.0625),
            AffineMap(y0: 19),
            AffineMap(xx: -1, x0: 69, y0: 19),
            AffineMap(xx: 1.3, xy: 0.21, x0: -7.3, yx: -0.17, yy: 1.4, y0: 4.9),
            AffineMap(xx: 1.02, xy: -0.3, x0: 2.6, yx: 0.28, yy: 0.97, y0: -3.1),
            AffineMap(xx: -0.9, xy: 0.05, x0: 61, yx: 0.04, yy: -1.1, y0: 47.5),
            AffineMap(xx: 1e-10, xy: 0.9, x0: 3.3, yx: 1.1, yy: 1e-10, y0: 1.7),
        ])
    func firstCoefficient(_ map: AffineMap) throws {
        let (target, image) = (Self.matrix(41, 31), Self.matrix(70, 50))
        let found = try #require(CorrelationAlignment(target, image).improved(map, steps: 1, precision: 0))
        let expected = Self.correlation(target, image, map)
        #expect(abs(found.coefficient - expected) < 1e-6, "\(found.coefficient), expected \(expected)")
    }

    @Test("Images that cannot be aligned are a result, not an error")
    func noConvergence() throws {
        let pattern = Self.pattern()
        let plain = [UInt8](repeating: 90, count: Self.side * Self.side)
        for (target, image) in [(pattern, plain), (plain, pattern), (plain, plain)] {
            #expect(try Self.align(target, image).own.converges == 0)
        }
        // The inverted pattern has the correlation −1.
        #expect(try Self.align(pattern, pattern.map { 255 - $0 }).own.converges == 0)
        // The images do not overlap, or the transform is invalid.
        let starts: [[Double]] = [
            [1, 0, 500, 0, 1, 0], [1, 0, 0, 0, 1, -90], [1, 0, .nan, 0, 1, 0], [1e300, 0, 0, 0, 1, 0],
            [1, 0, -.infinity, 0, 1, 0], [0, 0, 1e9, 0, 0, 5],
        ]
        for start in starts {
            let own = try Self.align(pattern, pattern, start: start).own
            #expect(own.converges == 0, "\(start)")
        }
    }

    @Test("A pattern that varies in one direction only has a coefficient, too")
    func oneDirection() throws {
        let stripes = (0..<Self.side * Self.side).map { index in
            UInt8(128 + 100 * sineAndCosine(degrees: 15 * Double(index % Self.side)).sine)
        }
        let own = try Self.align(stripes, stripes).own
        #expect(own.converges == 1 && own.coefficient > 0.999)
    }

    @Test(
        "Real faces have about the coefficients that OpenCV finds", .enabled(if: RealData.isPresent, RealData.absence))
    func realFaces() throws {
        let faces = try RealFaces.faces(1...10).map(\.face)
        var (both, different) = (0, 0)
        for first in stride(from: 0, to: faces.count, by: TestScope.choose(9, all: 3)) {
            for second in stride(from: 1, to: faces.count, by: 4) where first != second {
                let (own, openCV) = try Self.align(faces[first].pixels, faces[second].pixels, steps: 30)
                // If faces are less similar, several alignments are equally good.
                guard max(own.coefficient, openCV.coefficient) > 0.5 else { continue }
                both += 1
                // OpenCV also counts pixels of the black border outside of the image.
                #expect(own.coefficient > openCV.coefficient - 0.05, "\(first) and \(second)")
                if abs(own.coefficient - openCV.coefficient) > 0.02 { different += 1 }
            }
        }
        #expect(both > TestScope.choose(50, all: 150) && different * 20 < both, "\(different) of \(both)")
    }
}
