// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants for cutting objects out of images and for comparing outlines. Lengths are in pixels of an `ObjectView`,
/// unless stated otherwise.
enum OutlineTuning {
    // MARK: Views of objects

    /// Length of an object's longer side, in pixels. A larger value keeps finer detail, but the number of pixels
    /// increases with the square of the length.
    static let side = 144.0
    /// Maximum factor by which small objects are enlarged. Enlargement adds no detail.
    static let mostEnlarged = 6.0
    /// Width of the background around an object, as a fraction of the object's longer side, and minimum width in pixels
    /// of the image. A larger value includes more of neighbouring objects.
    static let (margin, leastMargin) = (0.15, 3)
    /// Range of the width of the band along the coarse outline in which the exact outline is searched, in pixels. The
    /// width is the expected error of the coarse outline, limited to this range. A wider band includes more of
    /// neighbouring objects. A narrower band cuts off parts that the coarse outline misses.
    static let band = 4...14

    /// Expected error of a coarse outline, in pixels of a frame with 240 rows.
    static let coarsePixel = 1.5

    // MARK: Contrast

    /// Minimum fraction of a view that is outside the band around the object. With less background, the coarse outline
    /// is used.
    static let leastGround = 0.05
    /// Minimum contrast of an object, in levels, and as a multiple of the median contrast of the background, which is
    /// noise. Lower values include more noise in objects; higher values exclude fainter objects.
    static let (leastContrast, noiseFactor) = (8.0, 4.0)
    /// Side of the square over which an object's contrast is averaged, in pixels.
    static let surroundings = 15
    /// Minimum contrast of pixels that certainly belong to an object, as a fraction of the 90 % quantile of the
    /// object's contrast.
    static let certain: Float = 0.3
    /// Contrast at the outline and at the edges of holes, as fractions of the mean contrast nearby. The middle of a
    /// blurred edge has half of the contrast. Holes are small and contain some of the object's colour, so their limit
    /// is lower.
    static let (edge, holeEdge): (Float, Float) = (0.5, 0.35)
    /// Tolerance that is subtracted from a shadow's factor of the light, so that noise in the shadow also counts as
    /// background.
    static let shadowTolerance: Float = 0.04

    // MARK: Contours

    /// Maximum width of gaps that are closed, in pixels. Small images of the object do not show such gaps.
    static let finestGap = 3
    /// Minimum area of a hole, as a fraction of the object's area, and minimum fraction of a hole that shows the
    /// background. Smaller or darker gaps count as a pattern of the object.
    static let (smallestHole, openHole) = (0.02, 0.6)
    /// Minimum ratio of the smaller to the larger area of the exact and the coarse outline. The code rejects the exact
    /// outline if both the areas and the areas of the convex hulls differ more, because it then shows only a part of
    /// the object, or the object with a neighbour.
    static let alike = 0.5
    /// Sides of the squares by which the object's mask is dilated before the background's colour is measured, and
    /// eroded before the object's colour is measured. Both exclude edges, where the colours are mixed.
    static let (groundDistance, coreDistance) = (9, 5)
    /// Minimum level of the background for colours relative to the background. Darker levels are replaced by this
    /// level.
    static let darkestGround = 20.0

    // MARK: Comparison

    /// Standard deviation of the Gaussian that smooths outlines, as a fraction of the object's longer side. The filter
    /// removes pixel steps, and details that small images do not show.
    static let smoothing = 0.012
    /// Number of points that are smoothed for each point that is compared.
    static let finePlaces = 4
    /// Highest frequency of outlines in the first comparison. In small images, higher frequencies are noise.
    static let highestFrequency = 24
    /// Number of rounds that improve a match, and number of sides, in each direction along the other outline, among
    /// which the nearest place is searched. Larger values can correct a larger error of the first alignment.
    static let (rounds, reach) = (4, 10)
    /// Standard deviation of the Gaussian that smooths the map of holes, in samples of the map, so that small
    /// displacements have a small effect.
    static let holeBlur = 0.8

    // MARK: Distance

    /// Maximum distance between two images of the same object. The limits of the classifier refer to this distance.
    static let same = 0.4
    /// Root mean square distance between two outlines that corresponds to the distance `same`, in units of the size:
    /// `tolerance`, plus `pixelTolerance` divided by the object's length in pixels, because small objects show less
    /// detail. Larger values accept more objects as the same.
    static let (tolerance, pixelTolerance) = (0.042, 1.1)
    /// Minimum length in the division for `pixelTolerance`, in pixels.
    static let leastLength = 4.0
    /// Factor of the tolerance for objects without shadows, and the thickness below which the factor is smaller,
    /// because the outlines of thin objects are similar.
    static let (exactTolerance, thick) = (0.75, 0.8)
    /// Weight of the difference between holes, relative to the difference between outlines.
    static let holeWeight = 0.4
    /// Mean ratio of the exact distance to the distance of the points at equal distances along both outlines.
    static let roughWeight = 0.7
    /// Weight of the square of a light difference, relative to the square of a colour difference, and the difference
    /// that counts as 1, as a fraction of the background's level.
    static let (lightWeight, mostColor) = (0.25, 0.35)

    // MARK: Faint parts

    /// Standard deviation of the Gaussian that merges single teeth or bristles, in pixels.
    static let faintBlur = 3.0
    /// Range of the coverage of faint parts, and minimum width of faint parts in pixels. Blurred edges have the same
    /// coverage, but are narrower.
    static let faintCoverage: ClosedRange<Float> = 0.15...0.7
    static let leastFaintWidth = 9
    /// Minimum area of faint parts, as a fraction of the object's area.
    static let leastFaint = 0.12
    /// Minimum coverage of pixels that show only the object's colour.
    static let fullCoverage: Float = 0.85
    /// Width in pixels of the stumps of teeth that are removed, and of the gaps between teeth that are closed.
    static let (toothRest, toothGap) = (5, 7)
    /// Minimum area of the outline with or without faint parts, in square pixels.
    static let leastArea = 50.0
    /// Minimum fraction of the trained object's faint parts that is visible in the query's view.
    static let leastSeen = 0.25
}
