// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Constants of the search for shadows. A level is the logarithm of (light in a shadow / light on the background). For
/// example, half of the light is the level −0.7. A tint is the colour difference between a shadow and the background,
/// as a vector of logarithms.
enum ShadowTuning {
    // MARK: Light and colour

    /// Levels are logarithms of (light in a shadow / light on the background). `darkest`, `lightest`: range of the
    /// levels in shadows (18 % to 95 % of the light). Pixels outside of this range cannot be shadow. `faintest`: the
    /// code tries only levels below this value as the level of hard shadows.
    static let darkest: Float = -1.7
    static let lightest: Float = -0.05
    static let faintest: Float = -0.18
    /// An area has a level (the logarithm of its light relative to the background, as a negative number), and a tint
    /// (its colour difference from the background, as a vector). The code tries the level as the level of shadows only
    /// if the length of the tint is less than this fraction of |level|. With a larger value, more coloured areas count
    /// as shadow.
    static let greatestTint = 0.09
    /// Maximum length of the tint (colour difference from the background) of a pixel in a shadow: `pixelTint` × |level|
    /// + `pixelTintMargin` + a noise term. The noise term is `pixelTintOfNoise` × the noise, and is greater for dark
    /// pixels.
    static let pixelTint: Float = 0.12
    static let pixelTintMargin: Float = 0.03
    static let pixelTintOfNoise = 0.7
    /// A pixel matches a shadow only if the tints (colour differences from the background) of pixel and shadow are
    /// similar. The tints must differ by at most `nearTint` plus the tolerance for the light (see `tolerance`). If the
    /// shadow is assumed to have no tint, the limit is `neutralTint` times this tolerance.
    static let nearTint: Float = 0.03
    static let neutralTint: Float = 0.8
    /// A tint is a colour difference from the background. The code ignores a tint if its length is at most `leastTint`.
    /// Before two tints are compared, the length of each tint is divided by the |level| of its shadow, where the level
    /// is the logarithm of light. A tint is clearly smaller than another tint if its quotient is less than `clearlyLess`
    /// times the quotient of the other tint.
    static let leastTint = 0.01
    static let clearlyLess = 0.6
    /// Width of a bin of the histogram of levels (logarithms of light). With a larger value, the bin of a shadow also
    /// contains the levels of more objects.
    static let binWidth: Float = 0.025
    /// Maximum number of levels (logarithms of light) that the code tries as the level of shadows, the most frequent
    /// first.
    static let mostLevels = 4
    /// The code tries a peak of the histogram of levels only if the peak contains at least max(`leastLevel`, n /
    /// `levelDivisor`) flat pixels (with almost constant light around them). n: number of pixels of all regions.
    static let levelDivisor = 100
    static let leastLevel = 8
    /// A level (a logarithm of light) can be 0. So before a division by a level, levels above this value are replaced
    /// by this value.
    static let palest: Float = -0.01
    /// A whole region can be a shadow only if the light and the colour of at least this fraction of the pixels are
    /// possible in a shadow.
    static let groundColor = 0.9
    /// A whole region can be a shadow only if d / s is at least this value. d: level of the region's darkest tenth. s:
    /// level of the shadow (both negative logarithms). With a smaller value, lighter regions count as shadow.
    static let leastDepth: Float = 0.6
    /// Inner pixels are pixels that are not near the edge of a region. A region is thin if less than the fraction
    /// `leastInside` of its pixels are inner pixels. In other regions, more than the fraction `darkInside` of the inner
    /// pixels must be as dark as the shadow.
    static let leastInside = 0.3
    static let darkInside = 0.8
    /// A component (connected part of the foreground) is searched again in higher resolution because of its shadow if
    /// more than 1/`shadedDivisor` of its pixels are as dark as a shadow.
    static let shadedDivisor = 25

    // MARK: Tolerances

    /// A pixel is flat if the levels (logarithms of light) of the pixels around it differ by less than `flatness` +
    /// `flatnessOfNoise` × σ. σ: standard deviation of the noise.
    static let flatness = 0.12
    static let flatnessOfNoise = 6.0
    /// In an image without noise, a pixel matches a shadow if the levels (logarithms of light) of pixel and shadow
    /// differ by at most this value. With a larger value, more pixels count as shadow.
    static let tolerance = 0.05
    /// The tolerance for levels (logarithms of light) increases by this number of standard deviations of the noise.
    /// `pixelDeviations`: for single pixels. `extremeDeviations`: for the darkest pixels and the inside of a region.
    static let pixelDeviations = 1.0
    static let extremeDeviations = 3.0
    /// Two areas are parts of one object, not an object and its shadow, if their levels (logarithms of light) and their
    /// tints (colour differences from the background) differ by at most `sameLight`. The limit is higher for dark
    /// levels, because of camera noise with the standard deviation `cameraNoise`.
    static let sameLight = 0.06
    static let cameraNoise = 0.02
    /// In an image without noise, two detached shadows (which do not touch their objects) may be in the same light if
    /// their levels (logarithms of light) and tints (colour differences from the background) differ by less than this
    /// value.
    static let sameShadow = 0.04
    /// A pixel is similar to a shadow if their levels (logarithms of light) differ by less than `alike`. A flat pixel
    /// has almost constant light around it. If more than the fraction `mostAlike` of a region's flat pixels are similar
    /// to the shadow, the region is a dark object without a shadow.
    static let alike = 0.15
    static let mostAlike = 0.7
    /// Next to a shadow, a pixel belongs to a dark object if its level (a logarithm of light) is more than this value
    /// below the shadow's level.
    static let muchDarker: Float = 0.35

