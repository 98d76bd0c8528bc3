// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// Three functions that map input levels to output levels, for red, green and blue.
struct Curve: Sendable {
    typealias Function = @Sendable (Double) -> Double

    /// Functions from an input level to an output level, 0…1.
    let red: Function
    let green: Function
    let blue: Function
    /// True if the three functions are the same.
    let isCommon: Bool
    /// A kernel that computes the same result as the functions, but without a table. Nil if no such kernel exists.
    var stage: ColorStage?

    init(stage: ColorStage? = nil, _ function: @escaping Function) {
        (red, green, blue) = (function, function, function)
        isCommon = true
        self.stage = stage
    }

    init(red: @escaping Function, green: @escaping Function, blue: @escaping Function) {
        (self.red, self.green, self.blue) = (red, green, blue)
        isCommon = false
    }

    /// Returns a curve that applies this curve, limits the result to 0…1, and then applies `next`.
    func then(_ next: Curve) -> Curve {
        func chained(_ first: @escaping Function, _ second: @escaping Function) -> Function {
            { second(clippedToOne(first($0))) }
        }
        if isCommon, next.isCommon { return Curve(chained(red, next.red)) }
        return Curve(red: chained(red, next.red), green: chained(green, next.green), blue: chained(blue, next.blue))
    }

    /// Returns a smooth curve through points by monotone piecewise cubic interpolation (F. N. Fritsch, R. E. Carlson,
    /// Monotone Piecewise Cubic Interpolation, 1980).
    /// - Parameter points: at least two points; x increases from 0 to 1.
    static func through(_ points: [Point]) -> Function {
        let slopes = zip(points, points.dropFirst()).map { ($1.y - $0.y) / ($1.x - $0.x) }
        guard let first = slopes.first, let last = slopes.last else { return { $0 } }
        var tangents = [first] + zip(slopes, slopes.dropFirst()).map { $0 * $1 <= 0 ? 0 : ($0 + $1) / 2 } + [last]
        for (i, slope) in slopes.enumerated() {
            guard slope != 0 else {
                (tangents[i], tangents[i + 1]) = (0, 0)
                continue
            }
            let (a, b) = (tangents[i] / slope, tangents[i + 1] / slope)
            let length = (a * a + b * b).squareRoot()
            if length > 3 {
                tangents[i] = 3 * a / length * slope
                tangents[i + 1] = 3 * b / length * slope
            }
        }
        let curve = tangents
        return { x in
            let i = max(0, min(slopes.count - 1, (points.lastIndex { $0.x <= x } ?? 0)))
            let width = points[i + 1].x - points[i].x
            let t = (x - points[i].x) / width
            let (t2, t3) = (t * t, t * t * t)
            return (2 * t3 - 3 * t2 + 1) * points[i].y + (t3 - 2 * t2 + t) * width * curve[i]
                + (3 * t2 - 2 * t3) * points[i + 1].y + (t3 - t2) * width * curve[i + 1]
        }
    }
}

/// Returns `value` limited to 0…1. For NaN, returns 0.
func clippedToOne(_ value: Double) -> Double { value > 0 ? (value < 1 ? value : 1) : 0 }

extension Curve {
    /// Maximum gain of a matrix that `then` merges into a curve. With a larger gain, the error of the curve's
    /// approximation by polynomials would become too large.
    private static let maxGain = 2.0

    /// Returns a curve that applies this curve, and then `matrix`. Returns nil if `matrix` mixes channels or has a
    /// large gain, or if this curve has a `stage`. The kernel of this stage and a matrix are faster than a merged
    /// curve.
    func then(_ matrix: ColorMatrix) -> Curve? {
        guard stage == nil, let gains = matrix.channelGains,
            [gains.red, gains.green, gains.blue].allSatisfy({ abs($0.gain) <= Self.maxGain })
        else { return nil }
        return then(gains)
    }

    /// Returns a curve that applies this curve, and then `gains`. Does not limit the values between the curve and the
    /// gains to 0…1.
    func then(_ gains: ChannelGains) -> Curve {
        func scaled(_ function: @escaping Function, _ channel: ChannelGains.Channel) -> Function {
            { function($0) * channel.gain + channel.offset }
        }
        if isCommon, gains.isCommon { return Curve(scaled(red, gains.red)) }
        return Curve(
            red: scaled(red, gains.red), green: scaled(green, gains.green), blue: scaled(blue, gains.blue))
    }
}
