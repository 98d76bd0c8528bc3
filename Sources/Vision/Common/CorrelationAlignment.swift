// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Aligns an image with a template by an affine map that maximises the enhanced correlation coefficient.
///
/// This is the forward additive algorithm of G. D. Evangelidis and E. Z. Psarakis, "Parametric Image Alignment Using
/// Enhanced Correlation Coefficient Maximization", 2008. `cv::findTransformECC` implements the same algorithm, but
/// throws an exception if the algorithm does not converge. For images that do not match, the algorithm often does not
/// converge. The exception would crash programs that have loaded two different libraries for stack unwinding.
struct CorrelationAlignment {
    private let (targetWidth, targetHeight): (Int, Int)
    private let (fieldWidth, fieldHeight): (Int, Int)
    /// `target`: the template. `field`: for each pixel of the image its value, its gradient along x, its gradient along
    /// y, and 0. The mean of `target` is 0, and so is the mean of the values in `field`.
    private let target: [Float]
    private let field: [SIMD4<Float>]

    /// If the variance of an image is below this limit, the image counts as plain, and the alignment fails.
    private static let minVariance = 1e-8
    /// If a coefficient of a map reaches this limit (in pixels), the alignment fails.
    private static let maxMovement = 1e6

    init(_ target: Matrix<Float>, _ image: Matrix<Float>) {
        (targetWidth, targetHeight) = (target.width, target.height)
        (fieldWidth, fieldHeight) = (image.width, image.height)
        self.target = Self.centered(target)
        let picture = Self.centered(image), (width, height) = (image.width, image.height)
        var field = [SIMD4<Float>](repeating: .zero, count: picture.count)
        picture.withUnsafeBufferPointer { picture in
            field.withUnsafeMutableBufferPointer { field in
                for y in 0..<height {
                    for x in 0..<width {
                        let index = y &* width &+ x
                        // The gradient is the central difference. At an edge of the image, the component across the
                        // edge is 0.
                        let isInside = (x > 0 && x < width &- 1, y > 0 && y < height &- 1)
                        field[index] = SIMD4(
                            picture[index], isInside.0 ? 0.5 * (picture[index &+ 1] - picture[index &- 1]) : 0,
                            isInside.1 ? 0.5 * (picture[index &+ width] - picture[index &- width]) : 0, 0)
                    }
                }
            }
        }
        self.field = field
    }

    private static func centered(_ matrix: Matrix<Float>) -> [Float] {
        let samples = matrix.samples
        let mean = Float(samples.reduce(0.0) { $0 + Double($1) } / Double(max(1, samples.count)))
        return samples.map { $0 - mean }
    }

    /// Improves a map in at most `steps` steps, until the correlation changes by less than `precision`.
    /// - Parameter map: maps pixels of the template to pixels of the image.
    /// - Returns: the map, and the correlation coefficient before the last step, −1…1; nil if the images do not
    ///   overlap, at least one of them is nearly constant in the overlap, no step increases the correlation, or a
    ///   coefficient of the map reaches `maxMovement`.
    func improved(_ map: AffineMap, steps: Int, precision: Double) -> (map: AffineMap, coefficient: Double)? {
        guard min(fieldWidth, fieldHeight, targetWidth, targetHeight) >= 2 else { return nil }
        let (middleX, middleY) = (Double(targetWidth - 1) / 2, Double(targetHeight - 1) / 2)
        var (map, coefficient) = (map, -1.0)
        for step in 0..<steps {
            guard map.rows.allSatisfy({ abs($0) < Self.maxMovement }) else { return nil }
            var sums = sums(map)
            guard sums.count > 0 else { return nil }
            sums.center()
            guard min(sums.squaredValues, sums.squaredModels) >= Self.minVariance * sums.count,
                let change = sums.step()
            else { return nil }
            let before = coefficient
            coefficient = sums.correlation
            map.xx += change[0]
            map.xy += change[2]
            map.x0 += change[4] - middleX * change[0] - middleY * change[2]
            map.yx += change[1]
            map.yy += change[3]
            map.y0 += change[5] - middleX * change[1] - middleY * change[3]
            if step > 0, abs(coefficient - before) < precision { break }
        }
        return (map, coefficient)
    }

