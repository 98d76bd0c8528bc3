// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Constants of the shadow stage. A level is the logarithm of the light in a shadow divided by the light on the
/// background: −0.7 is half of the light.
enum ShadowTuning {
    // MARK: Light and colour

    /// Levels of the darkest and the lightest possible shadow (18 % and 95 % of the light), and of the lightest shadow
    /// whose level is tried as the light of hard shadows. A lower `darkest` accepts darker pixels as shadow; a higher
    /// `lightest` accepts lighter pixels.
    static let darkest: Float = -1.7
    static let lightest: Float = -0.05
    static let faintest: Float = -0.18
    /// Maximum colour difference between a shadow and the background, as a fraction of the shadow's level. The
    /// remaining light tints shadows. A larger value accepts more coloured areas as shadow.
    static let greatestTint = 0.09
    /// Maximum colour difference of a single pixel: a fraction of its level (`pixelTint`), plus a constant for
    /// rounding, plus a multiple of the noise.
    static let pixelTint: Float = 0.12
    static let pixelTintMargin: Float = 0.03
    static let pixelTintOfNoise = 0.7
    /// Maximum colour difference of a pixel from a known shadow colour, in addition to the level tolerance. If the
    /// shadow has exactly the background's colour, the maximum is `neutralTint` times the level tolerance instead.
    static let nearTint: Float = 0.03
    static let neutralTint: Float = 0.8
    /// Minimum length of a tint that counts, and maximum ratio of two tints of which the first counts as clearly
    /// smaller.
    static let leastTint = 0.01
    static let clearlyLess = 0.6
    /// Width of a histogram bin, in levels. Levels within a bin are not distinguished, so a larger value merges more
    /// shadows with objects.
    static let binWidth: Float = 0.025
    /// Maximum number of levels that are tried, the most frequent levels first.
    static let mostLevels = 4
    /// Minimum number of flat pixels in a histogram peak that is tried: 1/`levelDivisor` of the pixels of all regions,
    /// but at least `leastLevel`.
    static let levelDivisor = 100
    static let leastLevel = 8
    /// Maximum level of a shadow, below 0, so that divisions by the level are possible.
    static let palest: Float = -0.01
    /// Minimum fraction of possible shadow pixels in a region that may be a shadow as a whole.
    static let groundColor = 0.9
    /// Minimum ratio of the level of a region's darkest tenth to the light's level, if the region may be a shadow. A
    /// smaller value accepts lighter regions as shadow.
    static let leastDepth: Float = 0.6
    /// Minimum fraction of pixels away from edges in a region that is not thin, and minimum fraction of these pixels
    /// that are dark if the whole region counts as dark.
    static let leastInside = 0.3
    static let darkInside = 0.8
    /// A region counts as shaded, so that a closer view is used, if more than 1/`shadedDivisor` of its pixels are as
    /// dark as a shadow.
    static let shadedDivisor = 25

    // MARK: Tolerances

    /// Maximum range of levels in the neighbourhood of a flat pixel: `flatness` plus a multiple of the noise. A larger
    /// value accepts steeper edges as flat.
    static let flatness = 0.12
    static let flatnessOfNoise = 6.0
    /// Maximum difference between the level of a pixel and the level of a shadow, without noise. A larger value accepts
    /// more levels as shadow.
    static let tolerance = 0.05
    /// Number of standard deviations of the noise that are added to a tolerance: for single pixels, and for the extreme
    /// levels of a whole region.
    static let pixelDeviations = 1.0
    static let extremeDeviations = 3.0
    /// Maximum level difference of objects in the same light, and the standard deviation of a camera's noise, which
    /// increases this maximum for dark levels. Two areas within this limit are not an object and its shadow.
    static let sameLight = 0.06
    static let cameraNoise = 0.02
    /// Maximum difference in level, and in colour, between two shadows in the same light.
    static let sameShadow = 0.04
    /// Maximum level difference between a pixel and a shadow, if the region is about as dark as the shadow all over,
    /// and the minimum fraction of such pixels among the flat pixels. Such a region counts as an object without a
    /// shadow.
    static let alike = 0.15
    static let mostAlike = 0.7
    /// Minimum level difference between a shadow and a much darker object. A smaller value tries more regions as a
    /// shadow next to a dark object.
    static let muchDarker: Float = 0.35