    // MARK: Outlines

    /// Before an object is compared with its shadow, both masks are reduced so that their sides have at most
    /// `reducedSide` pixels. For thin shadows, the limit is `thinSide` pixels. A shadow is thin if it covers, on
    /// average, less than the fraction `thinCover` of the pixels that it touches in the reduced mask.
    static let reducedSide = 48
    static let thinSide = 96
    static let thinCover = 0.7
    /// Minimum score of a shadow (`ShadowFit.fit`). `proof`: if the object cannot be a shadow itself. `proofOfGrey`: if
    /// the object may be a shadow itself. `enough`: if the level and the direction of the shadows are already known.
    static let proof = 0.6
    static let proofOfGrey = 0.7
    static let enough = 0.25
    /// Minimum score (`ShadowFit.fit`) of a detached shadow, which does not touch its object. `detachedEnough`: if the
    /// level and the direction of the shadows are known, and the inside of the shadow is dark. `detachedProof`: in all
    /// other cases.
    static let detachedProof = 0.85
    static let detachedEnough = 0.7
    /// Minimum cosine of the angle between two directions. `sameDirection`: between the offset of a shadow from its
    /// object and the known direction of shadows. `detachedDirection`: between the offsets of two detached shadows
    /// (which do not touch their objects) in the same light.
    static let sameDirection = 0.85
    static let detachedDirection = 0.97
    /// Maximum area of a shadow, as a multiple of the area of its object.
    static let mostArea = 1.6
    /// In a region with several objects, an object has a shadow only if at most this fraction of the expected shadow is
    /// missing.
    static let mostMissing = 0.2
    /// Minimum area in pixels of an object that can have a detached shadow (a shadow that does not touch the object).
    static let leastThing = 12
    /// Minimum areas in pixels; smaller parts are ignored.
    /// - A shadow: region's area / `shadowDivisor`, at least `leastShadow`.
    /// - The core of a shadow (the shadow without its edges): region's area / `coreDivisor`, at least `leastCore`.
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
    /// If the light and the colour of at least this fraction of an object's pixels are possible in a shadow, the object
    /// itself may be a shadow. The score of its shadow must then be at least `proofOfGrey`.
    static let doubtfulThing = 0.5
    /// A part of an object is surrounded by the object's shadow if at least the fraction `surrounded` of the part's
    /// edge touches the shadow. Such a part must be dark: p / s must be at least `lightInShadow`. p: level of the part.
    /// s: level of the shadow (both are negative logarithms of light). Otherwise, the supposed shadow is a dark object
    /// with a light print.
    static let surrounded = 0.85
    static let lightInShadow: Float = 0.5
    /// Several shadows have a common direction if the mean of their unit vectors is longer than this value.
    static let commonDirection = 0.8
    /// Two possible values of the light in shadows are compared by their gains (area × score of their shadows). The
    /// gains are similar if the smaller gain is more than the fraction `alikeGain` of the greater gain. If the gains
    /// are similar and the levels (logarithms of light) differ by at least `differentLevel`, the code uses the light
    /// that is more probably the light in a shadow. Otherwise, the code uses the light with the greater gain.
    static let alikeGain = 0.75
    static let differentLevel: Float = 0.04
    /// Maximum distance between the centres of an object and of its detached shadow (which does not touch the object):
    /// `reach` times the diagonal of the object's box, plus `reachMargin` pixels.
    static let reach = 1.1
    static let reachMargin = 2.0
    /// The code derives the light in shadows from detached shadows (which do not touch their objects) only if c / s is
    /// at most this value. c: number of components in the image. s: number of detached shadows with a similar light and
    /// direction. With a larger value, fewer detached shadows are enough.
    static let componentsPerProof = 3
    /// To compute the path from an object to its shadow, the object's mask is drawn at equal distances along the path,
    /// up to this number of times.
    static let mostSteps = 16

    // MARK: Views

    /// In a view of the whole frame, the search for shadows reduces the resolution of a region if the region's longer
    /// side exceeds this number of pixels.
    static let regionSide = 96
    /// Minimum length, in pixels, of the longer side of a component that may have a shadow that is visible only in
    /// higher resolution. `BlobDetector` searches smaller components in higher resolution anyway.
    static let doubtfulSide = 40
    /// A component (connected part of the foreground) may have a shadow that is visible only in higher resolution if
    /// less than this fraction of its pixels are inner pixels, which are not near an edge.
    static let innerFraction = 0.4
}

/// Returns the maximum difference between two levels that noise may cause: `margin` + `deviations` × `noise` ×
/// exp(−`level`). The less light a pixel has, the more effect noise has on the logarithm.
/// - Parameters:
///   - margin: the maximum difference without noise.
///   - level: the logarithm of (light / light on the background).
///   - noise: the standard deviation of the background's logarithms.
///   - deviations: the number of standard deviations.
func noiseTolerance(_ margin: Double, level: Float, noise: Double, deviations: Double = 1) -> Double {
    margin + deviations * noise * Double(exp(-level))
}
