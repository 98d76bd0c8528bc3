// SPDX-License-Identifier: LGPL-2.1-or-later

/// Numbers by which objects are cut out of images, and outlines are compared. Pixels are those of an `ObjectView`.
enum OutlineTuning {
    // MARK: Views of objects

    /// Length of an object's longer side in pixels. More shows finer detail, and takes more time (by the square).
    static let side = 144.0
    /// Maximum factor by which small objects are enlarged: a pixel has no more detail.
    static let mostEnlarged = 6.0
    /// Width of the ground around an object, as a fraction of its longer side, and in pixels of the image. More shows larger
    /// parts of neighbours.
    static let (margin, leastMargin) = (0.15, 3)
    /// Range of the distance in pixels by which the coarse outline can be off: the band in which the exact one is searched. A
    /// wider band lets in neighbours, a narrower one cuts off what the coarse outline misses.
    static let band = 4...14

    /// Pixels of a frame of 240 rows by which the coarse outline can be off.
    static let coarsePixel = 1.5

    // MARK: Contrast

    /// Minimum fraction of a view that is certainly ground. With less, the ground is not known well enough.
    static let leastGround = 0.05
    /// Least contrast of an object, in levels, and as a multiple of the ground's median contrast, which is noise. Lower values
    /// take noise for parts of objects; higher ones lose faint objects.
    static let (leastContrast, noiseFactor) = (8.0, 4.0)
    /// Side of the surroundings over which an object's contrast is averaged, in pixels.
    static let surroundings = 15
    /// Contrast of what certainly belongs to an object, as a fraction of that of most of its pixels.
    static let certain: Float = 0.3
    /// Contrast of the outline, and of the edges of holes, as fractions of the mean around. Half of the contrast is where a
    /// blurred edge is; holes are smaller and have some of the object's colour.
    static let (edge, holeEdge): (Float, Float) = (0.5, 0.35)
    /// A shadow may be so much darker than its factor of the light, so that its noise counts as ground, too.
    static let shadowTolerance: Float = 0.04

    // MARK: Contours

    /// Width of the widest gaps that are closed, in pixels: small images of the object do not show them.
    static let finestGap = 3
    /// Area of the smallest hole as a fraction of the object's, and the fraction of a hole that shows the ground. Other gaps are
    /// a pattern.
    static let (smallestHole, openHole) = (0.02, 0.6)
    /// An outline whose area is less than this fraction of the coarse one's, or more than its inverse, is that of something else,
    /// such as a part or a neighbour as well.
    static let alike = 0.5
    /// Sides of the squares by which the mask is grown before its surroundings are the ground, and reduced before its inside has
    /// the object's colour: edges are a mixture.
    static let (groundDistance, coreDistance) = (9, 5)
    /// Level from which on the ground is bright enough for colours relative to it.
    static let darkestGround = 20.0

    // MARK: Comparison

    /// Standard deviation of the filter that smooths outlines, as a fraction of the longer side. It removes steps of pixels, and
    /// what small images cannot show.
    static let smoothing = 0.012
    /// Number of places that are smoothed, for each of those that are compared.
    static let finePlaces = 4
    /// Highest frequency of outlines in the first comparison. Higher ones are noise in small images.
    static let highestFrequency = 24
    /// Number of improvements of a match, and number of sides, in both directions along the other outline, among which the
    /// nearest place is searched. More find matches that begin farther from the best one.
    static let (rounds, reach) = (4, 10)
    /// Standard deviation of the blur of the map of holes, in its pixels: so small a displacement hardly counts.
    static let holeBlur = 0.8

    // MARK: Distance

    /// Distance that two images of the same object have at most. The limits of the classifier refer to it.
    static let same = 0.4
    /// Root mean square distance of the outlines of such images, in units of the size, and what is added for each object's
    /// length in pixels: of small objects little is visible. Higher numbers take more objects for the same.
    static let (tolerance, pixelTolerance) = (0.042, 1.1)
    /// Length in pixels below which objects do not get more tolerance.
    static let leastLength = 4.0
    /// Factor of the tolerance for objects without shadows, and the thickness from which on it is not reduced further: thin
    /// objects are much alike.
    static let (exactTolerance, thick) = (0.75, 0.8)
    /// Weight of a difference of the holes, where one of the outlines has 1.
    static let holeWeight = 0.4
    /// Ratio of the distance to that of places at equal distances along both outlines, on average.
    static let roughWeight = 0.7
    /// Weight of the square of a difference in light, where one in colour has 1, and the difference, as a fraction of the ground's
    /// level, that counts as 1.
    static let (lightWeight, mostColor) = (0.25, 0.35)

    // MARK: Faint parts

    /// Standard deviation of the blur in which single teeth or bristles are not visible, in pixels.
    static let faintBlur = 3.0
    /// Coverage of faint parts. Along blurred edges coverage is the same, but in a narrower band than `leastFaintWidth`.
    static let faintCoverage: ClosedRange<Float> = 0.15...0.7
    static let leastFaintWidth = 9
    /// Minimum area of faint parts as a fraction of the object's.
    static let leastFaint = 0.12
    /// Coverage from which on a pixel has the object's colour.
    static let fullCoverage: Float = 0.85
    /// Width of the remains where teeth end, and of the gaps between teeth, in pixels.
    static let (toothRest, toothGap) = (5, 7)
    /// Minimum area within the outline with or without faint parts, in pixels.
    static let leastArea = 50.0
    /// Minimum fraction of the trained object's faint parts that the query's view has to show.
    static let leastSeen = 0.25
}
