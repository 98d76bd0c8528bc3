// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A connected part of an image that differs from the background and may contain a shadow.
struct ShadowRegion {
    /// The pixels that differ from the background.
    let mask: Matrix<UInt8>
    /// For each pixel, the mean over the channels of the logarithm of (pixel / background).
    let luma: Matrix<Float>
    /// For each pixel, the colour difference from the background: the logarithm of (pixel / background) in each channel
    /// (blue, green, red), minus `luma`. Nil in grey images.
    let tint: Matrix<Float>?
    /// `possible`: the pixels whose light and colour are possible in a shadow. `flat`: the pixels of `possible` around
    /// which the light is almost constant.
    let possible: Matrix<UInt8>
    let flat: Matrix<UInt8>
    /// Bounds of the whole image, in the coordinate system of the region.
    let frame: Rectangle
    /// Standard deviation of the logarithms of the background's levels.
    let noise: Double
    /// Number of pixels of the mask.
    let area: Int
    let recorder: DecisionRecorder?

    /// - Parameter residual: logarithms of the pixels' levels minus logarithms of the background's levels, with 1 or 3
    ///   channels.
    init(
        mask: Matrix<UInt8>, residual: Matrix<Float>, frame: Rectangle, noise: Double, recorder: DecisionRecorder? = nil
    ) throws(VisionError) {
        self.recorder = recorder
        var (luma, tint, allowed) = (residual, Matrix<Float>?.none, mask)
        if residual.channels == 3 {
            luma = Matrix(sizeOf: residual)
            var colors = Matrix<Float>(sizeOf: residual, channels: 3)
            for y in 0..<residual.height {
                Self.separate(
                    residual.row(y), luma.mutableRow(y), colors.mutableRow(y), allowed.mutableRow(y),
                    count: residual.width, grain: Float(ShadowTuning.pixelTintOfNoise * noise))
            }
            tint = colors
        }
        possible = allowed & luma.mask(from: ShadowTuning.darkest, to: ShadowTuning.lightest)
        let range = Float(ShadowTuning.flatness + ShadowTuning.flatnessOfNoise * noise)
        flat = possible & (try luma.flatPixels(range))
        (self.mask, self.luma, self.tint, self.frame, self.noise) = (mask, luma, tint, frame, noise)
        area = mask.count
    }

    /// Computes `luma` and `tint` for a row of pixels. Sets `allowed` to 0 for pixels whose colour differs too much
    /// from the background's colour.
    private static func separate(
        _ residual: UnsafePointer<Float>, _ luma: UnsafeMutablePointer<Float>, _ tint: UnsafeMutablePointer<Float>,
        _ allowed: UnsafeMutablePointer<UInt8>, count: Int, grain: Float
    ) {
        for x in 0..<count {
            let place = 3 &* x
            let light = (residual[place] + residual[place &+ 1] + residual[place &+ 2]) / 3
            let blue = residual[place] - light
            let green = residual[place &+ 1] - light
            let red = residual[place &+ 2] - light
            luma[x] = light
            (tint[place], tint[place &+ 1], tint[place &+ 2]) = (blue, green, red)
            // Indirect light slightly changes the colour of a shadow. Noise has more effect on dark pixels, so the
            // limit is greater for dark pixels.
            let dark = -max(ShadowTuning.darkest, light)
            let limit =
                ShadowTuning.pixelTint * abs(light) + ShadowTuning.pixelTintMargin + grain * (1 + dark + dark * dark)
            if blue * blue + green * green + red * red > limit * limit { allowed[x] = 0 }
        }
    }

    // MARK: Levels

    /// Returns the possible shadow pixels whose light and colour are approximately those of `light`.
    func pixels(near light: ShadowLevel, tolerance: Float) -> Matrix<UInt8> {
        var result = possible & luma.mask(from: light.level - tolerance, to: light.level + tolerance)
        guard let tint else { return result }
        let limit = light.isNeutral ? ShadowTuning.neutralTint * tolerance : ShadowTuning.nearTint + tolerance
        for y in 0..<result.height {
            let (color, allow) = (tint.row(y), result.mutableRow(y))
            for x in 0..<result.width where allow[x] != 0 {
                let blue = color[3 &* x] - light.tint.x
                let green = color[3 &* x &+ 1] - light.tint.y
                let red = color[3 &* x &+ 2] - light.tint.z
                if blue * blue + green * green + red * red > limit * limit { allow[x] = 0 }
            }
        }
        return result
    }

    /// Returns the median of the logarithmic light (`luma`) of the masked pixels, and their mean colour difference from
    /// the background.
    func light(of pixels: Matrix<UInt8>) -> ShadowLevel {
        let level = min(ShadowTuning.palest, luma.quantile(1, of: 2, under: pixels))
        return ShadowLevel(level: level, tint: SIMD3<Float>(meanTint(of: pixels)))
    }

