// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// A filter along lines of pixels.
enum LineFilter {
    /// A symmetric filter: the weights of the centre pixel, of its neighbours, and so on; 6 or 10 weights.
    case weights([Float])
    case box(radius: Double)

    var description: String {
        switch self {
        case .weights(let weights): "\(2 * weights.count - 1) weights"
        case .box: "running sums"
        }
    }

    /// Returns a Gaussian: exp(−k² / 2σ²) for k up to 5 or 9, normalised so that the weights sum to 1. The range is
    /// about 3.5 σ.
    /// - Parameter sigma: 0…2.6.
    static func gaussian(_ sigma: Double) -> LineFilter {
        let sigma = max(sigma, 0.05)
        let weights = (0...(sigma <= 1.4 ? 5 : 9)).map { exponential(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = 2 * weights.reduce(0, +) - weights[0]
        return .weights(weights.map { Float($0 / sum) })
    }
}

/// Blurs a reduced image. The result has half the size of the input.
struct ReducedPass {
    /// Number of times that the image is halved.
    var levels: Int
    var filter: LineFilter
    var input: FilterLocation
    var description: String

    /// Returns the number of times to halve an image before a Gaussian blur, and the sigma of the remaining blur.
    ///
    /// Halving an image adds 5/4 to the variance, and doubling it again adds the same. As long as the remaining sigma
    /// is at least 1, the result differs from an exact Gaussian by at most 0.0009 at a step from 0 to 1, and by at most
    /// 0.0017 at a line of three pixels. Both are less than half a level of a byte.
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
    /// True to filter all four samples; false to filter only the three colours.
    var allSamples = false
    var description: String

    var isSlanted: Bool {
        if case .slanted = direction { true } else { false }
    }

    /// Returns the filter and the direction of a blur at full size; nil if the blur has no effect.
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

/// Parallel lines of pixels in some direction, without gaps. Each step moves by one pixel along the longer axis, and by
/// a whole number of pixels (rounded) along the shorter axis.
struct LineDirection: Sendable, Hashable {
    /// True if lines run from left to right rather than downwards.
    let isFlat: Bool
    /// Slope: movement along the shorter axis per pixel along the longer axis, −1…1.
    let slope: Double

    init(degrees: Double) {
        let (sine, cosine) = sineAndCosine(degrees: degrees)
        isFlat = abs(cosine) >= abs(sine)
        slope = isFlat ? sine / cosine : cosine / sine
    }

    /// Number of steps along a line for a distance of one pixel.
    var stepsPerPixel: Double { 1 / (1 + slope * slope).squareRoot() }

    /// Returns the offset of each step along the shorter axis, in pixels.
    func shifts(_ count: Int) -> [Int32] { (0..<count).map { Int32(floored(Double($0) * slope + 0.5)) } }
}
