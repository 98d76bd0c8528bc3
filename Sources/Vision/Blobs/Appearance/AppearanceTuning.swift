// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants for the comparison of contours and colours within objects. Lengths are in pixels of the normal position
/// (see `Ellipse`). The core is a disc in the middle of the object (see `NormalView`).
enum AppearanceTuning {
    // MARK: Contours

    /// Standard deviations of Gaussian filters, in pixels. `smoothing` filters the image, `sharpBlur` the sharp
    /// contours, and `softBlur` the soft contours. With more blur, contours with larger displacements still match, but
    /// lose detail.
    static let (smoothing, sharpBlur, softBlur) = (1.0, 0.7, 2.0)
    /// Contours are normalized by mean and variance in squares around each pixel. `sharpReach`, `softReach`: side of
    /// the square for the mean of sharp and soft contours, in pixels. `varianceReach`: number of pixels by which the
    /// square for the variance is larger. With smaller squares, faint contours become stronger.
    static let (sharpReach, softReach, varianceReach) = (17, 23, 6)
    /// The normalization adds a value to the variance, so that noise does not count as contours. Soft contours:
    /// `leastVariance`. Sharp contours: `leastVariance` + min(`mostNoise`, `sharpNoise` × noise variance). The
    /// variances are in squared levels per pixel.
    static let (sharpNoise, mostNoise, leastVariance): (Float, Float, Float) = (10, 3, 0.15)
    /// The plainness of an object is max(0, 1 − V / `clearVariance` × min(1, F / `enoughContours`)). V: variance of the
    /// normalized contours. F: fraction of the core that shows the object.
    static let (clearVariance, enoughContours) = (0.25, 0.3)
    /// The comparison ignores contours that are less than this distance, in pixels, from the outline.
    static let outlineReach = 8

    // MARK: Views

    /// Each trained object has views of several sizes and positions, because outlines may include shadows.
    /// `viewGrowths`: factors of the size. `viewPlaces`: number of positions for each size: one in the middle, the
    /// others on a circle around the middle. `viewDistance`: radius of this circle, in units of the object's size.
    static let viewGrowths = [1, 0.94, 1.07]
    static let (viewPlaces, viewDistance) = (7, 0.09)
    /// Maximum side of a trained object's image, in pixels. Larger images are reduced.
    static let longestSide = 256.0

    // MARK: Alignment

    /// Below this correlation of the soft contours, an alignment is not refined with sharp contours. Measured in 600
    /// scenes with hard shadows: if soft contours had less than 0.5, sharp contours had at most 0.45. If soft contours
    /// had more than 0.7, sharp contours mostly had more than 0.45.
    static let leastCorrelation = 0.5
    /// `softSteps`, `sharpSteps`: maximum number of steps of an alignment by soft and by sharp contours. `precision`:
    /// if a step changes the correlation by less than this value, the alignment stops.
    static let (softSteps, sharpSteps, precision) = (25, 15, 1e-3)
    /// An alignment is rejected if less than the fraction `leastCommon` of the larger object is visible in both images.
    /// This limit does not apply if the plainness of one object is greater than `mostlyPlain`.
    static let (leastCommon, mostlyPlain) = (0.4, 0.9)
    /// Limits for the factors by which an alignment stretches an object in different directions. All factors must be
    /// between `leastStretch` and `mostStretch`. The largest factor must be less than `mostSkew` times the smallest
    /// factor.
    static let (leastStretch, mostStretch, mostSkew) = (0.55, 1.8, 1.6)

    // MARK: Colours

    /// Added to each level before the logarithm is computed, to reduce the effect of noise in dark areas.
    static let colorOffset = 8.0
    /// Factor that converts a difference of logarithms to levels.
    static let colorScale = 64.0
    /// The colour histogram is blurred. The standard deviation of the blur is the number of bins divided by this value.
    static let binsPerBlur = 32.0
    /// The border of an image counts as background. Its width is the image's shorter side divided by this value.
    static let edgeWidths = 25
}
