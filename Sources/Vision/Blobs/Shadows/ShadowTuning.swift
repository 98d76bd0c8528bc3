// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Constants of the shadow stage. A level is the logarithm of the light in a shadow divided by the light on the
/// background: −0.7 is half of the light.
enum ShadowTuning {
    // MARK: Light and colour

    /// `darkest` and `lightest`: levels of the darkest and the lightest possible shadow (18 % and 95 % of the light).
    /// `faintest`: level of the lightest shadow that is tried as the light of hard shadows. A lower `darkest` accepts
    /// darker pixels as shadow; a higher `lightest` accepts lighter pixels.
    static let darkest: Float = -1.7
    static let lightest: Float = -0.05
    static let faintest: Float = -0.18
    /// An area can be a shadow only if its colour difference from the background is at most this fraction of its level.
    /// Shadows are tinted by the remaining light. A larger value accepts more coloured areas as shadow.
    static let greatestTint = 0.09
    /// A single pixel can belong to a shadow only if its colour difference from the background is at most `pixelTint`
    /// times its level, plus `pixelTintMargin` for rounding, plus `pixelTintOfNoise` times the noise.
    static let pixelTint: Float = 0.12
    static let pixelTintMargin: Float = 0.03
    static let pixelTintOfNoise = 0.7
    /// A pixel matches a known shadow only if its colour differs from the shadow's colour by at most `nearTint` plus
    /// the level tolerance. If the shadow has exactly the background's colour, the limit is `neutralTint` times the
    /// level tolerance instead.
    static let nearTint: Float = 0.03
    static let neutralTint: Float = 0.8
    /// A tint counts only if its length is greater than `leastTint`. A tint is clearly smaller than another tint if it
    /// is less than `clearlyLess` times the other tint.
    static let leastTint = 0.01
    static let clearlyLess = 0.6
    /// Width of a histogram bin, in levels. The levels in a bin are treated as equal, so a larger value merges more
    /// shadows with objects.
    static let binWidth: Float = 0.025
    /// Maximum number of levels that are tried, the most frequent levels first.
    static let mostLevels = 4
    /// The level of a histogram peak is tried only if the peak contains enough flat pixels: 1/`levelDivisor` of the
    /// pixels of all regions, and at least `leastLevel`.
    static let levelDivisor = 100
    static let leastLevel = 8
    /// Levels of shadows above this value are replaced by this value. It is below 0, so that divisions by the level are
    /// possible.
    static let palest: Float = -0.01
    /// A region can be a shadow as a whole only if at least this fraction of its pixels can be shadow.
    static let groundColor = 0.9
    /// A region can be a shadow only if the level of its darkest tenth is at least this fraction of the light's level.
    /// A smaller value accepts lighter regions as shadow.
    static let leastDepth: Float = 0.6
    /// A region is thin if less than the fraction `leastInside` of its pixels is away from its edges. A region that is
    /// not thin counts as dark as a whole if more than the fraction `darkInside` of these inner pixels is dark.
    static let leastInside = 0.3
    static let darkInside = 0.8
    /// A region counts as shaded, so that a closer view is used, if more than 1/`shadedDivisor` of its pixels are as
    /// dark as a shadow.
    static let shadedDivisor = 25

    // MARK: Tolerances

    /// A pixel is flat if the levels of its neighbourhood have a range of at most `flatness` plus `flatnessOfNoise`
    /// standard deviations of the noise. A larger value accepts steeper edges as flat.
    static let flatness = 0.12
    static let flatnessOfNoise = 6.0
    /// Without noise, a pixel matches a shadow if their levels differ by at most this value. A larger value accepts
    /// more levels as shadow.
    static let tolerance = 0.05
    /// Number of standard deviations of the noise that are added to a tolerance. `pixelDeviations`: for single pixels.
    /// `extremeDeviations`: for the extreme levels of a whole region.
    static let pixelDeviations = 1.0
    static let extremeDeviations = 3.0
    /// If the levels of two areas differ by at most `sameLight`, the areas are in the same light, so they are not an
    /// object and its shadow. The limit increases for dark levels, because of a camera's noise with the standard
    /// deviation `cameraNoise`.
    static let sameLight = 0.06
    static let cameraNoise = 0.02
    /// Two shadows can be in the same light only if their levels, and their colours, differ by less than this value.
    static let sameShadow = 0.04
    /// If the levels of more than the fraction `mostAlike` of a region's flat pixels differ from a shadow's level by
    /// less than `alike`, the whole region is about as dark as the shadow. Such a region counts as an object without a
    /// shadow.
    static let alike = 0.15
    static let mostAlike = 0.7
    /// A pixel belongs to a much darker object next to a shadow if its level is lower than the shadow's level by more
    /// than this value. A smaller value tries more regions as a shadow next to a dark object.
    static let muchDarker: Float = 0.35

