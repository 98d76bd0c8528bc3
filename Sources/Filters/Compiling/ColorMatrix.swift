// SPDX-License-Identifier: LGPL-2.1-or-later
/// A linear map of colours: three rows of factors for red, green and blue, and a summand each.
struct ColorMatrix: Sendable, Hashable {
    var red: SIMD4<Double>
    var green: SIMD4<Double>
    var blue: SIMD4<Double>

    static let identity = ColorMatrix(red: [1, 0, 0, 0], green: [0, 1, 0, 0], blue: [0, 0, 1, 0])

    /// Rec.601 luma in all channels.
    static let luma = ColorMatrix(red: weights, green: weights, blue: weights)
    private static let weights = SIMD4(0.299, 0.587, 0.114, 0)

    /// A factor for each channel, and a summand for all.
    static func gains(_ red: Double, _ green: Double, _ blue: Double, offset: Double = 0) -> ColorMatrix {
        ColorMatrix(red: [red, 0, 0, offset], green: [0, green, 0, offset], blue: [0, 0, blue, offset])
    }

    /// A gradient over grey: from `black` to `white`, as the colour's luma goes from 0 to 1.
    static func gradient(from black: RealColor, to white: RealColor) -> ColorMatrix {
        func row(_ from: Double, _ to: Double) -> SIMD4<Double> {
            var row = weights * (to - from)
            row.w = from
            return row
        }
        return ColorMatrix(
            red: row(black.red, white.red), green: row(black.green, white.green), blue: row(black.blue, white.blue))
    }

    /// Returns a mixture of the unchanged colours and this matrix, which has the given share.
    func mixed(_ share: Double) -> ColorMatrix {
        let rest = Self.identity
        return ColorMatrix(
            red: red * share + rest.red * (1 - share), green: green * share + rest.green * (1 - share),
            blue: blue * share + rest.blue * (1 - share))
    }

    /// Returns a matrix that applies this one first, then another.
    func then(_ next: ColorMatrix) -> ColorMatrix {
        func row(_ row: SIMD4<Double>) -> SIMD4<Double> {
            var result = red * row.x + green * row.y + blue * row.z
            result.w += row.w
            return result
        }
        return ColorMatrix(red: row(next.red), green: row(next.green), blue: row(next.blue))
    }

    /// The same as gains; nil unless each channel depends on itself alone.
    var channelGains: ChannelGains? {
        guard red.y == 0, red.z == 0, green.x == 0, green.z == 0, blue.x == 0, blue.y == 0 else { return nil }
        return ChannelGains(
            red: .init(gain: red.x, offset: red.w), green: .init(gain: green.y, offset: green.w),
            blue: .init(gain: blue.z, offset: blue.w))
    }

    /// The kernels' twelve numbers, for levels of 0…255.
    var numbers: [Double] { [red, green, blue].flatMap { row in [row.x, row.y, row.z, row.w * 255] } }
}
