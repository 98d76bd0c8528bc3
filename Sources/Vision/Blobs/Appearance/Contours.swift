// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The contours within an object: the magnitude of the gradient, normalized by the local mean and standard deviation.
/// The normalization makes the contours nearly independent of the direction and the strength of the light. `soft` is
/// blurred more than `sharp`. The first alignments use `soft`. The last alignment and the comparison use `sharp`.
struct Contours: Sendable {
    let (sharp, soft): (Matrix<Float>, Matrix<Float>)

    /// - Parameter picture: an image with 1 or 3 channels.
    init(_ picture: Matrix<UInt8>) throws(VisionError) {
        let smooth = try picture.gray().floats.blurred(sigma: AppearanceTuning.smoothing)
        // The Sobel kernels return 8 for a slope of one level per pixel. The scale 0.25 reduces this to 2.
        let magnitude = try smooth.gradient(scale: 0.25)
        sharp = try magnitude.blurred(sigma: AppearanceTuning.sharpBlur)
            .evened(side: AppearanceTuning.sharpReach, noise: AppearanceTuning.sharpNoise)
        soft = try magnitude.blurred(sigma: AppearanceTuning.softBlur).evened(
            side: AppearanceTuning.softReach, noise: 0)
    }

    /// Returns the soft contours of the core (a disc in the middle of the object) in polar coordinates: all radii of
    /// the first angle, then all radii of the second angle, and so on. The vector has the mean 0 and the length 1.
    func polar() throws(VisionError) -> [Float] {
        let (angles, radii) = (NormalView.angles, NormalView.radii)
        let middle = Double(NormalView.side) / 2
        var values = try soft.polar(
            center: Point(middle, middle), radius: NormalView.coreRadius, angles: angles, radii: radii
        ).samples
        func center() {
            let mean = values.reduce(0.0) { $0 + Double($1) } / Double(values.count)
            for i in values.indices { values[i] -= Float(mean) }
        }
        center()
        // Multiply each sample by the square root of the sample's area on the disc. A correlation multiplies two
        // samples, so it then weights each product by the area.
        for i in values.indices { values[i] *= Float(((Double(i % radii) + 0.5) / Double(radii)).squareRoot()) }
        center()
        let power = values.reduce(0.0) { $0 + Double($1) * Double($1) }
        return power > 0 ? values.map { $0 * Float(1 / power.squareRoot()) } : values
    }
}

extension Matrix<Float> {
    /// Returns the matrix, normalized by the local mean and standard deviation.
    /// - Parameters:
    ///   - side: the side of the square around each pixel, in pixels.
    ///   - noise: a factor. The product of this factor and the noise variance is added to the local variance. With a
    ///     larger factor, noise becomes fainter, but so do contours with a similar contrast.
    fileprivate func evened(side: Int, noise: Float) throws(VisionError) -> Matrix {
        let means = try boxBlurred(side: side)
        var (centered, squares) = (Matrix(sizeOf: self), Matrix(sizeOf: self))
        for y in 0..<height {
            let (from, mean, to, square) = (row(y), means.row(y), centered.mutableRow(y), squares.mutableRow(y))
            for x in 0..<width {
                to[x] = from[x] - mean[x]
                square[x] = to[x] * to[x]
            }
        }
        let variances = try squares.boxBlurred(side: side + AppearanceTuning.varianceReach)
        let floor =
            AppearanceTuning.leastVariance
            + Swift.min(
                AppearanceTuning.mostNoise, noise > 0 ? noise * variances.plainVariance : 0)
        for y in 0..<height {
            let (to, variance) = (centered.mutableRow(y), variances.row(y))
            for x in 0..<width { to[x] /= (variance[x] + floor).squareRoot() }
        }
        return centered
    }

    /// Variance in plain areas, such as paper: the 20 % quantile of the local variances in this matrix.
    private var plainVariance: Float {
        var values: [Float] = []
        for y in Swift.stride(from: 2, to: height, by: 4) {
            let row = row(y)
            for x in Swift.stride(from: 2, to: width, by: 4) { values.append(row[x]) }
        }
        return Vision.quantile(values, 1, of: 5)
    }

    /// Returns the plainness of the masked part of an object's core (a disc in the middle), 0…1: 0 if the part has
    /// clear contours, 1 if the part has no contours or the mask is too small.
    func plainness(under mask: Matrix<UInt8>) -> Double {
        var (sum, squares, count) = (0.0, 0.0, 0)
        for y in 0..<height {
            let (row, use) = (row(y), mask.row(y))
            for x in 0..<width where use[x] != 0 {
                let value = Double(row[x])
                (sum, squares, count) = (sum + value, squares + value * value, count &+ 1)
            }
        }
        let fraction = Double(count) / (.pi * NormalView.coreRadius * NormalView.coreRadius)
        guard fraction >= AppearanceTuning.enoughContours / 3 else { return 1 }
        let mean = sum / Double(count), variance = Swift.max(0, squares / Double(count) - mean * mean)
        return Swift.max(
            0, 1 - variance / AppearanceTuning.clearVariance * Swift.min(1, fraction / AppearanceTuning.enoughContours))
    }

    /// Returns the correlation with another matrix over the masked pixels, −1…1; 0 if one of the matrices is constant.
    func correlation(with other: Matrix, under mask: Matrix<UInt8>) -> Double {
        var (count, a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for y in 0..<height {
            let (first, second, use) = (row(y), other.row(y), mask.row(y))
            for x in 0..<width where use[x] != 0 {
                let (u, v) = (Double(first[x]), Double(second[x]))
                (count, a, b) = (count + 1, a + u, b + v)
                (aa, bb, ab) = (aa + u * u, bb + v * v, ab + u * v)
            }
        }
        guard count > 0 else { return 0 }
        let lengths = (Swift.max(0, aa - a * a / count) * Swift.max(0, bb - b * b / count)).squareRoot()
        return lengths > 0 ? (ab - a * b / count) / lengths : 0
    }
}
