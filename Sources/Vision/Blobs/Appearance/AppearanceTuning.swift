// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants for the comparison of contours and colours within objects. Lengths are in pixels of the normal position.
enum AppearanceTuning {
    // MARK: Contours

    /// Standard deviations of Gaussians, in pixels. `smoothing` smooths the image. `sharpBlur` smooths the sharp
    /// contours, `softBlur` the soft contours. With more blur, contours still match if they are displaced more, but
    /// they have less detail.
    static let (smoothing, sharpBlur, softBlur) = (1.0, 0.7, 2.0)
    /// Contours are normalized by their mean and their variance in squares around each pixel. `sharpReach`,
    /// `softReach`: side of the square for the mean of sharp and soft contours, in pixels. `varianceReach`: additional
    /// pixels of the side of the square for the variance. In smaller squares, faint contours become as strong as clear
    /// contours.
    static let (sharpReach, softReach, varianceReach) = (17, 23, 6)
    /// Values that are added to the variance in the normalization, so that noise does not count as contours.
    /// `sharpNoise`: weight of the noise variance for sharp contours. `mostNoise`: maximum of the weighted noise
    /// variance. `leastVariance`: variance that is always added. The variances are in squared levels per pixel. With
    /// lower values, more noise counts as contours.
    static let (sharpNoise, mostNoise, leastVariance): (Float, Float, Float) = (10, 3, 0.15)
    /// An object has the plainness 0 if the variance of its normalized contours is at least `clearVariance` and at
    /// least the fraction `enoughContours` of the core is visible. Less variance or a smaller fraction increases the
    /// plainness.
    static let (clearVariance, enoughContours) = (0.25, 0.3)
    /// Contours that are less than this distance from the outline, in pixels, belong to the outline. The comparison
    /// ignores them.
    static let outlineReach = 8

    // MARK: Views

    /// Each trained object is compared in several views, because its outline or the query's outline may include a
    /// shadow. `viewGrowths`: factors of the size. `viewPlaces`: number of positions for each size: one in the middle,
    /// the others on a circle around the middle. `viewDistance`: radius of this circle, in units of the size.
    static let viewGrowths = [1, 0.94, 1.07]
    static let (viewPlaces, viewDistance) = (7, 0.09)
    /// The image of a trained object is reduced so that its sides have at most this length in pixels.
    static let longestSide = 256.0

    // MARK: Alignment

    /// An alignment is refined with sharp contours only if the correlation of the soft contours is greater than this
    /// value. In 600 scenes with hard shadows, the sharp contours had a correlation of at most 0.45 if the soft
    /// contours had a correlation below 0.5, and mostly above 0.45 if the soft contours had a correlation above 0.7.
    static let leastCorrelation = 0.5
    /// `softSteps`, `sharpSteps`: maximum number of steps of an alignment by soft and by sharp contours. `precision`:
    /// the alignment stops if a step changes the correlation by less than this value.
    static let (softSteps, sharpSteps, precision) = (25, 15, 1e-3)
    /// An alignment is rejected if the area that both objects show is less than this fraction of the larger object's
    /// area. A few pixels can agree by chance. This does not apply if the plainness of one of the objects is greater than
    /// `mostlyPlain`.
    static let (leastCommon, mostlyPlain) = (0.4, 0.9)
    /// An alignment is rejected if it stretches the object in any direction by a factor of at most `leastStretch` or at
    /// least `mostStretch`, or if the largest factor is at least `mostSkew` times the smallest factor.
    static let (leastStretch, mostStretch, mostSkew) = (0.55, 1.8, 1.6)

    // MARK: Colours

    /// This value is added to each level before the logarithm is computed, so that noise in dark areas has a small
    /// effect.
    static let colorOffset = 8.0
    /// Logarithms are multiplied by this value before they are rounded to levels.
    static let colorScale = 64.0
    /// The standard deviation of the blur of a colour histogram is the number of bins divided by this value. The blur
    /// reduces the effect of small colour differences, for example from one bin to the next.
    static let binsPerBlur = 32.0
    /// The border of an image is assumed to show the background. Its width is the shorter side of the image divided by
    /// this value.
    static let edgeWidths = 25
}
