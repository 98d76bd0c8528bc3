// SPDX-License-Identifier: LGPL-2.1-or-later
/// The encoding of colours as luma and chroma.
package struct Colorimetry: Sendable, Hashable {
    /// The weights of red and blue in luma. The weight of green is 1 minus these weights.
    package enum Matrix: Sendable {
        /// ITU-R BT.601-7: red 0.299, blue 0.114.
        case bt601
        /// ITU-R BT.709-6: red 0.2126, blue 0.0722.
        case bt709
        /// ITU-R BT.2020-2: red 0.2627, blue 0.0593.
        case bt2020
    }

    package var matrix: Matrix
    /// True for the full range, 0…255. False for the limited range: luma 16…235, chroma 16…240.
    package var isFullRange: Bool

    package init(_ matrix: Matrix, isFullRange: Bool = false) {
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// Returns the luma and the two chroma samples of a colour, 0…255. The samples are not rounded.
    @inlinable package func samples(of color: Color) -> (luma: Double, chromaBlue: Double, chromaRed: Double) {
        let (kr, kb) = shares
        let luma = kr * color.red + (1 - kr - kb) * color.green + kb * color.blue
        let chromaBlue = (color.blue - luma) / (2 - 2 * kb)
        let chromaRed = (color.red - luma) / (2 - 2 * kr)
        if isFullRange { return (luma, chromaBlue + 128, chromaRed + 128) }
        return (luma * 219 / 255 + 16, chromaBlue * 224 / 255 + 128, chromaRed * 224 / 255 + 128)
    }
}

extension Colorimetry {
    @usableFromInline var shares: (red: Double, blue: Double) {
        switch matrix {
        case .bt601: (0.299, 0.114)
        case .bt709: (0.2126, 0.0722)
        case .bt2020: (0.2627, 0.0593)
        }
    }

    /// The derivatives of red, green and blue with respect to luma and chroma. `luma` is the derivative of each colour
    /// with respect to luma. `blueInGreen` is the derivative of green with respect to blue chroma. The other names
    /// follow the same pattern.
    private var toColors: (luma: Double, blueInBlue: Double, blueInGreen: Double, redInGreen: Double, redInRed: Double)
    {
        let (kr, kb) = shares
        let (ofLuma, ofChroma) = isFullRange ? (1, 1) : (255.0 / 219, 255.0 / 224)
        let (redInRed, blueInBlue) = (ofChroma * (2 - 2 * kr), ofChroma * (2 - 2 * kb))
        return (ofLuma, blueInBlue, -blueInBlue * kb / (1 - kr - kb), -redInRed * kr / (1 - kr - kb), redInRed)
    }

    /// The weights for the kernel `yuvToPixels`.
    package var pixelWeights: [Float] {
        let to = toColors
        let black = isFullRange ? 0 : -16 * to.luma
        return [
            to.luma, to.blueInBlue, to.blueInGreen, to.redInGreen, to.redInRed, black - 128 * to.blueInBlue,
            black - 128 * (to.blueInGreen + to.redInGreen), black - 128 * to.redInRed,
        ].map(Float.init)
    }

    /// Coefficients for two kernels. The first seven are for `chromaTerms`, and the last one is for `lumaToColors`.
    var colorCoefficients: [Int16] {
        let to = toColors
        // The unit of the constant term is 1/32 of a level. The term is the sum of three values: the grey level of the
        // luma 128, half a level for rounding, and the mean error of products that are rounded down. All three colours
        // have the same term, so that grey stays grey.
        let base = 32 * to.luma * (isFullRange ? 128 : 112) + 16
        return [8192 * to.redInRed, 8192 * to.redInGreen, 8192 * to.blueInGreen, 8192 * to.blueInBlue].map(number)
            + [base + 1, base + 1, base + 1].map(number) + [number(8192 * to.luma)]
    }

    /// Coefficients for two kernels. The first four are for `colorsToLuma`, and the next seven are for
    /// `colorsToChroma`.
    var sampleCoefficients: [Int16] {
        let weights = sampleWeights
        func bgr(_ row: [Float], _ scale: Double) -> [Int16] {
            row.prefix(3).reversed().map { number(scale * Double($0)) }
        }
        let gray = weights.luma.reduce(0) { $0 + Double($1) }
        let sum = weights.luma.prefix(3).reduce(0) { $0 + Double($1) }
        let black = gray - sum
        return bgr(weights.luma, 16384) + [number(64 * (128 * sum + black) + 33.5)]
            + bgr(weights.chromaBlue, 32768) + bgr(weights.chromaRed, 32768) + [number(64 * 128 + 33.5)]
    }

    private func number(_ value: Double) -> Int16 { Int16(max(-32768, min(32767, value.rounded()))) }

    /// Weights for the kernel `weighPixels`, which computes luma, blue chroma and red chroma from pixels with the bytes
    /// B, G, R, A.
    package var sampleWeights: (luma: [Float], chromaBlue: [Float], chromaRed: [Float]) {
        let black = samples(of: .black)
        let ones = [Color(0, 0, 1), Color(0, 1, 0), Color(1, 0, 0)].map(samples(of:))
        return (
            ones.map { Float($0.luma - black.luma) } + [Float(black.luma)],
            ones.map { Float($0.chromaBlue - black.chromaBlue) } + [Float(black.chromaBlue)],
            ones.map { Float($0.chromaRed - black.chromaRed) } + [Float(black.chromaRed)]
        )
    }
}

/// Returns the value rounded and limited to 0…255. For NaN, returns 0.
@inlinable package func byte(_ value: Double) -> UInt8 { value > 0 ? (value < 255 ? UInt8(value + 0.5) : 255) : 0 }

/// Returns the largest integer that is at most `value`, limited to ±2⁴⁰ so that sums cannot overflow. For NaN, returns
/// 0.
@inlinable package func floored(_ value: Double) -> Int {
    let limit = 1_099_511_627_776.0
    return value > -limit ? (value < limit ? Int(value.rounded(.down)) : Int(limit)) : (value.isNaN ? 0 : -Int(limit))
}
