// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// A curve in one of three forms that kernels evaluate fast. Each form is about twice as fast as the next form in this
/// list:
///
/// 1. Polynomials for segments of the levels 0…255. They require a processor that selects the coefficients of a segment
///   with one instruction.
/// 2. One polynomial for all levels, if it is precise enough. For power functions, it is a polynomial of the square
///   root of the level.
/// 3. A table.
final class CurveEvaluator {
    private enum Form {
        case segments(CurveSegments)
        case cubics(CurveCubics)
        case polynomial(KernelParameters, degree: Int, ofRoot: Bool)
        case table(UnsafeMutablePointer<Float>, ofRoot: Bool)
    }

    /// Number of table entries per byte level.
    private static let steps = 64
    private static let count = 255 * steps + 1
    /// A polynomial is used only if its error is at most this value, in levels 0…255.
    static let tolerance = 0.15

    /// One element for each of red, green and blue. If the curve is the same for all channels, a single element.
    private let forms: [Form]

    init(_ curve: Curve, for kernels: any KernelSet) {
        forms = (curve.isCommon ? [curve.red] : [curve.red, curve.green, curve.blue]).map { curve in
            if kernels.permutesFloats, let segments = CurveSegments(curve) { return .segments(segments) }
            if kernels.permutesEightFloats, let cubics = CurveCubics(curve) { return .cubics(cubics) }
            return Self.form(curve)
        }
    }

    deinit {
        for case .table(let table, _) in forms { table.deallocate() }
    }

    private static func form(_ curve: @escaping Curve.Function) -> Form {
        for (degree, ofRoot) in [(8, false), (8, true), (15, false), (15, true)] {
            let polynomial = Polynomial(degree: degree) { curve(ofRoot ? $0 * $0 : $0) }
            let error = (0...1020).map { index in
                let value = Double(index) / 1020
                return abs(polynomial.value(ofRoot ? value.squareRoot() : value) - curve(value))
            }.max()
            // If the error is NaN, the comparison is false, and the polynomial is rejected.
            if let error, error * 255 <= tolerance {
                let coefficients = KernelParameters(polynomial.coefficients.map { 255 * $0 })
                return .polynomial(coefficients, degree: degree, ofRoot: ofRoot)
            }
        }
        // If the curve is steep near black, use the square root of the level as the index of the table. The table then
        // has more entries for dark levels.
        let first = 0.5 / Double(count - 1)
        let ofRoot = abs(curve(first) - curve(0)) * 255 > tolerance
        let table = UnsafeMutablePointer<Float>.allocate(capacity: count)
        for index in 0..<count {
            let position = Double(index) / Double(count - 1)
            let value = curve(ofRoot ? position * position : position)
            // Replace NaN by 0. Limit values, so that later sums stay precise.
            (table + index).initialize(to: value.isNaN ? 0 : Float(255 * max(-1e6, min(1e6, value))))
        }
        return .table(table, ofRoot: ofRoot)
    }

    /// Applies the curve to the red, green and blue planes of a tile.
    func apply(to tile: UnsafeMutablePointer<Float>, count: Int, _ memory: WorkerMemory, _ kernels: any KernelSet) {
        for channel in 0..<3 {
            let plane = tile + channel * WorkerMemory.plane
            switch forms[min(channel, forms.count - 1)] {
            case .segments(let segments): segments.apply(to: plane, count: count)
            case .cubics(let cubics): cubics.apply(to: plane, count: count)
            case .polynomial(let coefficients, let degree, let ofRoot):
                coefficients.withPointer {
                    kernels.applyPolynomial($0, degree: degree, ofRoot: ofRoot, to: plane, count: count)
                }
            case .table(let table, let ofRoot):
                kernels.applyTable(table, ofRoot: ofRoot, to: plane, indices: memory.tableIndices, count: count)
            }
        }
    }
}

/// Approximates a function of x by a polynomial of 2x − 1. The polynomial is the truncated Chebyshev series of the
/// function. So the error is close to the minimum for polynomials of this degree.
private struct Polynomial {
    /// The coefficients. The first coefficient is the constant term.
    let coefficients: [Double]

    init(degree: Int, _ function: (Double) -> Double) {
        let count = 64
        let points = (0..<count).map { sineAndCosine(degrees: 180 * (Double($0) + 0.5) / Double(count)).cosine }
        let values = points.map { function(($0 + 1) / 2) }
        // Compute Chebyshev polynomials by the recurrence Tₙ₊₁ = 2t Tₙ − Tₙ₋₁. Apply the recurrence to the values at
        // the points t, and also to the coefficients.
        var sum = [Double](repeating: 0, count: degree + 1)
        var atPoints = (last: points.map { _ in 1.0 }, next: points)
        var chebyshev = (last: [1.0], next: [0.0, 1.0])
        for order in 0...degree {
            let weight = zip(values, atPoints.last).map { $0 * $1 }.reduce(0, +) * (order == 0 ? 1 : 2) / Double(count)
            for (power, number) in chebyshev.last.enumerated() { sum[power] += weight * number }
            let points = points.indices.map { 2 * points[$0] * atPoints.next[$0] - atPoints.last[$0] }
            atPoints = (atPoints.next, points)
            let next = ([0] + chebyshev.next.map { 2 * $0 }).enumerated().map { power, number in
                number - (power < chebyshev.last.count ? chebyshev.last[power] : 0)
            }
            chebyshev = (chebyshev.next, next)
        }
        coefficients = sum
    }

    func value(_ x: Double) -> Double {
        coefficients.reversed().reduce(0) { $0 * (2 * x - 1) + $1 }
    }
}