    // MARK: Outlines

    /// Before outlines are compared, masks are reduced so that their sides have at most `reducedSide` pixels, or
    /// `thinSide` pixels for thin shadows. A shadow is thin if the mean coverage of its pixels in the reduced mask is
    /// below `thinCover`.
    static let reducedSide = 48
    static let thinSide = 96
    static let thinCover = 0.7
    /// Minimum fit of a shadow. `proof`: to prove the light, if the object itself cannot be a shadow. `proofOfGrey`: to
    /// prove the light, if the object may be a shadow. `enough`: if the light and the direction are already known.
    static let proof = 0.6
    static let proofOfGrey = 0.7
    static let enough = 0.25
    /// Minimum fit of a detached shadow. `detachedEnough`: if the light and the direction are known, and all of the
    /// shadow is dark. `detachedProof`: in all other cases. Both are greater than for attached shadows, because
    /// separate objects can have similar outlines by chance.
    static let detachedProof = 0.85
    static let detachedEnough = 0.7
    /// Limits for the cosine of an angle. `sameDirection`: minimum for the angle between a shadow and the direction of
    /// the light. `detachedDirection`: minimum for the angle between two detached shadows in the same light.
    static let sameDirection = 0.85
    static let detachedDirection = 0.97
    /// The area of a shadow is at most this multiple of the area of its object.
    static let mostArea = 1.6
    /// In a region with the shadows of several objects, at most this fraction of an object's shadow may be missing.
    static let mostMissing = 0.2
    /// Only objects with at least this area, in pixels, can have a detached shadow.
    static let leastThing = 12
    /// Minimum areas in pixels; smaller parts are ignored. For a shadow: the region's area divided by `shadowDivisor`,
    /// but at least `leastShadow`. For the core of a shadow: the region's area divided by `coreDivisor`, but at least
    /// `leastCore`. For a part of an object: the region's area divided by `partDivisor`, but at least `leastPart`.
    static let shadowDivisor = 25
    static let leastShadow = 8
    static let coreDivisor = 40
    static let leastCore = 6
    static let partDivisor = 25
    static let leastPart = 4
    /// In a region with several objects, an object must have at least the area (region's area / `severalDivisor`), and
    /// at least `leastSeveral` pixels. At least `leastVisible` pixels of its shadow must be visible.
    static let severalDivisor = 33
    static let leastSeveral = 12
    static let leastVisible = 8
    /// An object may be a shadow itself if at least this fraction of its pixels can be shadow. The fit must then be at
    /// least `proofOfGrey`.
    static let doubtfulThing = 0.5
    /// A shadow surrounds a part of the object if at least the fraction `surrounded` of the part's edge touches the
    /// shadow. The level of such a part must be at least `lightInShadow` times the level of the shadow, since the part is
    /// in the shadow, too. With a greater value, fewer dark objects with a light print count as shadows.
    static let surrounded = 0.85
    static let lightInShadow: Float = 0.5
    /// The shadows have a common direction if the mean of their unit vectors has at least this length.
    static let commonDirection = 0.8
    /// Two gains are similar if the smaller gain is more than this fraction of the greater gain. If two gains are
    /// similar, and the levels differ by at least `differentLevel`, the more probable light is chosen instead of the
    /// greater gain.
    static let alikeGain = 0.75
    static let differentLevel: Float = 0.04
    /// The distance between a detached shadow and its object is at most `reach` times the diagonal of the object's box,
    /// plus `reachMargin` pixels.
    static let reach = 1.1
    static let reachMargin = 2.0
    /// Detached shadows prove a light only if there are at most this number of components for each proving shadow. A
    /// larger value accepts a light that fewer of the components prove.
    static let componentsPerProof = 3
    /// To compute the pixels that an object covers on its way to its shadow, the object is drawn at up to this number
    /// of positions.
    static let mostSteps = 16

    // MARK: Views

    /// Regions of the whole frame are reduced if their longer side has more than this number of pixels.
    static let regionSide = 96
    /// Only components whose longer side has at least this length, in pixels, may hide a shadow. `BlobDetector` takes
    /// closer views of smaller blobs because of their size.
    static let doubtfulSide = 40
    /// A component may hide a shadow if less than this fraction of its pixels is away from its edges.
    static let innerFraction = 0.4
}

/// Returns the maximum difference of levels that may be caused by noise.
/// - Parameters:
///   - margin: the difference that is allowed without noise.
///   - level: the logarithm of the relative light. Noise has more effect on the logarithm if there is less light.
///   - noise: the standard deviation of the background's logarithm.
///   - deviations: the number of standard deviations that are allowed.
func noiseTolerance(_ margin: Double, level: Float, noise: Double, deviations: Double = 1) -> Double {
    margin + deviations * noise * Double(exp(-level))
}
