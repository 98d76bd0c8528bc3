// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

extension Ground {
    /// Fits a background to the pixels along the image's edge. The logarithm of each channel is a polynomial of degree
    /// 2 in x and y, so the light may decrease towards one side. Tukey's weights exclude objects that touch the edge.
    /// The pixels inside the border determine only a bowl-shaped term of the polynomial; see `insideSamples`.
    static func continuingEdge(_ logarithm: Matrix<Float>) throws(VisionError) -> Ground {
        let samples = edgeSamples(width: logarithm.width, height: logarithm.height)
        let channels = logarithm.channels
        var (basis, values): ([Double], [Double]) = ([], [])
        basis.reserveCapacity(samples.count * borderTerms)
        values.reserveCapacity(samples.count * channels)
        for pixel in samples {
            let x = Double(2 * pixel.x + 1) / Double(logarithm.width) - 1
            let y = Double(2 * pixel.y + 1) / Double(logarithm.height) - 1
            basis += [1, x, y, x * x, x * y, y * y]
            for c in 0..<channels { values.append(Double(logarithm[pixel.x, pixel.y, c])) }
        }
        let fit = RobustFit(
            terms: borderTerms, basis: basis, channels: channels, values: values, rounds: GroundTuning.rounds,
            leastDeviation: GroundTuning.leastDeviation, ceiling: Double(ceiling))
        let border = try fit.coefficients() + [Double](repeating: 0, count: channels)
        let inside = Ground(polynomial: border, channels: channels, samples: samples).insideSamples(logarithm)
        var coefficients = border
        for (c, height) in inside.bowl.enumerated() {
            for (row, factor) in [1.0, 0, 0, -1, 0, -1, 1].enumerated() {
                coefficients[row * channels + c] += factor * height
            }
        }
        let step = Self.insideStep(logarithm)
        let pairs = zip(inside.pixels, inside.pixels.dropFirst())
            .filter { $0.y == $1.y && $1.x - $0.x == step }
            .map { (left: $0.x, right: $1.x, y: $0.y) }
        return Ground(polynomial: coefficients, channels: channels, samples: samples + inside.pixels, pairs: pairs)
    }

    /// Returns pixels inside the border that may show the background, and the height h of a bowl for each channel. The
    /// background gets the additional term h (1 − x²)(1 − y²), which has the shape of a bowl. Lenses with dark corners
    /// and lamps above the centre cause such a bowl. The border does not show h, because the bowl is 0 along the
    /// border.
    ///
    /// Each pixel inside the border gives an estimate of h. The result h is the mean of the estimates in the shortest
    /// interval that contains half of all estimates (P. J. Rousseeuw: Least median of squares regression, 1984), so
    /// objects have little effect on h. But if a large sheet of paper covers more than half of the image, the bowl
    /// would follow the paper. So the bowl is omitted if the median difference between all pixels and the background is
    /// smaller without the bowl.
    private func insideSamples(_ logarithm: Matrix<Float>) -> (pixels: [(x: Int, y: Int)], bowl: [Double]) {
        let (width, height) = (logarithm.width, logarithm.height)
        let step = Self.insideStep(logarithm)
        let residual = residual(logarithm, logarithm.bounds, .whole, step: step)
        var pixels: [(x: Int, y: Int)] = []
        var heights = [[Double]](repeating: [], count: residual.channels)
        var grid: [(bowl: Double, levels: [Double])] = []
        var count = 0
        for (row, y) in stride(from: 0, to: height, by: step).enumerated() {
            let v = Double(2 * y + 1) / Double(height) - 1
            let from = residual.row(row)
            for (column, x) in stride(from: 0, to: width, by: step).enumerated() {
                let u = Double(2 * x + 1) / Double(width) - 1
                let bowl = (1 - u * u) * (1 - v * v)
                let levels = (0..<residual.channels).map { Double(from[column * residual.channels + $0]) }
                grid.append((bowl, levels))
                guard bowl > GroundTuning.leastBowl else { continue }
                count += 1
                guard levels.allSatisfy({ abs($0) < GroundTuning.highestBowl }) else { continue }
                pixels.append((x, y))
                for (c, level) in levels.enumerated() { heights[c].append(level / bowl) }
            }
        }
        guard 2 * pixels.count > count else { return ([], []) }
        let bowl = heights.map(meanOfShortestHalf)
        /// Returns the median difference between the pixels and the background, if the background's bowl-shaped term is
        /// multiplied by `factor`.
        func difference(_ factor: Double) -> Double {
            let all = grid.map { pixel in
                zip(pixel.levels, bowl).reduce(0) { max($0, abs($1.0 - factor * $1.1 * pixel.bowl)) }
            }
            return quantile(all, 1, of: 2)
        }
        return (pixels, difference(1) < difference(0) ? bowl : [])
    }

    /// Returns the distance between two sampled pixels inside the border, in pixels.
    private static func insideStep(_ image: Matrix<Float>) -> Int {
        max(1, min(image.width, image.height) / GroundTuning.insideDivisor)
    }

    /// Returns every n-th pixel of the image's border.
    private static func edgeSamples(width: Int, height: Int) -> [(x: Int, y: Int)] {
        let margin = max(GroundTuning.leastEdge, min(width, height) / GroundTuning.edgeDivisor)
        let all = edgePixels(width: width, height: height, margin: margin)
        let step = max(1, all.count / GroundTuning.samples) | 1
        return stride(from: 0, to: all.count, by: step).map { all[$0] }
    }
}
