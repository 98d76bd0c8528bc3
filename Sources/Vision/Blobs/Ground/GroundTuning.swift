// SPDX-License-Identifier: LGPL-2.1-or-later

/// Numbers of the ground stage. Differences of logarithms are about relative differences of light: 0.06 is 6 %.
enum GroundTuning {
    // MARK: Logarithms and distances

    /// Levels added before the logarithm is taken, so that noise in the dark has little effect. Greater: dark things on dark
    /// ground are found less well.
    static let offset = 8.0
    /// Side in pixels of the Gaussian that smooths the image. Greater: less noise, and blurred edges.
    static let smoothing = 3
    /// Weight of a difference in colour relative to one in light, as shadows have the ground's colour. Greater: coloured light
    /// is taken for things.
    static let colorWeight: Float = 4
    /// Greatest square of a distance, as a multiple of the square of its light alone, that may be shade, which is tinted by the
    /// remaining light. Greater: dark coloured things are taken for shade.
    static let shadeTint: Float = 6
    /// Level from which pixels count as clipped, a little below 255 for noise. A ground may exceed it. Lower: bright things on
    /// bright ground disappear.
    static let clippedLevel = 250.0
    /// Level from which up to `clippedLevel` colour has less and less weight: noise is clipped there by channel. Lower: bright
    /// coloured things are found less well.
    static let brightLevel = 230.0

    // MARK: Plain ground

    /// Width of the frame's edge that shows the ground, as a part of the shorter side (1/25), and in pixels at least. Wider:
    /// more of it shows things.
    static let edgeDivisor = 25
    static let leastEdge = 2
    /// About the number of pixels of the edge that are fitted. Greater: slower, and hardly more exact.
    static let samples = 1500
    /// Number of times that the fit's weights are computed. It has converged then.
    static let rounds = 8
    /// Standard deviation of a ground's logarithm that is expected at least: that of rounding to levels. Greater: more of a
    /// thing at the edge is taken for ground.
    static let leastDeviation = 0.008

    // MARK: Uneven ground

    /// Shorter side in pixels of the image in which light is estimated. Greater: slower, and light with finer detail, such as
    /// that of things.
    static let unevenSide = 120.0
    /// Least difference of logarithms between neighbours that is an edge and not light, and the same as a multiple of the median
    /// difference. Greater: soft edges of things count as light.
    static let steepest = 0.06
    static let steepestOfGrain = 4.0
    /// Least distance from the estimated light that is a thing, and the same in standard deviations: first, and when it is
    /// estimated again without things. Greater: faint things count as ground.
    static let leastDistance = 0.06
    static let firstDeviations = 3.0
    static let laterDeviations = 4.0
    /// Number of times that the light is estimated without things. Things that hid in others' light are found in the second.
    static let surfaceRounds = 3
    /// Standard deviation in pixels of the blur of the light where nothing is known of it. Greater: spots of lamps are blurred.
    static let surfaceBlur = 3.0
}