    /// Returns the sums over the pixels that are in both images.
    private func sums(_ map: AffineMap) -> AlignmentSums {
        var sums = AlignmentSums()
        let (right, bottom) = (fieldWidth - 1, fieldHeight - 1)
        let (middleX, middleY) = (Float(targetWidth - 1) / 2, Double(targetHeight - 1) / 2)
        let (stepX, stepY) = (fixed(map.xx), fixed(map.yx))
        field.withUnsafeBufferPointer { field in
            target.withUnsafeBufferPointer { target in
                for y in 0..<targetHeight {
                    let (startX, startY) = (map.xy * Double(y) + map.x0, map.yy * Double(y) + map.y0)
                    var span = Span(first: 0, last: Double(targetWidth - 1))
                    span.clip(startX, map.xx, Double(right))
                    span.clip(startY, map.yx, Double(bottom))
                    guard span.first <= span.last else { continue }
                    let (first, last) = (Int(span.first.rounded(.up)), Int(span.last.rounded(.down)))
                    guard first <= last else { continue }
                    var row = RowSums()
                    var (u, v) = (fixed(startX + map.xx * Double(first)), fixed(startY + map.yx * Double(first)))
                    var x = first
                    while x <= last {
                        // Because of rounding, the position may be slightly outside the image.
                        let left = max(0, min(right &- 1, u >> 32)), top = max(0, min(bottom &- 1, v >> 32))
                        let (across, down) = (fraction(u &- left << 32), fraction(v &- top << 32))
                        let index = top &* fieldWidth &+ left
                        let high = field[index] + across * (field[index &+ 1] - field[index])
                        let under = index &+ fieldWidth
                        let low = field[under] + across * (field[under &+ 1] - field[under])
                        // Sets the last lane by an addition of two vectors. An assignment to a single lane would be
                        // slower, because the compiler would split the vector into lanes.
                        let model = SIMD4(0, 0, 0, target[y &* targetWidth &+ x])
                        row.add(high + down * (low - high) + model, Float(x) - middleX)
                        (u, v, x) = (u &+ stepX, v &+ stepY, x &+ 1)
                    }
                    sums.add(row, Double(y) - middleY, count: last - first + 1)
                }
            }
        }
        return sums
    }
}

/// Converts a coordinate to fixed point, in units of 1 / 2³². The step from one pixel to the next is then an integer
/// addition, which is faster than a checked conversion of a floating-point coordinate.
private func fixed(_ coordinate: Double) -> Int { Int((coordinate * 0x1p32).rounded()) }

/// Converts a fixed-point number of about 0…1, in units of 1 / 2³², to floating point.
private func fraction(_ distance: Int) -> Float { Float(Int32(truncatingIfNeeded: distance >> 8)) * 0x1p-24 }

/// The range of pixels in a row of the template whose mapped positions are inside the image.
private struct Span {
    var (first, last): (Double, Double)

    /// Removes the pixels for which `start` + x · `slope` is not in 0…`limit`.
    mutating func clip(_ start: Double, _ slope: Double, _ limit: Double) {
        guard abs(slope) >= 1e-9 else {
            if start < 0 || start > limit { last = -1 }
            return
        }
        let (a, b) = (-start / slope, (limit - start) / slope)
        first = max(first, min(a, b))
        last = min(last, max(a, b))
    }
}

/// Sums over the pixels of a row of the template. Each pixel is a vector of four lanes: the image's value, the image's
/// gradient along x, the image's gradient along y, and the template's value.
private struct RowSums {
    var byValue = SIMD4<Float>()
    /// Sums of the pixels' vectors, multiplied by a gradient (`byX…`: along x, `byY…`: along y) and by a power of x.
    /// The digit in the name is the exponent of x.
    var (byX0, byX1, byX2) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
    var (byY0, byY1, byY2) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
    /// Sums of the pixels' vectors: `plain` without a factor, `plainX` multiplied by x.
    var (plain, plainX) = (SIMD4<Float>(), SIMD4<Float>())
    var models: Float = 0

    @inline(__always)
    mutating func add(_ pixel: SIMD4<Float>, _ x: Float) {
        let (alongX, alongY) = (pixel * pixel.y, pixel * pixel.z)
        byValue += pixel * pixel.x
        models += pixel.w * pixel.w
        plain += pixel
        plainX += pixel * x
        byX0 += alongX
        byX1 += alongX * x
        byX2 += alongX * (x * x)
        byY0 += alongY
        byY1 += alongY * x
        byY2 += alongY * (x * x)
    }
}

/// Sums over the pixels that are in both images. The Jacobian of a pixel has six elements: both components of the
/// gradient, multiplied by x, by y and by 1. x and y are measured from the middle of the template.
private struct AlignmentSums {
    var (count, values, models, squaredValues, squaredModels, products) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    /// Sums of the four products of two components of the gradient (x·x, x·y, y·x, y·y), multiplied by x², x y, x, y²,
    /// y or 1.
    private var (byXX, byXY, byX, byYY, byY, byOne) = (
        SIMD4<Double>(), SIMD4<Double>(), SIMD4<Double>(), SIMD4<Double>(), SIMD4<Double>(), SIMD4<Double>()
    )
    /// Sums of the Jacobian: `jacobian` without a factor, `byValue` times the image's value, `byModel` times the
    /// template's value.
    var (jacobian, byValue, byModel) = (SIMD8<Double>(), SIMD8<Double>(), SIMD8<Double>())

