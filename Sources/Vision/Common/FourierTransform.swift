// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// The discrete Fourier transform of complex numbers (x + i y), by the algorithm of Cooley and Tukey. Element k of the
/// result is the sum over all n of values[n] · exp(−2πi k n / count).
struct FourierTransform {
    /// Number of values, a power of two.
    let count: Int
    /// `order`: each index with its bits in reverse order. `roots`: exp(−2πi k / count) for each k below count / 2.
    private let order: [Int]
    private let roots: [SIMD2<Float>]

    init(bits: Int) {
        let count = 1 << bits
        self.count = count
        order = (0..<count).map { index in (0..<bits).reduce(0) { $0 << 1 | (index >> $1 & 1) } }
        roots = (0..<count / 2).map { k in
            let angle = -2 * Double.pi * Double(k) / Double(count)
            return SIMD2(Float(cos(angle)), Float(sin(angle)))
        }
    }

    /// - Parameter values: `count` complex numbers.
    func callAsFunction(_ values: [SIMD2<Float>]) -> [SIMD2<Float>] {
        var result = order.map { values[$0] }
        var half = 1
        while half < count {
            let step = count / (2 * half)
            for start in stride(from: 0, to: count, by: 2 * half) {
                for k in 0..<half {
                    let (low, high, root) = (result[start + k], result[start + k + half], roots[k * step])
                    let turned = SIMD2(root.x * high.x - root.y * high.y, root.x * high.y + root.y * high.x)
                    result[start + k] = low + turned
                    result[start + k + half] = low - turned
                }
            }
            half *= 2
        }
        return result
    }
}
