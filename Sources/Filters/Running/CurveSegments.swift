// SPDX-License-Identifier: LGPL-2.1-or-later
internal import CProcessor

/// A curve of real numbers as 32 square polynomials, one for each segment of 0…255.
struct CurveSegments {
    /// Numbering of the segments: by the lowest five bits of those of the float v · scale + offset, shifted right.
    private struct Layout {
        let scale: Float
        let offset: Float
        let shift: UInt32

        /// Segments of one length: of a float in 1 ..< 2, the first five bits after the point.
        static let even = Layout(scale: 0.999_99 / 255, offset: 1, shift: 18)
        /// Four to each power of two of v + 1.
        static let rising = Layout(scale: 0.999_99, offset: 1, shift: 21)
        /// Two to each power of two of v + 1/256: for curves that are steep at black.
        static let steep = Layout(scale: 0.999_99, offset: 1 / 256, shift: 22)

        /// The bits that the first segment begins with, up to those that the last one ends with.
        var bounds: ClosedRange<UInt32> { offset.bitPattern >> shift...(offset + 255 * scale).bitPattern >> shift }

        /// The value that a segment begins with.
        func start(_ bits: UInt32) -> Double {
            (Double(Float(bitPattern: bits << shift)) - Double(offset)) / Double(scale)
        }
    }

    private static let count = 32
    /// Points of a segment at which the curve and the polynomial are compared.
    private static let checks = 8

    private let layout: Layout
    /// The constants of all segments, then the factors of the value, then those of its square.
    private let coefficients: [Float]

    /// Returns nil if no layout is near enough to the curve.
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
            let length = min(255, layout.start(bits + 1)) - start
            func level(_ value: Double) -> Double { 255 * curve(value / 255) }
            // Newton's polynomial through Chebyshev's three points, which is nearly the one with the least error.
            let points = [-0.866_025_4, 0, 0.866_025_4].map { start + length * (0.5 + 0.5 * $0) }
            let values = points.map(level)
            let first = (values[1] - values[0]) / (points[1] - points[0])
            let second = (values[2] - values[1]) / (points[2] - points[1])
            let square = (second - first) / (points[2] - points[0])
            let slope = first - square * (points[0] + points[1])
            let numbers = [
                values[0] - first * points[0] + square * points[0] * points[1], slope, square,
            ].map { Float($0) }
            for check in 0...checks {
                let value = start + length * Double(check) / Double(checks)
                let result = (numbers[2] * Float(value) + numbers[1]) * Float(value) + numbers[0]
                // NaN is not near enough either.
                guard abs(Double(result) - level(value)) <= CurveEvaluator.tolerance else { return nil }
            }
            for (row, number) in numbers.enumerated() { coefficients[row * count + Int(bits % UInt32(count))] = number }
        }
        return coefficients
    }

    func apply(to plane: UnsafeMutablePointer<Float>, count: Int) {
        sv_apply_segments(plane, count, coefficients, layout.scale, layout.offset, layout.shift)
    }
}