    // If this function were inlined, the compiler would split the vectors of `row` into single lanes. Each pixel would
    // then take 60 % more time.
    @inline(never)
    mutating func add(_ row: RowSums, _ y: Double, count: Int) {
        self.count += Double(count)
        values += Double(row.plain.x)
        models += Double(row.plain.w)
        squaredValues += Double(row.byValue.x)
        products += Double(row.byValue.w)
        squaredModels += Double(row.models)
        func projection(_ x1: Float, _ y1: Float, _ x0: Float, _ y0: Float) -> SIMD8<Double> {
            SIMD8(Double(x1), Double(y1), y * Double(x0), y * Double(y0), Double(x0), Double(y0), 0, 0)
        }
        jacobian += projection(row.plainX.y, row.plainX.z, row.plain.y, row.plain.z)
        byValue += projection(row.byX1.x, row.byY1.x, row.byX0.x, row.byY0.x)
        byModel += projection(row.byX1.w, row.byY1.w, row.byX0.w, row.byY0.w)
        func gradients(_ alongX: SIMD4<Float>, _ alongY: SIMD4<Float>) -> SIMD4<Double> {
            SIMD4(Double(alongX.y), Double(alongX.z), Double(alongY.y), Double(alongY.z))
        }
        let constant = gradients(row.byX0, row.byY0), x = gradients(row.byX1, row.byY1)
        byXX += gradients(row.byX2, row.byY2)
        byXY += y * x
        byX += x
        byYY += y * y * constant
        byY += y * constant
        byOne += constant
    }

    /// The 6 × 6 matrix of the products of the Jacobian's elements. The order of the elements: both components of the
    /// gradient times x, then times y, then times 1.
    private var hessian: [Double] {
        let blocks = [[byXX, byXY, byX], [byXY, byYY, byY], [byX, byY, byOne]]
        return (0..<36).map { blocks[$0 / 12][$0 % 6 / 2][2 * ($0 / 6 % 2) + $0 % 2] }
    }

    /// Changes the sums to the values that they would have if the mean of each image in the overlap were 0.
    mutating func center() {
        let (meanValue, meanModel) = (values / count, models / count)
        squaredValues -= meanValue * values
        squaredModels -= meanModel * models
        products -= meanValue * models
        byValue -= meanValue * jacobian
        byModel -= meanModel * jacobian
    }

    var correlation: Double { products / (squaredValues * squaredModels).squareRoot() }

    /// Returns the change of the map's coefficients (theorem 1 of the paper, see `CorrelationAlignment`); nil if no
    /// step increases the correlation.
    func step() -> SIMD8<Double>? {
        let right = (0..<6).flatMap { [byValue[$0], byModel[$0]] }
        // If the gradients do not determine all coefficients, no coefficient changes.
        guard let solution = solveSymmetric(hessian, right, count: 6) else { return SIMD8() }
        var (ofValue, ofModel) = (SIMD8<Double>(), SIMD8<Double>())
        for i in 0..<6 { (ofValue[i], ofModel[i]) = (solution[2 * i], solution[2 * i + 1]) }
        let (numerator, denominator) = (squaredValues - (byValue * ofValue).sum(), products - (byModel * ofValue).sum())
        guard denominator > 0 else { return nil }
        return ofModel * (numerator / denominator) - ofValue
    }
}

/// Solves the equations `matrix` · x = `right` for a symmetric, positive definite matrix by Cholesky's decomposition.
/// - Parameters:
///   - matrix: `count` rows of `count` numbers. Numbers above the diagonal are ignored.
///   - right: `count` rows, one column for each solution.
/// - Returns: the solutions, arranged like `right`; nil if the matrix is not positive definite.
func solveSymmetric(_ matrix: [Double], _ right: [Double], count: Int) -> [Double]? {
    var (lower, solution) = (matrix, right)
    let columns = right.count / count
    for row in 0..<count {
        for column in 0...row {
            var sum = lower[row * count + column]
            for k in 0..<column { sum -= lower[row * count + k] * lower[column * count + k] }
            if row == column {
                guard sum >= .ulpOfOne else { return nil }
                lower[row * count + row] = sum.squareRoot()
            } else {
                lower[row * count + column] = sum / lower[column * count + column]
            }
        }
    }
    for column in 0..<columns {
        for row in 0..<count {
            var sum = solution[row * columns + column]
            for k in 0..<row { sum -= lower[row * count + k] * solution[k * columns + column] }
            solution[row * columns + column] = sum / lower[row * count + row]
        }
        for row in (0..<count).reversed() {
            var sum = solution[row * columns + column]
            for k in row + 1..<count { sum -= lower[k * count + row] * solution[k * columns + column] }
            solution[row * columns + column] = sum / lower[row * count + row]
        }
    }
    return solution
}
