// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants of the estimation of the background. A difference of logarithms is approximately a relative difference of
/// light: 0.06 is about 6 %.
enum GroundTuning {
    // MARK: Logarithms and distances

    /// Added to each level before the logarithm is computed, to reduce the effect of noise in dark areas.
    static let offset = 8.0
    /// Side, in pixels, of the Gaussian kernel that smooths the image before the logarithm is computed.
    static let smoothing = 3
    /// Weight of colour relative to brightness in the difference between a pixel and the background. With a larger
    /// value, the difference increases for coloured objects, but also for background in coloured light.
    static let colorWeight: Float = 4
    /// A dark pixel counts as background in the shade only if (D / L)² is less than this value. D: difference between
    /// pixel and background. L: part of this difference that is a difference in light. With a larger value, the colours
    /// of pixel and background may differ more.
    static let shadeTint: Float = 6
    /// Levels above this value are replaced by this value before pixels and background are compared.
    static let clippedLevel = 250.0
    /// Bright pixels have inaccurate colours, so colour has less weight. The weight decreases from `colorWeight` to 1
    /// while the pixel's brightest channel increases from this level to `clippedLevel`.
    static let brightLevel = 230.0

    // MARK: Plain ground

    /// The background is fitted to the border of the frame. The border has the width (shorter side / `edgeDivisor`),
    /// but at least `leastEdge` pixels.
    static let edgeDivisor = 25
    static let leastEdge = 2
    /// Approximate number of border pixels to which the background is fitted. If the border has more pixels, the fit
    /// uses every n-th pixel.
    static let samples = 1500
    /// Number of rounds of the robust fit. Each round fits the background, and computes new weights from the residuals.
    static let rounds = 8
    /// Minimum standard deviation of the residuals from which the fit computes the weights. Pixels with a residual of
    /// more than four standard deviations get the weight 0.
    static let leastDeviation = 0.008
    /// Distance between two sampled pixels inside the border: the image's shorter side divided by this value. The
    /// distance is about the side of the smallest blob.
    static let insideDivisor = 30
    /// A term h (1 − x²)(1 − y²) of the background model has the shape of a bowl. x and y run from −1 to 1 over the
    /// image. The estimate of h uses a pixel only if (1 − x²)(1 − y²) is greater than this value.
    static let leastBowl = 0.3
    /// A pixel inside the border may show the background if d is less than this value. d: absolute difference between
    /// the logarithm of the pixel and the polynomial that fits the border. With a larger value, images may have darker
    /// corners, but more objects count as background.
    static let highestBowl = 0.15
    /// Converts the 95 % quantile of the absolute difference between two background pixels to the standard deviation of
    /// a pixel. For a normal distribution, this factor is 1 / (1.96 √2).
    static let tailFactor = 0.361

    // MARK: Uneven ground

    /// To estimate the light, the image is reduced so that its shorter side has this length, in pixels. With a larger
    /// value, the estimated light has finer detail.
    static let unevenSide = 120.0
    /// There is an edge between two pixels if their logarithms differ by more than max(`steepest`, `steepestOfGrain` ×
    /// m). m: median difference of neighbouring pixels. Smaller differences count as gradual changes of the light.
    static let steepest = 0.06
    static let steepestOfGrain = 4.0
    /// A pixel belongs to an object if the difference between the pixel and the estimated light is greater than
    /// max(`leastDistance`, n σ). n: `firstDeviations` for the first mask of objects, `laterDeviations` for later
    /// masks. σ: standard deviation of the background.
    static let leastDistance = 0.06
    static let firstDeviations = 3.0
    static let laterDeviations = 4.0
    /// Number of times that the light is estimated from the pixels outside of objects. Between two estimates, the mask
    /// of the objects is computed again from the new light.
    static let surfaceRounds = 3
    /// Standard deviation of the Gaussian that smooths the estimated light, in pixels of the reduced image. With a
    /// larger value, the bright spot of a lamp is blurred more.
    static let surfaceBlur = 3.0
}
