// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants of the estimation of the background. A difference of logarithms is approximately a relative difference of
/// light: 0.06 is about 6 %.
enum GroundTuning {
    // MARK: Logarithms and distances

    /// Added to each level before the logarithm is computed, to reduce the effect of noise in dark areas.
    static let offset = 8.0
    /// Side of the Gaussian kernel that smooths the image before the logarithm is computed, in pixels.
    static let smoothing = 3
    /// Weight of a colour difference relative to a light difference. With a larger value, coloured objects and coloured
    /// light both increase the distance from the background.
    static let colorWeight: Float = 4
    /// A pixel can be background in the shade only if (distance / light difference)² is less than this value. With a
    /// larger value, the colour may differ more.
    static let shadeTint: Float = 6
    /// Levels above this value are replaced by this value before pixels and background are compared.
    static let clippedLevel = 250.0
    /// From this level of a pixel's brightest channel to `clippedLevel`, the weight of colour decreases from
    /// `colorWeight` to 1.
    static let brightLevel = 230.0

    // MARK: Plain ground

    /// The background is fitted to the border of the frame. The border has the width (shorter side / `edgeDivisor`),
    /// but at least `leastEdge` pixels.
    static let edgeDivisor = 25
    static let leastEdge = 2
    /// Approximate number of border pixels in the fit. If the border has more pixels, the fit uses every n-th pixel.
    static let samples = 1500
    /// Number of rounds of the robust fit. Each round fits the background, and computes new weights from the residuals.
    static let rounds = 8
    /// The fit computes weights from the standard deviation of the residuals, or from this value if it is greater.
    /// Pixels with a residual of more than four standard deviations get the weight 0.
    static let leastDeviation = 0.008
    /// Pixels inside the border are sampled at a distance of (shorter side / `insideDivisor`). This is about the side
    /// of the smallest blob.
    static let insideDivisor = 30
    /// A pixel is used to estimate the height of the bowl (see `insideSamples`) only if (1 − x²)(1 − y²) is greater
    /// than this value.
    static let leastBowl = 0.3
    /// A pixel inside the border may show the background if d is less than this value. d: difference between the
    /// logarithms of the pixel and of the polynomial. With a larger value, corners may be darker, but more objects
    /// count as background.
    static let highestBowl = 0.15
    /// Factor of the 95 % quantile of the absolute differences between two pixels. For a normal distribution, the
    /// product is the standard deviation: 1 / (1.96 √2).
    static let tailFactor = 0.361

    // MARK: Uneven ground

    /// To estimate the light, the image is reduced so that its shorter side has this length, in pixels. With a larger
    /// value, the light has finer detail.
    static let unevenSide = 120.0
    /// There is an edge between two pixels if their logarithms differ by more than max(`steepest`, `steepestOfGrain` ×
    /// m). m: median difference of neighbouring pixels. Smaller differences count as changes of the light.
    static let steepest = 0.06
    static let steepestOfGrain = 4.0
    /// A pixel belongs to an object if its distance from the light is greater than max(`leastDistance`, n σ). n:
    /// `firstDeviations` for the first mask of objects, `laterDeviations` for later masks. σ: standard deviation of the
    /// background.
    static let leastDistance = 0.06
    static let firstDeviations = 3.0
    static let laterDeviations = 4.0
    /// Number of times that the light is estimated without objects. Between two estimates, the mask of objects is
    /// computed again.
    static let surfaceRounds = 3
    /// Standard deviation of the Gaussian that smooths the estimated light, in pixels of the reduced image. A larger
    /// value blurs spots of light more.
    static let surfaceBlur = 3.0
}
