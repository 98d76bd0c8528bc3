// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV

/// The standard deviation of a normal distribution is the distribution's median absolute deviation (MAD) times this
/// factor.
let madFactor = 1.4826

/// Returns a quantile of the values: the value below which the fraction `numerator` / `denominator` of the values lies.
/// If `values` is empty, returns 0.
///
/// quantile([3, 1, 2], 1, of: 2)  // 2, the median of the values
func quantile(_ values: [Float], _ numerator: Int, of denominator: Int) -> Float {
    selected(values, numerator, denominator)
}

func quantile(_ values: [Double], _ numerator: Int, of denominator: Int) -> Double {
    selected(values, numerator, denominator)
}

/// Returns a quantile of the values by Hoare's selection algorithm. The algorithm also ends if some of the values are
/// NaN.
@inline(__always)
private func selected<Value: BinaryFloatingPoint>(_ values: [Value], _ numerator: Int, _ denominator: Int) -> Value {
    guard !values.isEmpty else { return 0 }
    let rank = min(values.count - 1, max(0, values.count * numerator / max(1, denominator)))
    var values = values
    return values.withUnsafeMutableBufferPointer { values in
        var (low, high) = (0, values.count - 1)
        while low < high {
            let pivot = values[low + (high - low) / 2]
            var (left, right) = (low, high)
            while left <= right {
                while left < high, values[left] < pivot { left += 1 }
                while right > low, values[right] > pivot { right -= 1 }
                if left <= right {
                    values.swapAt(left, right)
                    left += 1
                    right -= 1
                }
            }
            if rank <= right {
                high = right
            } else if rank >= left {
                low = left
            } else {
                break
            }
        }
        return values[rank]
    }
}

/// Returns the mean of the values in the shortest interval that contains more than half of the values. If `values` is
/// empty, returns 0.
func meanOfShortestHalf(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let half = sorted.count / 2 + 1
    guard half <= sorted.count else { return 0 }
    var first = 0
    for start in 0...(sorted.count - half)
    where sorted[start + half - 1] - sorted[start] < sorted[first + half - 1] - sorted[first] { first = start }
    return sorted[first..<(first + half)].reduce(0, +) / Double(half)
}

/// A linear least-squares fit of several channels. Each channel is a sum of the same terms with different coefficients.
/// The fit weights observations with Tukey's biweight function: an observation has no effect if its residual exceeds
/// four standard deviations.
struct RobustFit {
    /// `terms` is the number of terms. `basis` contains the values of all terms at the first observation, then at the
    /// second observation, and so on.
    var terms: Int
    var basis: [Double]
    var channels: Int
    /// The values of all channels at the first observation, then at the second observation, and so on.
    var values: [Double]
    /// Number of rounds of the fit. Each round solves the equations, and then computes new weights from the residuals.
    var rounds: Int
    /// Minimum of the standard deviation that is used to compute the weights. The standard deviation is estimated from
    /// the residuals.
    var leastDeviation: Double
    /// A value of at least this limit counts as clipped. If the fit gives a greater value, the fitted value replaces
    /// the clipped value in the next round.
    var ceiling = Double.infinity
    /// This value is added to the diagonal of the matrix of the normal equations. With a value above 0, the equations
    /// have exactly one solution.
    var ridge = 0.0

    /// Returns the coefficients: one row per term, and in each row one coefficient per channel.
    func coefficients() throws(VisionError) -> [Double] {
        let count = min(basis.count / max(1, terms), values.count / max(1, channels))
        var values = values
        var weights = [Double](repeating: 1, count: count)
        var residuals = weights
        var result = [Double](repeating: 0, count: terms * channels)
        for round in 0..<rounds {
            let (squares, products) = equations(weights, values)
            // With few observations, the equations may have more than one solution. So `sv_cv_solve` uses a singular
            // value decomposition.
            try check {
                sv_cv_solve(squares, Int32(terms), products, Int32(channels), &result, $0)
            }
            update(&values, &residuals, result)
            let deviation = max(leastDeviation, madFactor * quantile(residuals, 1, of: 2))
            for i in 0..<count {
                let ratio = residuals[i] / (4 * deviation)
                let falloff = max(0, 1 - ratio * ratio)
                // The fit of the first round may be inaccurate. So the weights after this round are above 0 for all
                // observations.
                weights[i] = round == 0 ? 1 / ((1 + 4 * ratio) * (1 + 4 * ratio)) : falloff * falloff
            }
        }
        return result
    }

    /// Returns the matrix (`squares`) and the right side (`products`) of the normal equations.
    private func equations(_ weights: [Double], _ values: [Double]) -> (squares: [Double], products: [Double]) {
        var squares = [Double](repeating: 0, count: terms * terms)
        var products = [Double](repeating: 0, count: terms * channels)
        for term in 0..<terms { squares[term * terms + term] = ridge }
        let (terms, channels) = (terms, channels)
        basis.withUnsafeBufferPointer { basis in
            values.withUnsafeBufferPointer { values in
                squares.withUnsafeMutableBufferPointer { squares in
                    products.withUnsafeMutableBufferPointer { products in
                        for (i, weight) in weights.enumerated() {
                            let (row, levels) = (i &* terms, i &* channels)
                            for j in 0..<terms {
                                let weighted = weight * basis[row &+ j]
                                for k in 0..<terms { squares[j &* terms &+ k] += weighted * basis[row &+ k] }
                                for c in 0..<channels { products[j &* channels &+ c] += weighted * values[levels &+ c] }
                            }
                        }
                    }
                }
            }
        }
        return (squares, products)
    }

    /// Computes, for each observation, the largest residual of all channels. Replaces a clipped value by the fitted
    /// value if the fitted value is greater (see `ceiling`).
    private func update(_ values: inout [Double], _ residuals: inout [Double], _ coefficients: [Double]) {
        let (terms, channels, ceiling) = (terms, channels, ceiling)
        basis.withUnsafeBufferPointer { basis in
            values.withUnsafeMutableBufferPointer { values in
                for i in residuals.indices {
                    var greatest = 0.0
                    for c in 0..<channels {
                        var expected = 0.0
                        for j in 0..<terms { expected += basis[i &* terms &+ j] * coefficients[j &* channels &+ c] }
                        let index = i &* channels &+ c
                        if values[index] >= ceiling { values[index] = max(ceiling, Double(Float(expected))) }
                        greatest = max(greatest, abs(values[index] - expected))
                    }
                    residuals[i] = greatest
                }
            }
        }
    }
}
