// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants for the comparison of contours and colours within objects. Unless stated otherwise, lengths are in pixels
/// of the normal position, to which an affine map moves every object (see `Ellipse`). The core is a disc in the middle
/// of the object (see `NormalView`).
enum AppearanceTuning {
    // MARK: Contours

    /// Standard deviations of Gaussian filters, in pixels. `smoothing` blurs the image, `sharpBlur` blurs the sharp
    /// contours, and `softBlur` blurs the soft contours. A stronger blur lets contours match at larger displacements,
    /// but removes detail.
    static let (smoothing, sharpBlur, softBlur) = (1.0, 0.7, 2.0)
    /// Contours are normalized by mean and variance in squares around each pixel. `sharpReach`, `softReach`: side of
    /// the square for the mean of sharp and soft contours, in pixels. `varianceReach`: the square for the variance is
    /// larger than the square for the mean by this number of pixels. Smaller squares make faint contours stronger.
    static let (sharpReach, softReach, varianceReach) = (17, 23, 6)
    /// The normalization of contours adds a constant to the local variance, so that noise does not count as contours.
    /// For soft contours, the constant is `leastVariance`. For sharp contours, the constant is `leastVariance` +
    /// min(`mostNoise`, `sharpNoise` × noise variance). The unit of all variances is the square of (levels per pixel).
    static let (sharpNoise, mostNoise, leastVariance): (Float, Float, Float) = (10, 3, 0.15)
    /// The plainness of an object is max(0, 1 − V / `clearVariance` × min(1, F / `enoughContours`)). V: variance of the
    /// normalized contours. F: fraction of the core (a disc in the middle of the object) that the object fills.
    static let (clearVariance, enoughContours) = (0.25, 0.3)
    /// The comparison ignores contours within this distance, in pixels, of the object's outline.
    static let outlineReach = 8

    // MARK: Views

    /// Each trained object has several views: contours at several sizes and positions. If an outline includes a shadow,
    /// the size and position of the object are inaccurate. `viewGrowths`: factors of the size. `viewPlaces`: number of
    /// positions for each size. The first position is in the middle, and the other positions are on a circle around the
    /// middle. `viewDistance`: radius of this circle, in units of the object's size.
    static let viewGrowths = [1, 0.94, 1.07]
    static let (viewPlaces, viewDistance) = (7, 0.09)
    /// Maximum side of a trained object's image, in pixels. Larger images are reduced.
    static let longestSide = 256.0

    // MARK: Alignment

    /// If the correlation of the soft contours is below this value, the sharp contours do not refine the alignment. The
    /// value was measured in 600 scenes with hard shadows. If the correlation of the soft contours was below 0.5, the
    /// correlation of the sharp contours was at most 0.45. If the soft contours had more than 0.7, the sharp contours
    /// mostly had more than 0.45.
    static let leastCorrelation = 0.5
    /// Maximum number of steps of an alignment: `softSteps` for soft contours, `sharpSteps` for sharp contours.
    /// `precision`: if a step changes the correlation of the contours by less than this value, the alignment stops.
    static let (softSteps, sharpSteps, precision) = (25, 15, 1e-3)
    /// An alignment is rejected if less than the fraction `leastCommon` of the larger object is visible in the images
    /// of both compared objects. This limit does not apply if the plainness of one object is greater than
    /// `mostlyPlain`.
    static let (leastCommon, mostlyPlain) = (0.4, 0.9)
    /// Limits for the factors by which an alignment stretches an object in different directions. All factors must be
    /// between `leastStretch` and `mostStretch`. The largest factor must be less than `mostSkew` times the smallest
    /// factor.
    static let (leastStretch, mostStretch, mostSkew) = (0.55, 1.8, 1.6)

    // MARK: Colours

    /// This value is added to each level before the logarithm is computed. It reduces the effect of noise in dark
    /// areas.
    static let colorOffset = 8.0
    /// Factor that converts a difference of logarithms to levels.
    static let colorScale = 64.0
    /// The colour histogram is blurred with a Gaussian filter. Its standard deviation is the number of bins divided by
    /// this value.
    static let binsPerBlur = 32.0
    /// The border of an image counts as background. The border's width is the image's shorter side divided by this
    /// value.
    static let edgeWidths = 25
}
