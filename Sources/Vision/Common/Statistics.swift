// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV

/// Factor by which the median of absolute deviations (MAD) estimates a normal distribution's standard deviation.
let madFactor = 1.4826

/// Returns the value below which a fraction of all values lies; 0 if there are none.
///
///     quantile([3, 1, 2], 1, of: 2)  // 2, the median
func quantile(_ values: [Float], _ numerator: Int, of denominator: Int) -> Float {
    selected(values, numerator, denominator)
}

func quantile(_ values: [Double], _ numerator: Int, of denominator: Int) -> Double {
    selected(values, numerator, denominator)
}

/// Selects by Hoare's algorithm. It ends with any values, also those that are not numbers.
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

/// A fit of several quantities, the channels, as sums of the same terms, with Tukey's weights: observations that differ by more
/// than four standard deviations have no effect.
struct RobustFit {
    /// Number of terms, and values of all terms at the first observation, then at the second one, and so on.
    var terms: Int
    var basis: [Double]
    var channels: Int
    /// Observed values of all channels at the first observation, then at the second one, and so on.
    var values: [Double]
    /// Number of times that weights are computed.
    var rounds: Int
    /// Standard deviation that is expected at least.
    var leastDeviation: Double
    /// Value at which observations are clipped: the truth may be greater.
    var ceiling = Double.infinity
    /// A number added to the diagonal of the normal equations, so that they have a single solution.
    var ridge = 0.0

    /// Returns the coefficients: a row of all channels for each term.
    func coefficients() throws(VisionError) -> [Double] {
        let count = min(basis.count / max(1, terms), values.count / max(1, channels))
        var values = values
        var weights = [Double](repeating: 1, count: count)
        var residuals = weights
        var result = [Double](repeating: 0, count: terms * channels)
        for round in 0..<rounds {
            let (squares, products) = equations(weights, values)
            // Singular values, as tiny pictures have no single solution.
            try check {
                sv_cv_solve(squares, Int32(terms), products, Int32(channels), &result, $0)
            }
            update(&values, &residuals, result)
            let deviation = max(leastDeviation, madFactor * quantile(residuals, 1, of: 2))
            for i in 0..<count {
                let ratio = residuals[i] / (4 * deviation)
                let falloff = max(0, 1 - ratio * ratio)
                // Little is known in the first round: no observation is left out.
                weights[i] = round == 0 ? 1 / ((1 + 4 * ratio) * (1 + 4 * ratio)) : falloff * falloff
            }
        }
        return result
    }

    /// Returns both sides of the normal equations.
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

    /// Computes the greatest residual of each observation, and what clipped values may have been.
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