    // MARK: Outlines

    /// Maximum side in pixels to which masks are reduced before outlines are compared, and the larger maximum for thin
    /// shadows. A shadow is thin if the mean coverage of its pixels in the reduced mask is below `thinCover`.
    static let reducedSide = 48
    static let thinSide = 96
    static let thinCover = 0.7
    /// Minimum fit of a shadow: `proof` if the shadow proves the light and the object itself cannot be a shadow,
    /// `proofOfGrey` if the object may be a shadow, and `enough` if light and direction are known.
    static let proof = 0.6
    static let proofOfGrey = 0.7
    static let enough = 0.25
    /// Minimum fit of a detached shadow: `detachedEnough` if light and direction are known and the shadow is dark all
    /// over; otherwise `detachedProof`. Both are greater than for attached shadows, because separate objects can have
    /// similar outlines by chance.
    static let detachedProof = 0.85
    static let detachedEnough = 0.7
    /// Minimum cosine of the angle between a shadow and the direction of the light, and between two detached shadows in
    /// the same light.
    static let sameDirection = 0.85
    static let detachedDirection = 0.97
    /// Maximum area of a shadow, as a multiple of the area of its object.
    static let mostArea = 1.3
    /// Maximum fraction of an object's shadow that may be missing, in a region with the shadows of several objects.
    static let mostMissing = 0.2
    /// Minimum area in pixels of an object with a detached shadow.
    static let leastThing = 12
    /// Minimum area of a shadow, of its core, and of a part of an object: the region's area divided by the divisor, but
    /// at least the number of pixels. Smaller parts are ignored.
    static let shadowDivisor = 25
    static let leastShadow = 8
    static let coreDivisor = 40
    static let leastCore = 6
    static let partDivisor = 25
    static let leastPart = 4
    /// Minimum area of an object in a region with several objects: the region's area divided by `severalDivisor`, but
    /// at least `leastSeveral` pixels. `leastVisible` is the minimum visible area of its shadow, in pixels.
    static let severalDivisor = 33
    static let leastSeveral = 12
    static let leastVisible = 8
    /// Minimum fraction of possible shadow pixels in an object that may be a shadow itself. The fit must then be at
    /// least `proofOfGrey`.
    static let doubtfulThing = 0.5
    /// Minimum length of the mean of the shadows' unit vectors, if the shadows have a common direction.
    static let commonDirection = 0.8
    /// Minimum ratio of two gains that count as similar. If two gains are similar, and the levels differ by at least
    /// `differentLevel`, the more probable light is chosen instead of the greater gain.
    static let alikeGain = 0.75
    static let differentLevel: Float = 0.04
    /// Maximum distance between a detached shadow and its object: a multiple of the diagonal of the object's box, plus
    /// a number of pixels.
    static let reach = 1.1
    static let reachMargin = 2.0
    /// Maximum number of components for each detached shadow that proves the light. A larger value accepts a light that
    /// fewer of the components prove.
    static let componentsPerProof = 3
    /// Maximum number of positions between an object and the end of its shadow at which the object is drawn.
    static let mostSteps = 16

    // MARK: Views

    /// Maximum longer side in pixels of a region of the whole frame that is not reduced.
    static let regionSide = 96
    /// Minimum longer side in pixels of a component that may hide a shadow. `BlobDetector` takes closer views of
    /// smaller blobs because of their size.
    static let doubtfulSide = 40
    /// Fraction of the pixels of a component. If fewer pixels are away from the edges, the component may hide a shadow.
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
