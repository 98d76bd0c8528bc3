// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants for the comparison of contours and colours within objects. Unless stated otherwise, lengths are in pixels
/// of the normal position, to which an affine map moves every object (see `Ellipse`). The core is a disc in the middle
/// of the object (see `NormalView`).
enum AppearanceTuning {
    // MARK: Contours

    /// Standard deviations of Gaussian filters, in pixels. `smoothing` is for the image, before its contours (the
    /// gradient magnitudes) are computed. `sharpBlur` is for the sharp contours, and `softBlur` for the soft contours.
    /// With a stronger blur, contours match at larger displacements, but have less detail.
    static let (smoothing, sharpBlur, softBlur) = (1.0, 0.7, 2.0)
    /// Contours are normalized by mean and variance in squares around each pixel. `sharpReach`, `softReach`: side of
    /// the square for the mean of sharp and soft contours, in pixels. `varianceReach`: difference, in pixels, between
    /// the sides of the squares for the variance and for the mean. Smaller squares make faint contours stronger.
    static let (sharpReach, softReach, varianceReach) = (17, 23, 6)
    /// The normalization of contours adds a constant to the local variance, so that noise does not count as contours.
    /// For soft contours, the constant is `leastVariance`. For sharp contours, the constant is `leastVariance` +
    /// min(`mostNoise`, `sharpNoise` × noise variance). The unit of all variances is the square of (levels per pixel).
    static let (sharpNoise, mostNoise, leastVariance): (Float, Float, Float) = (10, 3, 0.15)
    /// The plainness of an object (0: clear contours, 1: no contours) is max(0, 1 − V / `clearVariance` × min(1, F /
    /// `enoughContours`)). V: variance of the normalized contours. F: fraction of the core (a disc in the middle of the
    /// object) that the object fills.
    static let (clearVariance, enoughContours) = (0.25, 0.3)
    /// The comparison ignores contours within this distance, in pixels, of the object's outline.
    static let outlineReach = 8

    // MARK: Views

    /// Each trained object has several views: contours for several sizes and positions. They are necessary because the
    /// size and the position are inaccurate if an outline includes a shadow. `viewGrowths`: factors of the size.
    /// `viewPlaces`: number of positions for each size. The first position is in the middle, and the other positions
    /// are on a circle around the middle. `viewDistance`: radius of this circle, in units of the object's size.
    static let viewGrowths = [1, 0.94, 1.07]
    static let (viewPlaces, viewDistance) = (7, 0.09)
    /// Maximum side of a trained object's image, in pixels. Larger images are reduced.
    static let longestSide = 256.0

    // MARK: Alignment

    /// If the correlation of the soft (more blurred) contours is below this value, the alignment by sharp contours is
    /// skipped. In 600 scenes with hard shadows, a soft correlation below 0.5 led to a sharp correlation of at most
    /// 0.45. A soft correlation above 0.7 mostly led to a sharp correlation above 0.45.
    static let leastCorrelation = 0.5
    /// Maximum number of steps of an alignment: `softSteps` for soft (more blurred) contours, `sharpSteps` for sharp
    /// contours. `precision`: if a step changes the correlation of the contours by less than this value, the alignment
    /// stops.
    static let (softSteps, sharpSteps, precision) = (25, 15, 1e-3)
    /// An alignment is rejected if the aligned masks of both objects overlap in less than the fraction `leastCommon` of
    /// the larger mask. This limit does not apply if the plainness of one object (0: clear contours, 1: no contours) is
    /// greater than `mostlyPlain`.
    static let (leastCommon, mostlyPlain) = (0.4, 0.9)
    /// Limits for the factors by which an alignment stretches an object in different directions. All factors must be
    /// between `leastStretch` and `mostStretch`. The largest factor must be less than `mostSkew` times the smallest
    /// factor.
    static let (leastStretch, mostStretch, mostSkew) = (0.55, 1.8, 1.6)

    // MARK: Colours

    /// This value is added to each level (0…255) of a colour before its logarithm is computed. It reduces the effect of
    /// noise in dark areas.
    static let colorOffset = 8.0
    /// Factor that converts the logarithms of colour ratios, such as red/green, to levels (0…255).
    static let colorScale = 64.0
    /// The colour histogram is blurred with a Gaussian filter. The standard deviation of the filter is the number of
    /// bins divided by this value.
    static let binsPerBlur = 32.0
    /// The border of an image counts as background. The border's width is the image's shorter side divided by this
    /// value.
    static let edgeWidths = 25
}
