// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// A filter along lines of pixels.
enum LineFilter {
    /// Weights of the pixel itself, of its neighbours, and so on: 6 or 10 of them.
    case weights([Float])
    case box(radius: Double)

    var description: String {
        switch self {
        case .weights(let weights): "\(2 * weights.count - 1) weights"
        case .box: "running sums"
        }
    }

    /// A Gaussian: exp(−k² / 2σ²) for k up to 5 or 9, divided so that the weights sum to 1. That reaches 3.5 σ.
    /// - Parameter sigma: 0…2.6.
    static func gaussian(_ sigma: Double) -> LineFilter {
        let sigma = max(sigma, 0.05)
        let weights = (0...(sigma <= 1.4 ? 5 : 9)).map { exponential(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = 2 * weights.reduce(0, +) - weights[0]
        return .weights(weights.map { Float($0 / sum) })
    }
}

/// Blurs at a smaller size, and leaves the result at half the size.
struct ReducedPass {
    /// Number of times that the size is halved.
    var levels: Int
    var filter: LineFilter
    var input: FilterLocation
    var description: String

    /// Returns how often a picture is halved before it is blurred, and the sigma of the blur that is left to do.
    ///
    /// Halving a picture adds 5/4 to the variance, and so does doubling it again. As long as a sigma of 1 is left,
    /// the whole differs from the Gaussian by at most 0.0009 at a step from 0 to 1, and by 0.0017 at a line of three
    /// pixels: less than half of a byte's level.
    static func levels(sigma: Double) -> (count: Int, sigma: Double) {
        var (count, rest) = (0, sigma)
        while rest * rest - 2.5 >= 4 {
            rest = (rest * rest - 2.5).squareRoot() / 2
            count += 1
        }
        return (count, rest)
    }
}

/// Blurs along rows and then along columns, or along other lines.
struct LinePass {
    enum Direction {
        case acrossAndDown
        case slanted(LineDirection)
    }

    var filter: LineFilter
    var direction: Direction
    var input: FilterLocation
    var output: FilterLocation
    /// True if all four samples are filtered, rather than three colours.
    var allSamples = false
    var description: String

    var isSlanted: Bool {
        if case .slanted = direction { true } else { false }
    }

    /// Returns the filter and direction of a blur at full size; nil if it does nothing.
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

/// Parallel lines of pixels in some direction, without gaps: each step along the longer axis moves along the shorter
/// one by the nearest whole number of pixels.
struct LineDirection: Sendable, Hashable {
    /// True if lines go from left to right rather than downwards.
    let isFlat: Bool
    /// Pixels along the shorter axis for each along the longer one, −1…1.
    let slope: Double

    init(degrees: Double) {
        let (sine, cosine) = sineAndCosine(degrees: degrees)
        isFlat = abs(cosine) >= abs(sine)
        slope = isFlat ? sine / cosine : cosine / sine
    }

    /// Steps of a line to a pixel's length.
    var stepsPerPixel: Double { 1 / (1 + slope * slope).squareRoot() }

    /// Returns for each step of a line how far it is from the line's beginning along the shorter axis.
    func shifts(_ count: Int) -> [Int32] { (0..<count).map { Int32(floored(Double($0) * slope + 0.5)) } }
}
