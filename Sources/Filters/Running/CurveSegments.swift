// SPDX-License-Identifier: LGPL-2.1-or-later
internal import CProcessor
internal import Imaging

/// A curve as 32 quadratic polynomials. Each polynomial is for one segment of the levels 0…255.
struct CurveSegments {
    /// A rule that assigns a segment to a level v. Take the bit pattern of the float v · scale + offset, and shift it
    /// to the right by `shift`. The lowest five bits are the index of the segment.
    private struct Layout {
        let scale: Float
        let offset: Float
        let shift: UInt32

        /// Segments of equal length. The float v · scale + offset is in 1 ..< 2, and its five highest fraction bits are
        /// the index.
        static let even = Layout(scale: 0.999_99 / 255, offset: 1, shift: 18)
        /// Segments that are longer at higher levels. There are four segments for each doubling of v + 1.
        static let rising = Layout(scale: 0.999_99, offset: 1, shift: 21)
        /// Segments that are longer at higher levels, for curves that are steep near black. There are two segments for
        /// each doubling of v + 1/256.
        static let steep = Layout(scale: 0.999_99, offset: 1 / 256, shift: 22)

        /// The range of the shifted bit patterns, from the level 0 to the level 255.
        var bounds: ClosedRange<UInt32> { offset.bitPattern >> shift...(offset + 255 * scale).bitPattern >> shift }

        /// Returns the level at which a segment begins.
        /// - Parameter bits: the shifted bit pattern of the levels in the segment.
        func start(_ bits: UInt32) -> Double {
            (Double(Float(bitPattern: bits << shift)) - Double(offset)) / Double(scale)
        }
    }

    private static let count = 32

    private let layout: Layout
    /// The constant terms of all segments, then the linear and the quadratic coefficients.
    private let coefficients: [Float]

    /// Returns nil if no layout is precise enough.
    init?(_ curve: Curve.Function) {
        for layout in [Layout.even, .rising, .steep] {
            guard let coefficients = Self.coefficients(layout, curve) else { continue }
            (self.layout, self.coefficients) = (layout, coefficients)
            return
        }
        return nil
    }

    private static func coefficients(_ layout: Layout, _ curve: Curve.Function) -> [Float]? {
        var coefficients = [Float](repeating: 0, count: 3 * count)
        for bits in layout.bounds {
            let start = max(0, layout.start(bits))
            guard let polynomial = SegmentPolynomial(curve, start, to: min(255, layout.start(bits + 1)), degree: 2)
            else {
                return nil
            }
            for (row, number) in polynomial.coefficients.enumerated() {
                coefficients[row * count + Int(bits % UInt32(count))] = number
            }
        }
        return coefficients
    }

    func apply(to plane: UnsafeMutablePointer<Float>, count: Int) {
        sv_apply_segments(plane, count, coefficients, layout.scale, layout.offset, layout.shift)
    }
}

/// A curve as 8 cubic polynomials. Each polynomial is for one eighth of the levels 0…255. Most curves of filters are
/// cubic splines through points at multiples of ¼, so 8 polynomials are precise.
struct CurveCubics {
    private static let count = 8
    /// The constant terms of all segments, then the linear, the quadratic and the cubic coefficients.
    private let coefficients: [Float]

    /// Returns nil if the polynomials are not precise enough.
    init?(_ curve: Curve.Function) {
        var coefficients = [Float](repeating: 0, count: 4 * Self.count)
        let length = 255 / Double(Self.count)
        for segment in 0..<Self.count {
            let start = Double(segment) * length
            guard let polynomial = SegmentPolynomial(curve, start, to: start + length, degree: 3) else { return nil }
            for (row, number) in polynomial.coefficients.enumerated() {
                coefficients[row * Self.count + segment] = number
            }
        }
        self.coefficients = coefficients
    }

    func apply(to plane: UnsafeMutablePointer<Float>, count: Int) { sv_apply_cubics(plane, count, coefficients) }
}

/// A polynomial for the levels in one segment.
private struct SegmentPolynomial {
    /// Number of equal intervals in a segment. The error of the polynomial is checked at the ends of the intervals.
    private static let checks = 8

    /// The coefficients. The first coefficient is the constant term.
    let coefficients: [Float]

    /// Returns nil if the polynomial is not precise enough.
    init?(_ curve: Curve.Function, _ start: Double, to end: Double, degree: Int) {
        let length = end - start
        func level(_ value: Double) -> Double { 255 * curve(value / 255) }
        // Compute Newton's interpolation polynomial at Chebyshev nodes. The error is close to the minimum for
        // polynomials of this degree.
        let points = (0...degree).map { index in
            let node = sineAndCosine(degrees: 180 * (Double(index) + 0.5) / Double(degree + 1)).cosine
            return start + length * (0.5 - 0.5 * node)
        }
        var differences = points.map(level)
        for order in 1...degree {
            for index in (order...degree).reversed() {
                differences[index] =
                    (differences[index] - differences[index - 1]) / (points[index] - points[index - order])
            }
        }
        // Convert Newton's form to coefficients by Horner's scheme: p ← p · (v − point) + difference.
        var powers = [Double](repeating: 0, count: degree + 1)
        for index in (0...degree).reversed() {
            for power in (0...degree).reversed() {
                powers[power] = (power > 0 ? powers[power - 1] : differences[index]) - powers[power] * points[index]
            }
        }
        coefficients = powers.map { Float($0) }
        for check in 0...Self.checks {
            let value = start + length * Double(check) / Double(Self.checks)
            let result = coefficients.reversed().reduce(0) { $0 * Float(value) + $1 }
            // For NaN, the comparison is false, and the polynomial is rejected.
            guard abs(Double(result) - level(value)) <= CurveEvaluator.tolerance else { return nil }
        }
    }
}
