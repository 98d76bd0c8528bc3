// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging
import Testing
@testable import Vision

@Suite("Matrices")
struct MatrixTests {
    /// Creates a mask. In the rows, `x` is a pixel of the mask.
    private func mask(_ rows: String...) -> Matrix<UInt8> {
        var result = Matrix<UInt8>(width: rows[0].count, height: rows.count)
        for (y, row) in rows.enumerated() {
            let pixels = result.mutableRow(y)
            for (x, character) in row.enumerated() { pixels[x] = character == "x" ? 255 : 0 }
        }
        return result
    }

    @Test("A part shares pixels with its matrix until one of them changes")
    func parts() {
        var whole = Matrix<Int32>(width: 4, height: 3)
        for y in 0..<3 {
            let row = whole.mutableRow(y)
            for x in 0..<4 { row[x] = Int32(10 * y + x) }
        }
        var part = whole.cropped(to: Rectangle(x: 1, y: 1, width: 9, height: 9))
        #expect(part.width == 3 && part.height == 2 && part[2, 1] == 23)
        part.mutableRow(0)[0] = -1
        #expect(part[0, 0] == -1 && whole[1, 1] == 11)
        whole.paste(part, x: 2, y: -1)
        #expect(whole[2, 0] == 21 && whole[3, 0] == 22 && whole[2, 1] == 12)
        #expect(whole[-1, 0] == 0 && whole[4, 0] == 0 && whole[0, 3] == 0)
    }

    @Test("Impossible sizes make a matrix empty", arguments: [(-1, 5), (5, -1), (0, 3), (.max, 2), (1 << 20, 1 << 20)])
    func impossible(width: Int, height: Int) throws {
        let matrix = Matrix<Float>(width: width, height: height)
        #expect(matrix.isEmpty)
        #expect(try matrix.dilated(side: 3).isEmpty)
    }

    @Test("Connected parts have boxes and areas; a hole is a contour within another")
    func components() throws {
        let rings = mask("xxx..", "x.x..", "xxx.x")
        let parts = try rings.parts(connectivity: 8)
        #expect(parts.all.map(\.area) == [8, 1])
        #expect(parts.all.map(\.box) == [Rectangle(width: 3, height: 3), Rectangle(x: 4, y: 2, width: 1, height: 1)])
        #expect(parts.mask(of: parts.all[0]).count == 8)
        #expect(parts.mask { $0.area == 1 }.count == 1)
        let contours = try rings.contours(sv_cv_parts_and_holes)
        #expect(contours.count == 3 && contours.count { $0.parent != nil } == 1)
        let outer = try #require(try rings.contours().first { $0.pixels.count == 8 })
        // The contour passes through the centres of the pixels, so the area is 2 · 2.
        #expect(outer.area == 4)
        #expect(try Matrix.filled([outer], outer.box).count == 9)
        #expect(try outer.simplified(precision: 0.5).count == 4)
    }

    @Test("A primitive reads a part of a matrix, and leaves the matrix as it is")
    func primitives() throws {
        let cross = mask(".....", "..x..", ".xxx.", "..x..", ".....")
        let part = cross.cropped(to: Rectangle(x: 1, y: 1, width: 3, height: 3))
        #expect(try part.dilated(side: 3).count == 9)
        #expect(try part.eroded(side: 3).count == 0)
        #expect(cross.count == 5)
        // By default, pixels outside of the matrix have no effect. With `.zero` they are 0.
        let full = Matrix<UInt8>(width: 5, height: 5, filledWith: 255)
        #expect(try full.eroded(side: 3).count == 25)
        #expect(try full.eroded(side: 3, outside: .zero).count == 9)
        let moved = try cross.warped(AffineMap(shiftX: 2, shiftY: 0), width: 5, height: 5, sv_cv_nearest)
        #expect(moved[4, 1] == 255 && moved[4, 2] == 255 && moved.count == 4)
        #expect(try full.distances()[2, 2] > 0)
    }

    @Test("Quantiles are those of the sorted values, and end with values that are not numbers")
    func quantiles() {
        var random = SeededRandom(3)
        for count in [1, 2, 3, 10, 101, 1000] {
            let values = (0..<count).map { _ in Float.random(in: -1...1, using: &random) }
            for (numerator, denominator) in [(1, 2), (1, 10), (7, 10)] {
                let expected = values.sorted()[count * numerator / denominator]
                #expect(quantile(values, numerator, of: denominator) == expected)
            }
        }
        #expect(quantile([Float](), 1, of: 2) == 0)
        _ = quantile([Float.nan, 1, .nan, 2, .nan], 1, of: 2)
    }

    @Test("A robust fit ignores what differs by more than four deviations")
    func fit() throws {
        // The line 2 + 3x with deviations of 0.01, and five outliers.
        let positions = (0..<101).map { Double($0) / 50 - 1 }
        let values = positions.enumerated().map { index, x in
            index < 5 ? 40 : 2 + 3 * x + (index.isMultiple(of: 2) ? 0.01 : -0.01)
        }
        let fit = RobustFit(
            terms: 2, basis: positions.flatMap { [1, $0] }, channels: 1, values: values, rounds: 8,
            leastDeviation: 0.001)
        let coefficients = try fit.coefficients()
        #expect(abs(coefficients[0] - 2) < 0.002 && abs(coefficients[1] - 3) < 0.002)
        // Observations at the ceiling are clipped, so the fitted line continues above it.
        var clipped = fit
        clipped.values = positions.map { min(4, 2 + 3 * $0) }
        clipped.ceiling = 4
        #expect(abs(try clipped.coefficients()[1] - 3) < 0.05)
    }
}
