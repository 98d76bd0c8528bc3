// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
internal import KernelTypes

/// Settings of a chroma key or luma key, which makes pixels transparent by their colour.
package struct Key: Sendable, Hashable {
    package enum Kind: Int32, CaseIterable, Sendable {
        case none
        /// The transparency of a pixel depends on the distance of its chroma from the key's chroma.
        case chroma
        /// The transparency of a pixel depends on the distance of its luma from the key's luma.
        case luma
    }

    package var kind: Kind
    package var color: Color
    /// Maximum distance from the key's colour at which pixels are completely transparent. For a chroma key, the
    /// distance between grey and the key's colour is 1. For a luma key, the distance between black and white is 1.
    package var range: Double
    /// From the distance `range` to the distance `range` + `softness`, the opacity of pixels increases from 0 to 1.
    package var softness: Double
    /// Strength of the spill removal, 0…2. Above 1, the removal also changes hues near the key's hue.
    package var spill: Double

    package init(_ kind: Kind, color: Color, range: Double, softness: Double, spill: Double) {
        (self.kind, self.color, self.range, self.softness, self.spill) = (kind, color, range, softness, spill)
    }
}

/// Computes the matte of image rows, and removes spill from the colours of these rows. The initializer computes all
/// constants, once per frame.
///
/// Chroma key: the chroma of the key's colour is the vector k with length |k|. The chroma of a pixel has the component
/// p in the direction of k and the component q perpendicular to k.
/// - The distance of the pixel from the key's colour is √(max(0, |k| − p)² + q²) / |k|. So a pixel with the key's hue
///   and more saturation has distance 0, for example where a brighter light falls on the wall.
/// - The weight of the pixel is (distance − range) / softness, clipped to 0…1.
/// - The spill is max(0, p − |q| · (2 − s) / tan 55°), where s = max(1, `spill`). The keyer subtracts min(1, `spill`)
///   times the spill from p, the component in the direction of k. Luma does not change. With s = 1, hues that differ by
///   more than 55° from the key's hue never change. With s = 2, no colour keeps a component in the direction of k: the
///   key's hue becomes grey.
/// - If |k| is less than 16 levels (of 255), the key's colour counts as grey. The distance is then the Euclidean
///   distance of the pixel's chroma from k, divided by 16 levels. Spill is not removed.
///
/// Luma key: the distance is |Y − Yₖ| / 255. Y is the luma of the pixel and Yₖ is the luma of the key's colour. Colours
/// do not change.
package struct Keyer: Sendable, Hashable {
    package let kind: Key.Kind
    /// Kernel parameters for red, green and blue samples.
    let ofColors: KeyParameters
    /// Kernel parameters for the chroma samples of frames with the given colorimetry; nil for a luma key.
    let ofChroma: KeyParameters?
    /// Kernel parameters for the luma samples of frames with the given colorimetry; nil for a chroma key.
    let ofLuma: LumaKeyParameters?
    /// Kernel parameters for grey samples. The kernel takes two samples per pixel, and the second sample has no effect.
    let ofGray: KeyParameters

    /// A key with a chroma of less than 16 levels counts as grey.
    private static let minChroma = 16.0

    /// Creates a keyer. Returns nil if the kind of the key is `none`.
    /// - Parameters:
    ///   - colorimetry: the colorimetry of the image. Its matrix also defines the chroma of RGB colours.
    package init?(_ key: Key, colorimetry: Colorimetry) {
        let full = Colorimetry(colorimetry.matrix, isFullRange: true)
        kind = key.kind
        var colors = KeyParameters()
        let softness = max(0.001, key.softness.isFinite ? key.softness : 0)
        let range = key.range.isFinite ? key.range : 0
        colors.slope = Float(255 / softness)
        colors.offset = Float(-255 / softness * range)
        switch key.kind {
        case .none: return nil
        case .chroma:
            let of = full.chroma(of: key.color)
            let length = (of.blue * of.blue + of.red * of.red).squareRoot()
            let unit = length > 0.5 ? (blue: of.blue / length, red: of.red / length) : (blue: 1, red: 0)
            let scale = max(length, Self.minChroma)
            (colors.position, colors.beyond) = (Float(length / scale), length < Self.minChroma ? -1 : 0)
            let limit = sineAndCosine(degrees: 55)
            let strength = key.spill.isFinite ? key.spill : 0
            colors.aside = Float(limit.cosine / limit.sine * max(0, 2 - max(1, strength)))
            // A grey wall causes no spill.
            let spill = length < Self.minChroma ? 0 : max(0, min(1, strength)) * scale
            var samples = colors
            func coordinates(_ chroma: (blue: Double, red: Double)) -> (along: Double, across: Double) {
                (
                    (chroma.blue * unit.blue + chroma.red * unit.red) / scale,
                    (chroma.red * unit.blue - chroma.blue * unit.red) / scale
                )
            }
            let change = full.colors(ofBlueChroma: unit.blue, red: unit.red)
            func sample(_ color: Color, _ change: Double) -> KeyParameters.Sample {
                let position = coordinates(full.chroma(of: color))
                return .init(
                    along: Float(position.along), across: Float(position.across), change: Float(-spill * change))
            }
            colors.first = sample(Color(1, 0, 0), change.red)
            colors.second = sample(Color(0, 1, 0), change.green)
            colors.third = sample(Color(0, 0, 1), change.blue)
            let levels = colorimetry.isFullRange ? 1 : 255.0 / 224
            let (blue, red) = (coordinates((levels, 0)), coordinates((0, levels)))
            samples.first = .init(
                along: Float(blue.along), across: Float(blue.across), change: Float(-spill * unit.blue / levels))
            samples.second = .init(
                along: Float(red.along), across: Float(red.across), change: Float(-spill * unit.red / levels))
            samples.along = Float(-128 * (blue.along + red.along))
            samples.across = Float(-128 * (blue.across + red.across))
            (ofChroma, ofLuma) = (samples, nil)
        case .luma:
            func luma(_ color: Color) -> Float { Float(full.samples(of: color).luma / 255) }
            (colors.position, colors.beyond) = (luma(key.color), -1)
            colors.first.along = luma(Color(1, 0, 0))
            colors.second.along = luma(Color(0, 1, 0))
            colors.third.along = luma(Color(0, 0, 1))
            let levels: (black: Double, count: Double) = colorimetry.isFullRange ? (0, 255) : (16, 219)
            ofChroma = nil
            ofLuma = LumaKeyParameters(
                position: levels.black + Double(colors.position) * levels.count, range: range * levels.count,
                slope: 255 / softness / levels.count)
        }
        ofColors = colors
        var gray = colors
        gray.first = .init(
            along: colors.first.along + colors.second.along + colors.third.along,
            across: colors.first.across + colors.second.across + colors.third.across)
        gray.second = .init()
        gray.third = .init()
        ofGray = gray
    }
}

extension Colorimetry {
    /// Returns the chroma of a colour, in levels of the full range (0…255). The chroma of grey is (0, 0).
    fileprivate func chroma(of color: Color) -> (blue: Double, red: Double) {
        let samples = samples(of: color)
        return (samples.chromaBlue - 128, samples.chromaRed - 128)
    }

    /// Returns the changes of red, green and blue that change chroma by the given levels (full range), but do not
    /// change luma.
    fileprivate func colors(ofBlueChroma blue: Double, red: Double) -> (red: Double, green: Double, blue: Double) {
        let (ofRed, ofBlue) = (samples(of: Color(1, 0, 0)).luma, samples(of: Color(0, 0, 1)).luma)
        let more = (red: red * (2 - 2 * ofRed), blue: blue * (2 - 2 * ofBlue))
        return (more.red, -(ofRed * more.red + ofBlue * more.blue) / (1 - ofRed - ofBlue), more.blue)
    }
}