    /// Returns the mean colour difference of the masked pixels from the background; 0 in grey images.
    func meanTint(of pixels: Matrix<UInt8>) -> SIMD3<Double> {
        tint?.mean(under: pixels) ?? .zero
    }

    /// The light in the shadow, under the assumption that the whole region is a shadow. The light is computed from the
    /// darkest fifth of the pixels, because pixels at blurred edges are lighter.
    var darkestLight: ShadowLevel {
        light(of: mask & (luma <= luma.quantile(1, of: 5, under: mask)))
    }

    /// Returns the pixels that match a shadow with the light and the colour of `light`, within the tolerance for noise.
    func darkPixels(_ light: ShadowLevel) -> Matrix<UInt8> {
        pixels(near: light, tolerance: tolerance(light, ShadowTuning.pixelDeviations))
    }

    private func tolerance(_ light: ShadowLevel, _ deviations: Double) -> Float {
        Float(noiseTolerance(ShadowTuning.tolerance, level: light.level, noise: noise, deviations: deviations))
    }

    // MARK: Questions

    /// Checks if the region is a dark object without a shadow. This is the case if nearly all flat pixels (with almost
    /// constant light around them) have about the light in shadows (`light`). The check is for views in high
    /// resolution. In the reduced frame, small gaps in such an object can make parts of the object lighter.
    func partOfOneLight(_ light: ShadowLevel) throws(VisionError) -> Check {
        func tolerance(_ margin: Double, _ deviations: Double) -> Float {
            Float(noiseTolerance(margin, level: light.level, noise: noise, deviations: deviations))
        }
        let flat = mask & (try luma.flatPixels(tolerance(ShadowTuning.flatness, ShadowTuning.flatnessOfNoise)))
        let limit = tolerance(ShadowTuning.alike, ShadowTuning.extremeDeviations)
        let alike = flat & (luma.mapped { abs($0 - light.level) } < limit)
        return Check(
            .mostAlike, Double(alike.count) / Double(max(1, flat.count)), above: ShadowTuning.mostAlike)
    }

    /// True if the light and the colour of nearly all pixels of the region are possible in a shadow.
    var hasGroundColor: Bool { partOfGroundColor.isMet }

    private var partOfGroundColor: Check {
        Check(.groundColor, Double(possible.count) / Double(max(1, area)), atLeast: ShadowTuning.groundColor)
    }

    /// Returns true if the whole region may be the shadow of an object outside the region. `light` is the light in
    /// shadows. The darkest tenth of the region must be neither darker nor much lighter than `light`.
    func mayBeShadow(_ light: ShadowLevel) -> Bool {
        func allows(_ check: Check) -> Bool { recorder.allows(check, mask, light, else: .noDetachedShadow) }
        guard allows(partOfGroundColor) else { return false }
        let lowest = luma.quantile(1, of: 10, under: mask)
        let darkest = light.level - tolerance(light, ShadowTuning.extremeDeviations)
        return allows(Check(.extremeDeviations, Double(lowest), atLeast: Double(darkest)))
            && allows(Check(.leastDepth, Double(lowest / light.level), atLeast: Double(ShadowTuning.leastDepth)))
    }

    /// Checks that the inside of the region has the light and colour of shadows (`light`). A thin region is blurred
    /// everywhere and has no inside, so the check is always met for a thin region.
    func darkInside(_ light: ShadowLevel) throws(VisionError) -> Check {
        let inner = try mask.eroded(side: 5, outside: .zero)
        let (count, least) = (Double(inner.count), ShadowTuning.leastInside * Double(area))
        guard count >= least else { return Check(.leastInside, count, atMost: least) }
        let dark = pixels(near: light, tolerance: tolerance(light, ShadowTuning.extremeDeviations)) & inner
        return Check(.darkInside, Double(dark.count) / max(1, count), above: ShadowTuning.darkInside)
    }
}

extension Matrix<Float> {
    /// Returns the mask of flat pixels. In the 3 × 3 neighbourhood of a flat pixel, the maximum and the minimum differ
    /// by less than `range`.
    fileprivate func flatPixels(_ range: Float) throws(VisionError) -> Matrix<UInt8> {
        try dilated(side: 3).mask(minus: try eroded(side: 3), below: range)
    }
}

// MARK: - Levels

