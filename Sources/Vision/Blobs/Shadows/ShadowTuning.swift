// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Constants of the search for shadows. A level is the logarithm of (light in a shadow / light on the background): −0.7
/// is half of the light. A tint is the colour difference between a shadow and the background, as logarithms.
enum ShadowTuning {
    // MARK: Light and colour

    /// `darkest`, `lightest`: range of the levels in shadows (18 % to 95 % of the light). Pixels outside of this range
    /// cannot be shadow. `faintest`: only levels below this value are tried as the light in hard shadows.
    static let darkest: Float = -1.7
    static let lightest: Float = -0.05
    static let faintest: Float = -0.18
    /// A level is tried as a shadow only if its tint is shorter than this fraction of the absolute level. With a larger
    /// value, more coloured areas count as shadow.
    static let greatestTint = 0.09
    /// Maximum tint of a pixel in a shadow: `pixelTint` × |level| + `pixelTintMargin` + a noise term. The noise term is
    /// `pixelTintOfNoise` × the noise, and more for dark pixels.
    static let pixelTint: Float = 0.12
    static let pixelTintMargin: Float = 0.03
    static let pixelTintOfNoise = 0.7
    /// A pixel matches a shadow only if their tints differ by at most `nearTint` plus the tolerance of the level. If
    /// the shadow is assumed to have no tint, the limit is `neutralTint` times the tolerance.
    static let nearTint: Float = 0.03
    static let neutralTint: Float = 0.8
    /// A tint is ignored if its length is at most `leastTint`. A tint is clearly smaller than another tint if it is
    /// less than `clearlyLess` times the other tint.
    static let leastTint = 0.01
    static let clearlyLess = 0.6
    /// Width of a bin of the histogram, as a difference of levels. With a larger value, more objects have the same
    /// level as a shadow.
    static let binWidth: Float = 0.025
    /// Maximum number of levels that are tried, the most frequent levels first.
    static let mostLevels = 4
    /// A peak of the histogram is tried only if it contains at least max(`leastLevel`, n / `levelDivisor`) flat pixels.
    /// n: number of pixels of all regions.
    static let levelDivisor = 100
    static let leastLevel = 8
    /// Levels above this value are replaced by this value, so that divisions by the level are possible.
    static let palest: Float = -0.01
    /// A whole region can be a shadow only if at least this fraction of its pixels can be shadow.
    static let groundColor = 0.9
    /// A whole region can be a shadow only if its darkest tenth has at least this fraction of the shadow's level. With
    /// a smaller value, lighter regions count as shadow.
    static let leastDepth: Float = 0.6
    /// A region is thin if less than the fraction `leastInside` of its pixels is away from its edges. In other regions,
    /// more than the fraction `darkInside` of these inner pixels must be as dark as the shadow.
    static let leastInside = 0.3
    static let darkInside = 0.8
    /// A component gets a closer view for its shadow if more than 1/`shadedDivisor` of its pixels are as dark as a
    /// shadow.
    static let shadedDivisor = 25

    // MARK: Tolerances

    /// A pixel is flat if the levels in its neighbourhood differ by less than `flatness` + `flatnessOfNoise` × σ. σ:
    /// standard deviation of the noise.
    static let flatness = 0.12
    static let flatnessOfNoise = 6.0
    /// Without noise, a pixel matches a shadow if their levels differ by at most this value. With a larger value, more
    /// pixels count as shadow.
    static let tolerance = 0.05
    /// Number of standard deviations of the noise that are added to a tolerance. `pixelDeviations`: for single pixels.
    /// `extremeDeviations`: for the darkest pixels and the inside of a region.
    static let pixelDeviations = 1.0
    static let extremeDeviations = 3.0
    /// Two areas are parts of one object, without a shadow, if their levels and tints differ by at most `sameLight`.
    /// The limit is higher for dark levels, because of camera noise with the standard deviation `cameraNoise`.
    static let sameLight = 0.06
    static let cameraNoise = 0.02
    /// Without noise, the levels of two detached shadows in the same light differ by less than this value, and so do
    /// their tints.
    static let sameShadow = 0.04
    /// A pixel is like a shadow if its level differs from the shadow's level by less than `alike`. If more than the
    /// fraction `mostAlike` of a region's flat pixels are like the shadow, the region is a dark object without a
    /// shadow.
    static let alike = 0.15
    static let mostAlike = 0.7
    /// Next to a shadow, a pixel belongs to a dark object if its level is more than this value below the shadow's
    /// level.
    static let muchDarker: Float = 0.35

    // MARK: Outlines

