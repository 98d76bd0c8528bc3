// SPDX-License-Identifier: LGPL-2.1-or-later

/// Numbers by which the contours and colours within objects are compared. Pixels are those of the normal position.
enum AppearanceTuning {
    // MARK: Contours

    /// Standard deviations of the blurs of the image and of the sharp and soft contours, in pixels. Blurred contours agree from
    /// farther away, and tell less.
    static let (smoothing, sharpBlur, softBlur) = (1.0, 0.7, 2.0)
    /// Sides of the surroundings in which contours are evened out, in pixels, and how much larger those are whose variance
    /// counts. Smaller surroundings make faint contours as strong as others.
    static let (sharpReach, softReach, varianceReach) = (17, 23, 6)
    /// Weight of the variance of noise in the sharp contours, its maximum, and the variance that is added in any case (squared
    /// levels per pixel): lower numbers take noise for contours.
    static let (sharpNoise, mostNoise, leastVariance): (Float, Float, Float) = (10, 3, 0.15)
    /// Variance of evened contours from which on they are fully informative, and the fraction of the core that shows enough of
    /// them.
    static let (clearVariance, enoughContours) = (0.25, 0.3)
    /// Distance from the outline in pixels up to which contours are the outline's.
    static let outlineReach = 8

    // MARK: Views

    /// Sizes and places of a trained object's views: an outline may include a shadow. Places are in units of the size.
    static let viewGrowths = [1, 0.94, 1.07]
    static let (viewPlaces, viewDistance) = (7, 0.09)
    /// Longest side of a trained object's contours in pixels.
    static let longestSide = 256.0

    // MARK: Alignment

    /// Correlation of soft contours above which an alignment is worth being made exact: in 600 scenes with hard shadows the
    /// sharp contours correlated by 0.45 at most where the soft ones did so by less, and mostly by more than that where the soft
    /// ones did so by more than 0.7.
    static let leastCorrelation = 0.5
    /// Maximum number of steps of an alignment by soft and sharp contours, and the change of the correlation at which it ends.
    static let (softSteps, sharpSteps, precision) = (25, 15, 1e-3)
    /// Range of the factors by which an alignment stretches an object, and the maximum ratio of the largest to the smallest one:
    /// no view of an object is that skewed.
    static let (leastStretch, mostStretch, mostSkew) = (0.55, 1.8, 2.0)

    // MARK: Colours

    /// Added to levels before their logarithm is taken, so that noise in the dark has little effect.
    static let colorOffset = 8.0
    /// Steps of chromaticity per unit of the logarithm.
    static let colorScale = 64.0
    /// Number of bins of a histogram of colour per pixel of the standard deviation of its blur, so that a small difference, from
    /// one bin to the next, has a small effect.
    static let binsPerBlur = 32.0
    /// Shorter sides of an image per width of the edge that shows the ground.
    static let edgeWidths = 25
}
