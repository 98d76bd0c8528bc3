// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// A curve of real numbers as the kernels take it: as short polynomials of segments where the processor looks those
/// up by an instruction, or as one polynomial, if that is near enough, else as a table. Each of these is about twice
/// as fast as the next. The root in a polynomial is needed for powers.
final class CurveEvaluator {
    private enum Form {
        case segments(CurveSegments)
        case cubics(CurveCubics)
        case polynomial(KernelParameters, degree: Int, ofRoot: Bool)
        case table(UnsafeMutablePointer<Float>, ofRoot: Bool)
    }

    /// Entries of a table to one level of a byte.
    private static let steps = 64
    private static let count = 255 * steps + 1
    /// Greatest distance of polynomials from the curve, in levels of a byte.
    static let tolerance = 0.15

    /// Forms for red, green and blue, or one for all of them.
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
            // NaN is no reason to trust it.
            if let error, error * 255 <= tolerance {
                let numbers = KernelParameters(polynomial.coefficients.map { 255 * $0 })
                return .polynomial(numbers, degree: degree, ofRoot: ofRoot)
            }
        }
        // For a curve that is steep at black, entries lie closer there.
        let first = 0.5 / Double(count - 1)
        let ofRoot = abs(curve(first) - curve(0)) * 255 > tolerance
        let table = UnsafeMutablePointer<Float>.allocate(capacity: count)
        for index in 0..<count {
            let place = Double(index) / Double(count - 1)
            let value = curve(ofRoot ? place * place : place)
            // NaN counts as 0, and nothing is beyond what later sums can hold.
            (table + index).initialize(to: value.isNaN ? 0 : Float(255 * max(-1e6, min(1e6, value))))
        }
        return .table(table, ofRoot: ofRoot)
    }

    /// Changes a tile's three planes.
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
                kernels.applyTable(table, ofRoot: ofRoot, to: plane, indices: memory.numbers, count: count)
            }
        }
    }
}

/// A polynomial of 2x − 1 through a function of x at Chebyshev's points, which is nearly the one with the least error.
private struct Polynomial {
    /// The constant first.
    let coefficients: [Double]

    init(degree: Int, _ function: (Double) -> Double) {
        let count = 64
        let points = (0..<count).map { sineAndCosine(degrees: 180 * (Double($0) + 0.5) / Double(count)).cosine }
        let values = points.map { function(($0 + 1) / 2) }
        // Chebyshev's polynomials one after another: Tₙ₊₁ = 2t Tₙ − Tₙ₋₁, at the points and as coefficients.
        var sum = [Double](repeating: 0, count: degree + 1)
        var atPoints = (last: points.map { _ in 1.0 }, next: points)
        var asNumbers = (last: [1.0], next: [0.0, 1.0])
        for order in 0...degree {
            let weight = zip(values, atPoints.last).map { $0 * $1 }.reduce(0, +) * (order == 0 ? 1 : 2) / Double(count)
            for (power, number) in asNumbers.last.enumerated() { sum[power] += weight * number }
            let points = points.indices.map { 2 * points[$0] * atPoints.next[$0] - atPoints.last[$0] }
            atPoints = (atPoints.next, points)
            let numbers = ([0] + asNumbers.next.map { 2 * $0 }).enumerated().map { power, number in
                number - (power < asNumbers.last.count ? asNumbers.last[power] : 0)
            }
            asNumbers = (asNumbers.next, numbers)
        }
        coefficients = sum
    }

    func value(_ x: Double) -> Double {
        coefficients.reversed().reduce(0) { $0 * (2 * x - 1) + $1 }
    }
}
