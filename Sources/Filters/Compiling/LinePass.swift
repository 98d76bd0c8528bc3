// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// A one-dimensional filter. Passes apply it along rows, columns or slanted lines of pixels.
enum LineFilter {
    /// A symmetric filter with 6 or 10 weights. The first weight is for the centre pixel. The weight at index k is for
    /// the two pixels at the distance k.
    case weights([Float])
    case box(radius: Double)

    var description: String {
        switch self {
        case .weights(let weights): "\(2 * weights.count - 1) weights"
        case .box: "running sums"
        }
    }

    /// Returns the weights of a Gaussian blur. The weight at the distance k is proportional to exp(−k² / (2σ²)). The
    /// maximum k is 5 if σ is at most 1.4, and 9 otherwise: about 3.5 σ. The sum over all pixels is 1.
    /// - Parameter sigma: σ, 0…2.6.
    static func gaussian(_ sigma: Double) -> LineFilter {
        let sigma = max(sigma, 0.05)
        let weights = (0...(sigma <= 1.4 ? 5 : 9)).map { exponential(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = 2 * weights.reduce(0, +) - weights[0]
        return .weights(weights.map { Float($0 / sum) })
    }
}

/// Blurs the image at a reduced size. The result has half the width and height of the input. The next pass enlarges it.
struct ReducedPass {
    var levels: Int
    var filter: LineFilter
    var input: FilterLocation
    var description: String

    /// Returns how many times to halve the size of an image before a Gaussian blur, and the sigma for the blur of the
    /// reduced image.
    ///
    /// Halving an image and doubling its size again also blur it. Each of these two steps adds 5/4 (square pixels of
    /// the larger image) to the variance of the blur. If the returned sigma is at least 1, the result nearly equals an
    /// exact Gaussian blur. The error is at most 0.0009 at a step from 0 to 1, and at most 0.0017 at a line with a
    /// width of three pixels. These errors are less than 1/510, half of one byte level.
    static func levels(sigma: Double) -> (count: Int, sigma: Double) {
        var (count, remaining) = (0, sigma)
        while remaining * remaining - 2.5 >= 4 {
            remaining = (remaining * remaining - 2.5).squareRoot() / 2
            count += 1
        }
        return (count, remaining)
    }
}

/// Blurs along rows and then along columns, or along lines in another direction.
struct LinePass {
    enum Direction {
        case acrossAndDown
        case slanted(LineDirection)
    }

    var filter: LineFilter
    var direction: Direction
    var input: FilterLocation
    var output: FilterLocation
    /// True to filter all four samples of a pixel. False to filter only red, green and blue.
    var allSamples = false
    var description: String

    var isSlanted: Bool {
        if case .slanted = direction { true } else { false }
    }

    /// Returns the line filter and the direction of a blur at the full size of the image. Returns nil if the blur has
    /// no effect.
    static func filter(_ blur: Blur) -> (LineFilter, Direction)? {
        switch blur {
        case .gaussian(let sigma): return sigma > 0.05 ? (.gaussian(sigma), .acrossAndDown) : nil
        case .box(let radius): return radius > 0 ? (.box(radius: radius), .acrossAndDown) : nil
        case .motion(let radius, let degrees):
            let line = LineDirection(degrees: degrees)
            return radius > 0 ? (.box(radius: radius * line.stepsPerPixel), .slanted(line)) : nil
        }
    }
}

/// A direction of parallel lines of pixels. Together, the lines cover all pixels. Flat lines step from column to
/// column, and their row offsets are rounded to whole pixels. Steep lines step from row to row, and their column
/// offsets are rounded.
struct LineDirection: Sendable, Hashable {
    /// True if lines are nearer to horizontal than to vertical.
    let isFlat: Bool
    /// Rows per column for flat lines, columns per row for steep lines, −1…1.
    let slope: Double

    init(degrees: Double) {
        let (sine, cosine) = sineAndCosine(degrees: degrees)
        isFlat = abs(cosine) >= abs(sine)
        slope = isFlat ? sine / cosine : cosine / sine
    }

    /// Number of steps along a line per pixel of Euclidean distance.
    var stepsPerPixel: Double { 1 / (1 + slope * slope).squareRoot() }

    /// Returns the rounded row offsets (column offsets for steep lines) of the first `count` steps, in pixels.
    func shifts(_ count: Int) -> [Int32] { (0..<count).map { Int32(floored(Double($0) * slope + 0.5)) } }
}
