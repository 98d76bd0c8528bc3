// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants for the comparison of contours and colours within objects. Lengths are in pixels of the normal position.
enum AppearanceTuning {
    // MARK: Contours

    /// Standard deviations of the Gaussians that smooth the image, the sharp contours and the soft contours, in pixels.
    /// More blur lets contours match at a larger displacement, but with less detail.
    static let (smoothing, sharpBlur, softBlur) = (1.0, 0.7, 2.0)
    /// Sides of the squares in which sharp and soft contours are normalized, in pixels, and the number of pixels that
    /// is added for the square of the variance. In smaller squares, faint contours become as strong as clear contours.
    static let (sharpReach, softReach, varianceReach) = (17, 23, 6)
    /// Weight of the noise variance for sharp contours, the maximum of the weighted noise variance, and the variance
    /// that is always added (squared levels per pixel). Lower values treat more noise as contours.
    static let (sharpNoise, mostNoise, leastVariance): (Float, Float, Float) = (10, 3, 0.15)
    /// Variance of normalized contours that counts as full information, and the fraction of the core that must be
    /// visible for full information.
    static let (clearVariance, enoughContours) = (0.25, 0.3)
    /// Width of the band along the outline whose contours belong to the outline and not to the inside of the object, in
    /// pixels.
    static let outlineReach = 8

    // MARK: Views

    /// Sizes and positions of the views of a trained object. Several are needed, because an outline may include a
    /// shadow. Positions are in units of the size.
    static let viewGrowths = [1, 0.94, 1.07]
    static let (viewPlaces, viewDistance) = (7, 0.09)
    /// Maximum side of a trained object's contours, in pixels.
    static let longestSide = 256.0

    // MARK: Alignment

    /// Minimum correlation of soft contours for which an alignment is refined with sharp contours. In 600 scenes with
    /// hard shadows, the sharp contours had a correlation of at most 0.45 if the soft contours had a correlation below
    /// 0.5, and mostly above 0.45 if the soft contours had a correlation above 0.7.
    static let leastCorrelation = 0.5
    /// Maximum number of steps of an alignment by soft and by sharp contours, and the change of the correlation below
    /// which the alignment stops.
    static let (softSteps, sharpSteps, precision) = (25, 15, 1e-3)
    /// Range of the factors by which an alignment may stretch an object, and maximum ratio of the largest factor to the
    /// smallest factor.
    static let (leastStretch, mostStretch, mostSkew) = (0.55, 1.8, 2.0)

    // MARK: Colours

    /// Number of levels that are added before the logarithm, so that noise in dark areas has a small effect.
    static let colorOffset = 8.0
    /// Number of levels of chromaticity per unit of the logarithm.
    static let colorScale = 64.0
    /// Ratio of a colour histogram's number of bins to the standard deviation of its blur, in bins. The blur gives
    /// small colour differences, from one bin to the next, a small effect.
    static let binsPerBlur = 32.0
    /// Ratio of an image's shorter side to the width of the border that is assumed to show the background.
    static let edgeWidths = 25
}