    /// Before outlines are compared, masks are reduced so that their sides have at most `reducedSide` pixels. For thin
    /// shadows, the limit is `thinSide` pixels. A shadow is thin if the mean coverage of its pixels in the reduced mask
    /// is below `thinCover`.
    static let reducedSide = 48
    static let thinSide = 96
    static let thinCover = 0.7
    /// Minimum fit of a shadow (see `ShadowFit`). `proof`: if the object cannot be a shadow itself. `proofOfGrey`: if
    /// the object may be a shadow itself. `enough`: if light and direction are already known.
    static let proof = 0.6
    static let proofOfGrey = 0.7
    static let enough = 0.25
    /// Minimum fit of a detached shadow (see `ShadowFit`). `detachedEnough`: if light and direction are known, and the
    /// inside of the shadow is dark. `detachedProof`: in all other cases.
    static let detachedProof = 0.85
    static let detachedEnough = 0.7
    /// Minimum cosine of an angle. `sameDirection`: the angle between a shadow's offset and the known direction.
    /// `detachedDirection`: the angle between the offsets of two detached shadows in the same light.
    static let sameDirection = 0.85
    static let detachedDirection = 0.97
    /// Maximum area of a shadow, as a multiple of the area of its object.
    static let mostArea = 1.6
    /// In a region with several objects, at most this fraction of an object's shadow may be missing.
    static let mostMissing = 0.2
    /// Minimum area in pixels of an object that can have a detached shadow.
    static let leastThing = 12
    /// Minimum areas in pixels; smaller parts are ignored.
    /// - A shadow: region's area / `shadowDivisor`, at least `leastShadow`.
    /// - The core of a shadow: region's area / `coreDivisor`, at least `leastCore`.
    /// - A part of an object: region's area / `partDivisor`, at least `leastPart`.
    static let shadowDivisor = 25
    static let leastShadow = 8
    static let coreDivisor = 40
    static let leastCore = 6
    static let partDivisor = 25
    static let leastPart = 4
    /// In a region with several objects, only objects with at least max(`leastSeveral`, A / `severalDivisor`) pixels
    /// cast shadows. A: area of the region. At least `leastVisible` pixels of such a shadow must be visible.
    static let severalDivisor = 33
    static let leastSeveral = 12
    static let leastVisible = 8
    /// If at least this fraction of an object's pixels can be shadow, the object itself may be a shadow. The fit must
    /// then be at least `proofOfGrey`.
    static let doubtfulThing = 0.5
    /// A part of the object is surrounded if at least the fraction `surrounded` of its edge touches the shadow. The
    /// level of such a part must be at least `lightInShadow` times the shadow's level. Otherwise, the shadow is a dark
    /// object with a light print.
    static let surrounded = 0.85
    static let lightInShadow: Float = 0.5
    /// The shadows have a common direction if the mean of their unit vectors is longer than this value.
    static let commonDirection = 0.8
    /// Two lights are compared by their gains (see `ShadowLight`). The gains are similar if the smaller gain is more
    /// than the fraction `alikeGain` of the greater gain. If the gains are similar and the levels differ by at least
    /// `differentLevel`, the light that is more probably a shadow wins. Otherwise, the greater gain wins.
    static let alikeGain = 0.75
    static let differentLevel: Float = 0.04
    /// Maximum distance between a detached shadow and its object: `reach` times the diagonal of the object's box, plus
    /// `reachMargin` pixels.
    static let reach = 1.1
    static let reachMargin = 2.0
    /// Detached shadows prove a light only if there are at most this number of components for each of these shadows.
    /// With a larger value, fewer shadows are enough.
    static let componentsPerProof = 3
    /// Maximum number of positions at which an object is drawn between its position and its shadow.
    static let mostSteps = 16

    // MARK: Views

    /// Regions of the whole frame are reduced if their longer side has more than this number of pixels.
    static let regionSide = 96
    /// Only components whose longer side has at least this length, in pixels, may hide a shadow. `BlobDetector` takes
    /// closer views of smaller blobs anyway.
    static let doubtfulSide = 40
    /// A component may hide a shadow if less than this fraction of its pixels is away from its edges.
    static let innerFraction = 0.4
}

/// Returns the maximum difference between two levels that noise may cause: `margin` + `deviations` × `noise` ×
/// exp(−`level`). Noise has more effect on the logarithm if there is less light.
/// - Parameters:
///   - margin: the maximum difference without noise.
///   - level: the logarithm of (light / light on the background).
///   - noise: the standard deviation of the background's logarithms.
///   - deviations: the number of standard deviations.
func noiseTolerance(_ margin: Double, level: Float, noise: Double, deviations: Double = 1) -> Double {
    margin + deviations * noise * Double(exp(-level))
}
