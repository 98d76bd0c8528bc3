// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants for cutting objects out of images and for comparing outlines. Lengths are in pixels of an `ObjectView`,
/// unless stated otherwise.
enum OutlineTuning {
    // MARK: Views of objects

    /// In an `ObjectView`, the longer side of the object has this length, in pixels. A larger value keeps finer detail,
    /// but the number of pixels increases with the square of the length.
    static let side = 144.0
    /// Small objects are enlarged by at most this factor, because enlargement adds no detail.
    static let mostEnlarged = 6.0
    /// Width of the background around an object: the fraction `margin` of the object's longer side, but at least
    /// `leastMargin` pixels of the image. A larger value includes more of neighbouring objects.
    static let (margin, leastMargin) = (0.15, 3)
    /// Range of the width of the band along the coarse outline in which the exact outline is searched, in pixels. The
    /// width is the expected error of the coarse outline, limited to this range. A wider band includes more of
    /// neighbouring objects. A narrower band cuts off parts that the coarse outline misses.
    static let band = 4...14

    /// Expected error of a coarse outline, in pixels of a frame with 240 rows.
    static let coarsePixel = 1.5

    // MARK: Contrast

    /// If less than this fraction of a view is outside the object and the band around it, there is too little
    /// background, and the coarse outline is used.
    static let leastGround = 0.05
    /// An object must have at least the contrast `leastContrast` (in levels), and at least `noiseFactor` times the
    /// median contrast of the background. The contrast of the background is noise. Lower values include more noise in
    /// objects; higher values exclude fainter objects.
    static let (leastContrast, noiseFactor) = (8.0, 4.0)
    /// The contrast of an object is averaged over squares with this side, in pixels.
    static let surroundings = 15
    /// Pixels with a contrast above this fraction of the median contrast certainly belong to the object. The median
    /// excludes holes, which show the background. With a greater value, pale parts of a patterned object are cut off.
    static let certain: Float = 0.3
    /// Contrast at an edge, as a fraction of the mean contrast nearby. `edge`: at the outline. The middle of a blurred
    /// edge has half of the contrast. `holeEdge`: at the edges of holes. Holes are small and contain some of the
    /// object's colour, so this limit is lower.
    static let (edge, holeEdge): (Float, Float) = (0.5, 0.35)
    /// Tolerance that is subtracted from a shadow's factor of the light, so that noise in the shadow also counts as
    /// background.
    static let shadowTolerance: Float = 0.04

    // MARK: Contours

    /// Maximum width of gaps that are closed, in pixels. Small images of the object do not show such gaps.
    static let finestGap = 3
    /// A gap counts as a hole if its area is more than the fraction `smallestHole` of the object's area, and more than
    /// the fraction `openHole` of the gap shows the background. Other gaps count as a pattern of the object.
    static let (smallestHole, openHole) = (0.02, 0.6)
    /// In a hole, the light is at least this fraction of the light on the background. Near the edge of a hole, pixels
    /// are darker, because of shadows, or because blur mixes them with a dark object. With a greater value, small holes
    /// count as a pattern.
    static let darkestHole: Float = 0.25
    /// Two areas are alike if the smaller area is more than this fraction of the larger area. If neither the areas nor
    /// the convex hulls of the exact and the coarse outline are alike, the exact outline is rejected. It then shows
    /// only a part of the object, or the object with a neighbour.
    static let alike = 0.5
    /// Sides of squares, in pixels. `groundDistance`: the object's mask is dilated by this square before the
    /// background's colour is measured. `coreDistance`: the mask is eroded by this square before the object's colour is
    /// measured. Both exclude edges, where the colours are mixed.
    static let (groundDistance, coreDistance) = (9, 5)
    /// Colours are divided by the colour of the background. Background levels below this value are replaced by this
    /// value first.
    static let darkestGround = 20.0

    // MARK: Comparison

    /// Standard deviation of the Gaussian that smooths outlines, as a fraction of the object's longer side. The filter
    /// removes pixel steps, and details that small images do not show.
    static let smoothing = 0.012
    /// Outlines are smoothed with this number of points for each point that is compared later.
    static let finePlaces = 4
    /// The first comparison of outlines uses only frequencies up to this value, because higher frequencies are noise in
    /// small images.
    static let highestFrequency = 24
    /// `rounds`: number of rounds that improve a match. `reach`: the nearest position on the other outline is searched
    /// among this number of sides in each direction. Larger values can correct a larger error of the first alignment.
    static let (rounds, reach) = (4, 10)
    /// Standard deviation of the Gaussian that smooths the map of holes, in samples of the map, so that small
    /// displacements have a small effect.
    static let holeBlur = 0.8

    // MARK: Distance

    /// Two images with at most this distance show the same object. The limits of the classifier refer to this distance.
    static let same = 0.4
    /// Two outlines have the distance `same` if their root mean square distance, in units of the size, is `tolerance` +
    /// `pixelTolerance` / (the object's length in pixels). The second term allows for the smaller amount of detail in
    /// small objects. Larger values accept more objects as the same.
    static let (tolerance, pixelTolerance) = (0.042, 1.1)
    /// Lengths below this value, in pixels, are replaced by this value before `pixelTolerance` is divided by them.
    static let leastLength = 4.0
    /// `exactTolerance`: factor of the tolerance for objects without shadows. `thick`: for objects with a smaller
    /// thickness, this factor is reduced, because the outlines of thin objects are similar.
    static let (exactTolerance, thick) = (0.75, 0.8)
    /// Weight of the difference between the holes of two objects in the objects' distance. The difference between the
    /// outlines has the weight 1.
    static let holeWeight = 0.4
    /// The approximate distance, between points that divide both outlines into equal lengths, is multiplied by this
    /// factor. The factor is the mean ratio of the exact distance to the approximate distance.
    static let roughWeight = 0.7
    /// `lightWeight`: factor of the square of a light difference; the square of a colour difference has the factor 1.
    /// `mostColor`: a difference of this fraction of the background's level, or more, counts as 1.
    static let (lightWeight, mostColor) = (0.25, 0.35)

    // MARK: Faint parts

    /// Standard deviation of the Gaussian that merges single teeth or bristles, in pixels.
    static let faintBlur = 3.0
    /// `faintCoverage`: range of the coverage of faint parts. `leastFaintWidth`: minimum width of faint parts, in
    /// pixels. Blurred edges have the same coverage, but are narrower.
    static let faintCoverage: ClosedRange<Float> = 0.15...0.7
    static let leastFaintWidth = 9
    /// Faint parts are ignored if their area is less than this fraction of the object's area.
    static let leastFaint = 0.12
    /// Pixels with a coverage above this value show only the object's colour.
    static let fullCoverage: Float = 0.85
    /// Diameters of discs, in pixels. `toothRest`: opening with this disc removes the stumps of teeth from the outline
    /// without faint parts. `toothGap`: closing with this disc closes the gaps between teeth in the outline with faint
    /// parts.
    static let (toothRest, toothGap) = (5, 7)
    /// Outlines with or without faint parts are ignored if their area is below this value, in square pixels.
    static let leastArea = 50.0
    /// Faint parts are compared only if at least this fraction of the trained object's faint parts is visible in the
    /// query's view.
    static let leastSeen = 0.25
}
