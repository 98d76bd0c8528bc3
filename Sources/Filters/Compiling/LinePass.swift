// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// A filter along lines of pixels.
enum LineFilter {
    /// A symmetric filter with 6 or 10 weights: of the centre pixel, of the neighbours at the distance 1, and so on.
    case weights([Float])
    case box(radius: Double)

    var description: String {
        switch self {
        case .weights(let weights): "\(2 * weights.count - 1) weights"
        case .box: "running sums"
        }
    }

    /// Returns a Gaussian. The weights are proportional to exp(−k² / (2σ²)), where k is the distance, up to 5 or 9. The
    /// sum of all weights is 1. The range is about 3.5 σ.
    /// - Parameter sigma: σ, 0…2.6.
    static func gaussian(_ sigma: Double) -> LineFilter {
        let sigma = max(sigma, 0.05)
        let weights = (0...(sigma <= 1.4 ? 5 : 9)).map { exponential(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = 2 * weights.reduce(0, +) - weights[0]
        return .weights(weights.map { Float($0 / sum) })
    }
}

/// Blurs a reduced image. The result has half the width and height of the input.
struct ReducedPass {
    var levels: Int
    var filter: LineFilter
    var input: FilterLocation
    var description: String

    /// Returns how often to halve an image before a Gaussian blur, and the sigma for the blur of the reduced image.
    ///
    /// Each halving adds 5/4 to the variance, and each doubling adds the same. If the returned sigma is at least 1, the
    /// result nearly equals an exact Gaussian. At a step from 0 to 1, it differs by at most 0.0009. At a line of three
    /// pixels, it differs by at most 0.0017. Both are less than half a level of a byte.
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
    /// True to filter all four samples of a pixel; false to filter only the three colours.
    var allSamples = false
    var description: String

    var isSlanted: Bool {
        if case .slanted = direction { true } else { false }
    }

    /// Returns the filter and the direction of a blur at full size. Returns nil if the blur has no effect.
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

/// Parallel lines of pixels in any direction. The lines cover all pixels. Each step moves by one pixel along the longer
/// axis. Along the shorter axis, it moves by a whole number of pixels (rounded).
struct LineDirection: Sendable, Hashable {
    /// True if lines are nearer to horizontal than to vertical.
    let isFlat: Bool
    /// Movement along the shorter axis per pixel along the longer axis, −1…1.
    let slope: Double

    init(degrees: Double) {
        let (sine, cosine) = sineAndCosine(degrees: degrees)
        isFlat = abs(cosine) >= abs(sine)
        slope = isFlat ? sine / cosine : cosine / sine
    }

    /// Number of steps per pixel of distance along a line.
    var stepsPerPixel: Double { 1 / (1 + slope * slope).squareRoot() }

    /// Returns the position of each step along the shorter axis, in pixels.
    func shifts(_ count: Int) -> [Int32] { (0..<count).map { Int32(floored(Double($0) * slope + 0.5)) } }
}
