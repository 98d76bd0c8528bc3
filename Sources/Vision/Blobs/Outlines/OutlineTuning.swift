// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants for cutting objects out of images and for comparing outlines. Lengths are in pixels of an `ObjectView`,
/// unless stated otherwise.
enum OutlineTuning {
    // MARK: Views of objects

    /// The view is enlarged or reduced so that the object's longer side has this length, in pixels. A larger value
    /// keeps finer detail, but the number of pixels increases with the square of the length.
    static let side = 144.0
    /// Small objects are enlarged by at most this factor, because a larger factor would add no detail.
    static let mostEnlarged = 6.0
    /// A view includes a border of background around an object. Its width is `margin` times the object's longer side,
    /// but at least `leastMargin` pixels of the image.
    static let (margin, leastMargin) = (0.15, 3)
    /// The exact outline is searched in a band along the coarse outline (the detector's outline). The band's half width
    /// is the expected error of the coarse outline, limited to this range, in pixels.
    static let band = 4...14

    /// Expected error of a coarse outline (a detector's outline), in pixels of a frame with 240 rows.
    static let coarsePixel = 1.5

    // MARK: Contrast

    /// The exact outline is computed only if the view shows enough background: at least this fraction of the pixels
    /// must be outside of the object and of the band along its coarse outline.
    static let leastGround = 0.05
    /// The contrast of an object must be at least max(`leastContrast`, `noiseFactor` × m), in levels. m: median
    /// contrast of the background. With lower values, more noise counts as a part of objects. With higher values, the
    /// code misses faint objects.
    static let (leastContrast, noiseFactor) = (8.0, 4.0)
    /// Side, in pixels, of the square in which the mean contrast around a pixel is computed.
    static let surroundings = 15
    /// The mean contrast around a pixel includes only pixels with a contrast above this fraction of the object's median
    /// contrast. With a greater value, the outline of a patterned object excludes pale parts.
    static let certain: Float = 0.3
    /// A pixel near the coarse outline (the detector's outline) belongs to the object if its contrast exceeds `edge`
    /// times the mean contrast around the pixel. A pixel farther inside belongs to a hole if its contrast is below
    /// `holeEdge` times this mean.
    static let (edge, holeEdge): (Float, Float) = (0.5, 0.35)
    /// The estimated light in a shadow, as a fraction of the background's light, is reduced by this value. So darker,
    /// noisy pixels of the shadow also count as background.
    static let shadowTolerance: Float = 0.04

    // MARK: Contours

    /// Gaps in the mask of an object are closed if their width, in pixels, is at most this value.
    static let finestGap = 3
    /// A gap counts as a hole if it has more than the fraction `smallestHole` of the object's area, and if more than
    /// the fraction `openHole` of the gap shows the background. All other gaps count as a pattern of the object.
    static let (smallestHole, openHole) = (0.02, 0.6)
    /// In a hole, a pixel shows the background only if its light is at least this fraction of the background's light.
    /// With a greater value, small holes would count as a pattern of the object.
    static let darkestHole: Float = 0.25
    /// Two areas are alike if the smaller area is more than this fraction of the larger area. If the exact outline and
    /// the coarse outline (the detector's outline) have neither similar areas nor similar convex hulls, the exact
    /// outline is rejected.
    static let alike = 0.5
    /// Sides of square kernels, in pixels. `groundDistance`: kernel that dilates the object's mask before the
    /// background's colour is measured outside the mask. `coreDistance`: kernel that erodes the mask before the
    /// object's colour is measured inside the mask.
    static let (groundDistance, coreDistance) = (9, 5)
    /// Background levels below this value are replaced by this value before colours are divided by the background.
    static let darkestGround = 20.0

    // MARK: Comparison

    /// Standard deviation of the Gaussian filter that smooths outlines, as a fraction of the object's longer side.
    static let smoothing = 0.012
    /// Before the smoothing, an outline has this number of points for each point of the smoothed outline.
    static let finePlaces = 4
    /// The first comparison of outlines uses only frequencies of their Fourier transforms up to this value.
    static let highestFrequency = 24
    /// `rounds`: number of rounds that improve an alignment. `reach`: for a point of one outline, the nearest position
    /// is searched on this number of sides of the other outline, in each direction.
    static let (rounds, reach) = (4, 10)
    /// Standard deviation of the Gaussian that smooths `Outline.holeMap`, in samples, so that small displacements have
    /// a small effect.
    static let holeBlur = 0.8

    // MARK: Distance

    /// Two images of the same object have at most this distance. The default of the classifier's setting `maxDistance`
    /// has the same value.
    static let same = 0.4
    /// Two outlines have the distance `same` if D = `tolerance` + `pixelTolerance` / L. D: root mean square distance
    /// between the outlines, divided by `Outline.size`. L: length of the object in pixels.
    static let (tolerance, pixelTolerance) = (0.042, 1.1)
    /// Lengths below this value, in pixels, are replaced by this value before `pixelTolerance` is divided by the
    /// length.
    static let leastLength = 4.0
    /// `exactTolerance`: for objects without shadows, `tolerance` is multiplied by this factor. `thick`: if the
    /// thickness of the object is smaller than this value, the factor is also multiplied by √(thickness / `thick`).
    static let (exactTolerance, thick) = (0.75, 0.8)
    /// Weight of the difference between the holes. The difference between the outlines has the weight 1.
    static let holeWeight = 0.4
    /// Mean ratio of the exact and the approximate distance between two outlines. The quick comparison of outlines
    /// multiplies its approximate distance by this factor.
    static let roughWeight = 0.7
    /// Constants for the comparison of two mean colours. `lightWeight`: factor of the square of the difference in
    /// brightness. The square of the difference in colour has the factor 1. `mostColor`: a difference of at least this
    /// fraction of the background's level counts as the maximum difference 1.
    static let (lightWeight, mostColor) = (0.25, 0.35)

    // MARK: Faint parts

    /// Standard deviation, in pixels, of the Gaussian filter that merges single teeth or bristles into an area.
    static let faintBlur = 3.0
    /// `faintCoverage`: in its faint parts, such as the teeth of a comb, the object covers a fraction of the background
    /// in this range. `leastFaintWidth`: minimum width of faint parts, in pixels. Narrower parts with this coverage are
    /// blurred edges.
    static let faintCoverage: ClosedRange<Float> = 0.15...0.7
    static let leastFaintWidth = 9
    /// Faint parts of an object, such as the teeth of a comb, are ignored if their area is less than this fraction of
    /// the object's area.
    static let leastFaint = 0.12
    /// The code measures an object's colour only in pixels of which the object covers more than this fraction.
    static let fullCoverage: Float = 0.85
    /// Diameters of discs, in pixels. `toothRest`: an opening with this disc removes the stumps of teeth from the
    /// outline without faint parts. `toothGap`: a closing with this disc closes the gaps between teeth in the outline
    /// with faint parts.
    static let (toothRest, toothGap) = (5, 7)
    /// The outlines of an object with and without its faint parts are ignored if their area is below this value, in
    /// square pixels.
    static let leastArea = 50.0
    /// Faint parts are compared only if the new image shows at least this fraction of the trained object's faint parts.
    static let leastSeen = 0.25
}
