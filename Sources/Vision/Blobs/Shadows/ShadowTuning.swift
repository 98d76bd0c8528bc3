// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Numbers of the shadow stage. Levels are logarithms of the factor of the light in a shadow: -0.7 is half of the light.
enum ShadowTuning {
    // MARK: Light and colour

    /// Levels of the darkest and the lightest possible shadow (18 % and 95 % of the light), and of the faintest hard one.
    /// Darker: black things are taken for shadows. Lighter: noise and pale things are.
    static let darkest: Float = -1.7
    static let lightest: Float = -0.05
    static let faintest: Float = -0.18
    /// Greatest difference in colour of a shadow from its ground, as a fraction of its level: it is tinted by the light that
    /// remains. Greater: coloured things are taken for shadows.
    static let greatestTint = 0.09
    /// The same for a single pixel: a fraction of its level, plus a constant for rounding, plus a multiple of the noise.
    static let pixelTint: Float = 0.12
    static let pixelTintMargin: Float = 0.03
    static let pixelTintOfNoise = 0.7
    /// The same for pixels near a shadow's light: its own colour plus a tolerance, or a fraction of the tolerance if the shadow has
    /// exactly the ground's colour.
    static let nearTint: Float = 0.03
    static let neutralTint: Float = 0.8
    /// Length of a tint from which it counts, and a tint as a fraction of another one that is clearly less.
    static let leastTint = 0.01
    static let clearlyLess = 0.6
    /// Width of the histogram's bins of levels. Wider: shadows and things of much the same light are one.
    static let binWidth: Float = 0.025
    /// Maximum number of levels that are tried, the most frequent first. Greater: slower.
    static let mostLevels = 4
    /// Least part of all pixels, and least number of them, that have a level that is tried (1/100). Less: more levels of things are
    /// tried.
    static let levelDivisor = 100
    static let leastLevel = 8
    /// Level that a shadow has at least, so that ratios of levels are finite.
    static let palest: Float = -0.01
    /// Fraction of a region that may be a shadow by light and colour, if all of it may be one.
    static let groundColor = 0.9
    /// Fraction of the light's level that the darkest tenth of a shadow has at least. Less: pale things are shadows.
    static let leastDepth: Float = 0.6
    /// Fraction of a region that its inside is at least, if it is not thin, and fraction of the inside that is dark if all is.
    static let leastInside = 0.3
    static let darkInside = 0.8
    /// Part of a region that is as dark as a shadow from which a closer view is taken (1/25). Greater: thin shadows stay.
    static let shadedDivisor = 25

    // MARK: Tolerances

    /// Greatest difference of neighbouring levels in a flat area, and in deviations of the noise in addition. Greater: blurred
    /// edges count as flat.
    static let flatness = 0.12
    static let flatnessOfNoise = 6.0
    /// Greatest difference of a pixel's level from a shadow's. Greater: grey things are taken for shadows.
    static let tolerance = 0.05
    /// Deviations of the noise in addition: for pixels, and for the extremes of a whole region.
    static let pixelDeviations = 1.0
    static let extremeDeviations = 3.0
    /// Greatest difference in level of things of one light, and what a camera's noise of about 0.02 adds in the dark. Greater:
    /// things of nearly one light are taken for each other's shadows less often.
    static let sameLight = 0.06
    static let cameraNoise = 0.02
    /// Greatest difference in level and colour of two shadows in one light.
    static let sameShadow = 0.04
    /// Greatest difference of a thing's levels from a shadow's if it is as dark all over, and the fraction of its flat pixels for
    /// which that holds. Greater, or less: more things beside their shadows are taken for things alone.
    static let alike = 0.15
    static let mostAlike = 0.7
    /// Least difference in level of a thing that is much darker than its shadow. Less: edges of shadows count as things.
    static let muchDarker: Float = 0.35

    // MARK: Outlines

    /// Longer side in pixels to which masks are reduced before outlines are compared, and for thin shadows, whose mean cover of
    /// the pixels that they touch is below `thinCover`. Greater: slower, and more exact.
    static let reducedSide = 48
    static let thinSide = 96
    static let thinCover = 0.7
    /// Fraction of a shadow that its thing, moved, has to explain: if that proves the light, and the thing cannot be a shadow
    /// itself; if it may be one; and if the light is known. Less: dark parts of things are taken for shadows.
    static let proof = 0.6
    static let proofOfGrey = 0.7
    static let enough = 0.25
    /// The same for shadows that do not touch their things: if that proves the light, or the direction is not known; and in a
    /// light that is known. Things that lie apart are more often alike by chance.
    static let detachedProof = 0.85
    static let detachedEnough = 0.7
    /// Least cosine of the angle between a shadow and the direction of the light, and between detached shadows that prove a
    /// light together. Less: shadows of other things are taken for a thing's.
    static let sameDirection = 0.85
    static let detachedDirection = 0.97
    /// Area of a shadow as a multiple of its thing's area, at most. Greater: large dark things are taken for shadows.
    static let mostArea = 1.3
    /// Fraction of a thing's shadow that may be missing where a region has shadows of several things.
    static let mostMissing = 0.2
    /// Least area in pixels of a thing with a detached shadow.
    static let leastThing = 12
    /// Least area of a shadow, of its pixels away from edges, and of a thing's parts: as parts of the region (1/25, 1/40, 1/25), and
    /// in pixels. Less: specks count.
    static let shadowDivisor = 25
    static let leastShadow = 8
    static let coreDivisor = 40
    static let leastCore = 6
    static let partDivisor = 25
    static let leastPart = 4
    /// The same for one of several things in a region, and the least visible area of its shadow.
    static let severalDivisor = 33
    static let leastSeveral = 12
    static let leastVisible = 8
    /// Fraction of a thing that may be a shadow from which more of a proof is needed.
    static let doubtfulThing = 0.5
    /// Length of the mean of shadows' directions from which they have one in common.
    static let commonDirection = 0.8
    /// Fraction of the greater of two gains from which they are alike, so that the likelier light counts and not the gain, if their
    /// levels differ by `differentLevel`.
    static let alikeGain = 0.75
    static let differentLevel: Float = 0.04
    /// Distance of a detached shadow from its thing, in diagonals of the thing, and pixels in addition.
    static let reach = 1.1
    static let reachMargin = 2.0
    /// Number of components for each detached shadow that proves the light, at most. Greater: chance is taken for proof.
    static let componentsPerProof = 3
    /// Number of positions between a thing and the end of its shadow in which its outline is drawn, at most.
    static let mostSteps = 16

    // MARK: Views

    /// Longer side in pixels of a region of the whole frame that is not reduced. Greater: slower.
    static let regionSide = 96
    /// Side in pixels from which a region with hardly a pixel away from its edges is left to a closer view; smaller ones are
    /// looked at more closely in any case.
    static let doubtfulSide = 40
    /// Fraction of a region below which its pixels away from edges are hardly any.
    static let innerFraction = 0.4
}

/// Returns the greatest difference of levels that is no more than noise.
/// - Parameters:
///   - margin: the difference that is allowed without noise.
///   - level: the logarithm of the factor of the light: noise counts for more where there is less light.
///   - noise: the standard deviation of the ground's logarithm.
///   - deviations: the number of standard deviations that are allowed.
func noiseTolerance(_ margin: Double, level: Float, noise: Double, deviations: Double = 1) -> Double {
    margin + deviations * noise * Double(exp(-level))
}
