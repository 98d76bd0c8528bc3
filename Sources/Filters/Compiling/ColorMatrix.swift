// SPDX-License-Identifier: LGPL-2.1-or-later
/// A linear map of colours. The rows `red`, `green` and `blue` compute the output channels. Each row contains the
/// factors of the input channels red, green and blue, and a constant term.
struct ColorMatrix: Sendable, Hashable {
    var red: SIMD4<Double>
    var green: SIMD4<Double>
    var blue: SIMD4<Double>

    static let identity = ColorMatrix(red: [1, 0, 0, 0], green: [0, 1, 0, 0], blue: [0, 0, 1, 0])

    /// A matrix that writes the Rec.601 luma into all channels.
    static let luma = ColorMatrix(red: weights, green: weights, blue: weights)
    private static let weights = SIMD4(0.299, 0.587, 0.114, 0)

    /// Returns a matrix with one factor per channel, and the same offset for all channels.
    static func gains(_ red: Double, _ green: Double, _ blue: Double, offset: Double = 0) -> ColorMatrix {
        ColorMatrix(red: [red, 0, 0, offset], green: [0, green, 0, offset], blue: [0, 0, blue, offset])
    }

    /// Returns a map from luma to a gradient. The luma 0 becomes `black`, and the luma 1 becomes `white`.
    static func gradient(from black: RealColor, to white: RealColor) -> ColorMatrix {
        func row(_ from: Double, _ to: Double) -> SIMD4<Double> {
            var row = weights * (to - from)
            row.w = from
            return row
        }
        return ColorMatrix(
            red: row(black.red, white.red), green: row(black.green, white.green), blue: row(black.blue, white.blue))
    }

    /// Interpolates between the identity and this matrix. `share` is the weight of this matrix.
    func mixed(_ share: Double) -> ColorMatrix {
        let identity = Self.identity
        return ColorMatrix(
            red: red * share + identity.red * (1 - share), green: green * share + identity.green * (1 - share),
            blue: blue * share + identity.blue * (1 - share))
    }

    /// Returns a matrix that first applies this matrix, and then `next`.
    func then(_ next: ColorMatrix) -> ColorMatrix {
        func row(_ row: SIMD4<Double>) -> SIMD4<Double> {
            var result = red * row.x + green * row.y + blue * row.z
            result.w += row.w
            return result
        }
        return ColorMatrix(red: row(next.red), green: row(next.green), blue: row(next.blue))
    }

    /// The matrix as one gain and one offset per channel. Nil if an output channel depends on more than one input
    /// channel.
    var channelGains: ChannelGains? {
        guard red.y == 0, red.z == 0, green.x == 0, green.z == 0, blue.x == 0, blue.y == 0 else { return nil }
        return ChannelGains(
            red: .init(gain: red.x, offset: red.w), green: .init(gain: green.y, offset: green.w),
            blue: .init(gain: blue.z, offset: blue.w))
    }

    /// The twelve parameters for the kernel `runStage`. The constant terms are multiplied by 255, because the kernel
    /// works on levels 0…255.
    var coefficients: [Double] { [red, green, blue].flatMap { row in [row.x, row.y, row.z, row.w * 255] } }
}
