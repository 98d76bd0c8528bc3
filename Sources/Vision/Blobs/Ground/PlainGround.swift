// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

extension Ground {
    /// Fits a background to the pixels along the image's edge. The logarithm of each channel is a polynomial of degree
    /// 2 in x and y, so the light may decrease towards one side. Tukey's weights exclude objects that touch the edge.
    static func continuingEdge(_ logarithm: Matrix<Float>) throws(VisionError) -> Ground {
        let samples = edgeSamples(width: logarithm.width, height: logarithm.height)
        let channels = logarithm.channels
        var (basis, values): ([Double], [Double]) = ([], [])
        basis.reserveCapacity(samples.count * terms)
        values.reserveCapacity(samples.count * channels)
        for pixel in samples {
            let x = Double(2 * pixel.x + 1) / Double(logarithm.width) - 1
            let y = Double(2 * pixel.y + 1) / Double(logarithm.height) - 1
            basis += [1, x, y, x * x, x * y, y * y]
            for c in 0..<channels { values.append(Double(logarithm[pixel.x, pixel.y, c])) }
        }
        let fit = RobustFit(
            terms: terms, basis: basis, channels: channels, values: values, rounds: GroundTuning.rounds,
            leastDeviation: GroundTuning.leastDeviation, ceiling: Double(ceiling))
        return Ground(polynomial: try fit.coefficients(), channels: channels, samples: samples)
    }

    /// Returns every n-th of the pixels along the edge.
    private static func edgeSamples(width: Int, height: Int) -> [(x: Int, y: Int)] {
        let margin = max(GroundTuning.leastEdge, min(width, height) / GroundTuning.edgeDivisor)
        let all = edgePixels(width: width, height: height, margin: margin)
        let step = max(1, all.count / GroundTuning.samples) | 1
        return stride(from: 0, to: all.count, by: step).map { all[$0] }
    }
}