/// Light and colour of a possible shadow, relative to the background.
struct ShadowLevel: Sendable {
    /// Logarithm of (light in the shadow / light on the background); negative in shadows.
    var level: Float
    /// Colour difference from the background, for blue, green and red: the logarithm of (shadow / background) in the
    /// channel, minus `level`.
    var tint = SIMD3<Float>.zero
    /// True if the shadow is assumed to have exactly the colour of the background.
    var isNeutral = false

    var tintLength: Double {
        let tint = SIMD3<Double>(tint)
        return (tint.x * tint.x + tint.y * tint.y + tint.z * tint.z).squareRoot()
    }

    /// Returns true if this light is more probably the light in a shadow than `other`. The light with the clearly
    /// smaller tint (colour difference from the background, divided by |`level`|) is more probable. If the tints do not
    /// differ clearly, the light with the higher level is more probable.
    func isLikelierShadow(than other: ShadowLevel) -> Bool { likelierShadow(than: other).isMet }

    /// Compares the tints of two lights (colour differences from the background, divided by |`level`|). If the tints do
    /// not differ clearly, compares the levels.
    func likelierShadow(than other: ShadowLevel) -> Check {
        let tints = (tintLength / Double(-level), other.tintLength / Double(-other.level))
        let greatest = max(tints.0, tints.1)
        if greatest > ShadowTuning.leastTint, min(tints.0, tints.1) < ShadowTuning.clearlyLess * greatest {
            return Check(.clearlyLess, tints.0 / tints.1, atMost: ShadowTuning.clearlyLess)
        }
        return Check(.isLikelierShadow, Double(level), above: Double(other.level))
    }

    /// Returns the possible values of the light in shadows: the peaks of the histogram of `luma`, the most frequent
    /// value first.
    /// - Parameter least: the minimum number of flat pixels (with almost constant light around them) in a peak.
    static func all(in regions: [ShadowRegion], least: Int) -> [ShadowLevel] {
        let histogram = ShadowHistogram(regions)
        let peaks = histogram.peaks(least).sorted { $0.count > $1.count }
        var levels: [ShadowLevel] = []
        for (_, light) in peaks.prefix(ShadowTuning.mostLevels) {
            if light.tintLength < -ShadowTuning.greatestTint * Double(light.level) { levels.append(light) }
            // Coloured objects that are as dark as the shadow may have changed the mean colour of the peak. So also try
            // the peak's level with the colour of the background.
            if light.tintLength > ShadowTuning.leastTint {
                levels.append(ShadowLevel(level: light.level, isNeutral: true))
            }
        }
        return levels
    }
}

/// A histogram of `luma` for the flat pixels (around which the light is almost constant). For each bin, it contains the
/// number of pixels and the sum of their tints (colour differences from the background). At each end of the histogram,
/// two bins are empty.
private struct ShadowHistogram {
    private static let count = Int((ShadowTuning.lightest - ShadowTuning.darkest) / ShadowTuning.binWidth) + 1
    private var bins = [Int](repeating: 0, count: count + 4)
    private var tints = [SIMD3<Float>](repeating: .zero, count: count + 4)

    init(_ regions: [ShadowRegion]) {
        for region in regions {
            for y in 0..<region.luma.height {
                let (luma, flat, tint) = (region.luma.row(y), region.flat.row(y), region.tint?.row(y))
                for x in 0..<region.luma.width where flat[x] != 0 {
                    let place = (luma[x] - ShadowTuning.darkest) / ShadowTuning.binWidth
                    let bin = 2 + Int(max(0, min(Float(Self.count - 1), place)))
                    bins[bin] += 1
                    if let tint { tints[bin] += SIMD3(tint[3 &* x], tint[3 &* x &+ 1], tint[3 &* x &+ 2]) }
                }
            }
        }
    }

    func peaks(_ least: Int) -> [(count: Int, light: ShadowLevel)] {
        func mass(_ i: Int) -> Int { bins[i - 1] + 2 * bins[i] + bins[i + 1] }
        var result: [(count: Int, light: ShadowLevel)] = []
        for i in 2..<Self.count + 2 {
            let near = bins[i - 1] + bins[i] + bins[i + 1]
            let (before, after) = (i > 2 ? mass(i - 1) : 0, i < Self.count + 1 ? mass(i + 1) : 0)
            guard near >= least, near > 0, mass(i) >= before, mass(i) > after else { continue }
            let place = Float(bins[i + 1] - bins[i - 1]) / Float(near)
            let sum = SIMD3<Double>(tints[i - 1] + tints[i] + tints[i + 1])
            let light = ShadowLevel(
                level: ShadowTuning.darkest + ShadowTuning.binWidth * (Float(i - 2) + 0.5 + place),
                tint: SIMD3<Float>(sum * (1 / Double(near))))
            if light.level < ShadowTuning.faintest { result.append((near, light)) }
        }
        return result
    }
}
