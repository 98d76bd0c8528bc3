// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
internal import KernelTypes

/// What of a picture is transparent by its colour.
package struct Key: Sendable, Hashable {
    package enum Kind: Int32, CaseIterable, Sendable {
        case none
        /// By the distance of chroma from the key's.
        case chroma
        /// By the distance of luma from the key's.
        case luma
    }

    package var kind: Kind
    package var color: Color
    /// Distance from the key up to which all is transparent. Of chroma, 1 is that of grey from the key; of luma, that of
    /// white from black.
    package var range: Double
    /// Further distance up to which it gets opaque.
    package var softness: Double
    /// Share of the key's chroma that is taken off what stays, 0…1.
    package var spill: Double

    package init(_ kind: Kind, color: Color, range: Double, softness: Double, spill: Double) {
        (self.kind, self.color, self.range, self.softness, self.spill) = (kind, color, range, softness, spill)
    }
}

/// Computes the matte of rows of a picture, and its colours without spill. What it needs is computed once for a frame.
///
/// With the key's chroma at k, of length |k|, a pixel's chroma lies at p along k and at q across it. Its distance is
/// √(max(0, |k| − p)² + q²) / |k|, so that a brighter light on the same wall is the key, too; its weight is
/// (distance − range) / softness, clipped to 0…1. What it has too much of the key is max(0, p − |q| / tan 55°), of which the
/// share `spill` is taken off its chroma in the direction of k, while its luma stays: hues beyond 55° from the key's are
/// never changed. Keys with less chroma than 16 of 255 levels are for no wall: their distance is measured to all sides, in
/// units of 16 levels.
///
/// By luma the distance is |Y − Yₖ| / 255, and no colour is changed.
package struct Keyer: Sendable, Hashable {
    package let kind: Key.Kind
    /// For red, green and blue.
    let ofColors: KeyNumbers
    /// For blue and red chroma as they are in frames of the colorimetry; nil for a luma key.
    let ofChroma: KeyNumbers?
    /// For luma as it is in those frames; nil for a key of chroma.
    let ofLuma: LumaKeyNumbers?
    /// For grey, as the first of two samples.
    let ofGray: KeyNumbers

    /// Chroma that keys have at least, in levels.
    private static let leastChroma = 16.0

    /// - Parameters:
    ///   - colorimetry: that of the picture, whose matrix also tells the chroma of colours.
    /// - Returns: nil if nothing is keyed.
    package init?(_ key: Key, colorimetry: Colorimetry) {
        let full = Colorimetry(colorimetry.matrix, isFullRange: true)
        kind = key.kind
        var colors = KeyNumbers()
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
            let scale = max(length, Self.leastChroma)
            (colors.place, colors.beyond) = (Float(length / scale), length < Self.leastChroma ? -1 : 0)
            let limit = sineAndCosine(degrees: 55)
            colors.aside = Float(limit.cosine / limit.sine)
            // A grey key has no colour that could be shed.
            let spill = length < Self.leastChroma ? 0 : max(0, min(1, key.spill.isFinite ? key.spill : 0)) * scale
            var samples = colors
            func places(_ chroma: (blue: Double, red: Double)) -> (along: Double, across: Double) {
                (
                    (chroma.blue * unit.blue + chroma.red * unit.red) / scale,
                    (chroma.red * unit.blue - chroma.blue * unit.red) / scale
                )
            }
            let change = full.colors(ofBlueChroma: unit.blue, red: unit.red)
            func sample(_ color: Color, _ change: Double) -> KeyNumbers.Sample {
                let place = places(full.chroma(of: color))
                return .init(
                    along: Float(place.along), across: Float(place.across), change: Float(-spill * change))
            }
            colors.first = sample(Color(1, 0, 0), change.red)
            colors.second = sample(Color(0, 1, 0), change.green)
            colors.third = sample(Color(0, 0, 1), change.blue)
            let levels = colorimetry.isFullRange ? 1 : 255.0 / 224
            let (blue, red) = (places((levels, 0)), places((0, levels)))
            samples.first = .init(
                along: Float(blue.along), across: Float(blue.across), change: Float(-spill * unit.blue / levels))
            samples.second = .init(
                along: Float(red.along), across: Float(red.across), change: Float(-spill * unit.red / levels))
            samples.along = Float(-128 * (blue.along + red.along))
            samples.across = Float(-128 * (blue.across + red.across))
            (ofChroma, ofLuma) = (samples, nil)
        case .luma:
            func luma(_ color: Color) -> Float { Float(full.samples(of: color).luma / 255) }
            (colors.place, colors.beyond) = (luma(key.color), -1)
            colors.first.along = luma(Color(1, 0, 0))
            colors.second.along = luma(Color(0, 1, 0))
            colors.third.along = luma(Color(0, 0, 1))
            let levels: (black: Double, count: Double) = colorimetry.isFullRange ? (0, 255) : (16, 219)
            ofChroma = nil
            ofLuma = LumaKeyNumbers(
                place: levels.black + Double(colors.place) * levels.count, range: range * levels.count,
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
    /// Chroma of a colour, in levels of the full range around 0.
    fileprivate func chroma(of color: Color) -> (blue: Double, red: Double) {
        let samples = samples(of: color)
        return (samples.chromaBlue - 128, samples.chromaRed - 128)
    }

    /// Returns what chroma of the full range adds to red, green and blue; it adds nothing to luma.
    fileprivate func colors(ofBlueChroma blue: Double, red: Double) -> (red: Double, green: Double, blue: Double) {
        let (ofRed, ofBlue) = (samples(of: Color(1, 0, 0)).luma, samples(of: Color(0, 0, 1)).luma)
        let more = (red: red * (2 - 2 * ofRed), blue: blue * (2 - 2 * ofBlue))
        return (more.red, -(ofRed * more.red + ofBlue * more.blue) / (1 - ofRed - ofBlue), more.blue)
    }
}
