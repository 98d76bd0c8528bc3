// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants of the background stage. A difference of logarithms is approximately a relative difference of light: 0.06
/// is about 6 %.
enum GroundTuning {
    // MARK: Logarithms and distances

    /// This value is added to each level before the logarithm is computed, so that noise in dark areas has a small
    /// effect. A larger value reduces the distances between dark levels.
    static let offset = 8.0
    /// Before the logarithm is computed, a Gaussian kernel with this side, in pixels, smooths the image. A larger value
    /// smooths noise and edges more.
    static let smoothing = 3
    /// Weight of a colour difference relative to a light difference. Shadows have almost the colour of the background,
    /// so colour counts more. A larger value increases the distance of objects with another colour, but also of
    /// background in coloured light.
    static let colorWeight: Float = 4
    /// A pixel that is darker than the background counts as background in the shade if (distance / light difference)²
    /// is at most this value. Shadows are tinted by the remaining light, so their colour differs slightly. A larger
    /// value accepts larger colour differences.
    static let shadeTint: Float = 6
    /// Pixels with this level or a higher level count as clipped. Both pixels and background are limited to this level
    /// before their difference is computed. The level is below 255, because noise changes clipped pixels. A lower value
    /// ignores differences between more bright levels.
    static let clippedLevel = 250.0
    /// Level of the brightest channel from which the weight of colour decreases: from `colorWeight` at this level to 1
    /// at `clippedLevel`. In this range, noise may clip some channels only. A lower value reduces the weight of colour
    /// for more pixels.
    static let brightLevel = 230.0

    // MARK: Plain ground

    /// The background is fitted to the border of the frame. The border has the width (shorter side / `edgeDivisor`),
    /// but at least `leastEdge` pixels.
    static let edgeDivisor = 25
    static let leastEdge = 2
    /// Approximate number of border pixels that are fitted. If the border has more pixels, the fit uses every n-th
    /// pixel. A larger value fits more pixels.
    static let samples = 1500
    /// Number of rounds of the robust fit. Each round fits the pixels, and then computes new weights from their
    /// residuals.
    static let rounds = 8
    /// The fit computes the weights of pixels from the standard deviation of their residuals, or from this value if it
    /// is greater. Rounding to levels causes such deviations. Pixels with a residual of more than four standard
    /// deviations get the weight 0, so a larger value includes more pixels in the fit.
    static let leastDeviation = 0.008
    /// Distance between the pixels inside the border that are sampled: the shorter side divided by `insideDivisor`,
    /// about the length of the smallest blob. A larger value samples more pixels.
    static let insideDivisor = 30
    /// Minimum of the bowl (1 − x²)(1 − y²) at a pixel that is sampled. At a lower bowl, noise has more effect on the
    /// height that a pixel shows.
    static let leastBowl = 0.3
    /// Maximum difference between the logarithms of a pixel inside and of the border's continuation, if the pixel may
    /// show the background. A larger value accepts darker corners, but also more objects as background.
    static let highestBowl = 0.15
    /// Factor by which the 95 % quantile of the absolute differences of two pixels estimates a normal distribution's
    /// standard deviation: 1 / (1.96 √2).
    static let tailFactor = 0.361

    // MARK: Uneven ground

    /// The light is estimated in a reduced image, whose shorter side has this length in pixels. A larger value reduces
    /// the frame less, so the estimated light has finer detail.
    static let unevenSide = 120.0
    /// A difference between the logarithms of neighbouring pixels counts as an edge if it is greater than `steepest`,
    /// or `steepestOfGrain` times the median difference if that is greater. Smaller differences count as changes of the
    /// light.
    static let steepest = 0.06
    static let steepestOfGrain = 4.0
    /// A pixel belongs to an object if its distance from the estimated light is greater than `leastDistance`, or a
    /// number of standard deviations if that is greater. The number is `firstDeviations` for the first mask of objects,
    /// and `laterDeviations` for the masks that are computed after the light is estimated without objects.
    static let leastDistance = 0.06
    static let firstDeviations = 3.0
    static let laterDeviations = 4.0
    /// Number of times that the light is estimated without objects. After each time but the last, the mask of objects
    /// is computed again from the new light.
    static let surfaceRounds = 3
    /// Standard deviation of the Gaussian that smooths the estimated light, in pixels of the reduced image. A larger
    /// value blurs spots of light more.
    static let surfaceBlur = 3.0
}
