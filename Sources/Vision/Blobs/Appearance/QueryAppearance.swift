// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Glibc
import Imaging

/// Contours and colours of an object to be recognized, in normal position (see `Ellipse`).
struct QueryAppearance: Sendable {
    /// Sharp and soft contours (see `Contours`) of the core, a disc in the middle of the object.
    fileprivate let (sharp, soft): (Matrix<Float>, Matrix<Float>)
    /// Mask of the core's pixels that are inside the object, without the pixels near the outline.
    fileprivate let inner: Matrix<UInt8>
    /// Plainness of the object, 0…1: 1 if there are no contours within the outline, 0 if there are clear contours.
    let plainness: Double
    /// Colours of the core (a disc in the middle of the object); nil if the image is grey.
    fileprivate let chromaticity: Chromaticity?
    /// `core`: maps pixels of the core (a disc in the middle of the object) to pixels of the image. `stretching`: maps
    /// offsets in the image to offsets in normal position, scaled so that areas do not change.
    fileprivate let (core, stretching): (AffineMap, AffineMap)
    /// Two copies of the result of `Contours.polar`, one after the other. The part that starts at the n-th angle
    /// contains the contours, rotated by n angles.
    fileprivate let turns: [Float]

    init(_ picture: BlobPicture, _ outline: Outline) throws(VisionError) {
        guard let ellipse = Ellipse(outline.silhouette.corners) else { throw .noArea }
        let (side, part) = (NormalView.side, NormalView.core)
        let position = ellipse.normalPosition()
        core = position * NormalView.fromCore
        let unit = NormalView.radius / ellipse.size
        stretching = AffineMap(xx: core.xx * unit, xy: core.xy * unit, yx: core.yx * unit, yy: core.yy * unit).inverse
        let (normal, chromaticity) = try picture.withImage { image throws(VisionError) in
            let normal = try image.sampled(position, width: side, height: side)
            return (normal, Chromaticity(normal.cropped(to: part), in: image))
        }
        self.chromaticity = chromaticity
        let contours = try Contours(normal)
        (sharp, soft) = (contours.sharp.cropped(to: part), contours.soft.cropped(to: part))
        inner =
            try outline.silhouette.inside(position, width: side, height: side).cropped(to: part) & NormalView.coreMask
        plainness = sharp.plainness(under: inner)
        let polar = try contours.polar()
        turns = polar + polar
    }

    // MARK: - Alignments

    /// Returns an estimate of the highest correlation that the contours reach at any rotation. To save time, uses only
    /// the first of the trained object's views (contours for several sizes and positions).
    func estimatedScore(_ trained: TrainedAppearance) -> Double {
        let best = trained.views.prefix(1).map { bestTurn($0).score }.max() ?? 0
        return raised(best, plainness * trained.plainness)
    }

    /// Returns the alignment with the highest correlation of the contours, over all rotations and all views of the
    /// trained object. A view contains the contours for one of several sizes and positions.
    func aligned(byContoursTo trained: TrainedAppearance) -> Alignment {
        var best = (view: 0, turn: 0, score: -Double.infinity)
        for (index, view) in trained.views.enumerated() {
            let found = bestTurn(view)
            if found.score > best.score { best = (index, found.turn, found.score) }
        }
        let back = NormalView.rotation(radians: -2 * .pi * Double(best.turn) / Double(NormalView.angles))
        return Alignment(
            map: trained.positions[best.view] * back * NormalView.fromCore,
            score: raised(best.score, plainness * trained.plainness))
    }

    /// Returns the index of the rotation at which the contours correlate best with a view of a trained object, and the
    /// correlation.
    private func bestTurn(_ view: [Float]) -> (turn: Int, score: Double) {
        var best = (turn: 0, score: -Double.infinity)
        turns.withUnsafeBufferPointer { turns in
            view.withUnsafeBufferPointer { view in
                for turn in 0..<NormalView.angles {
                    let start = turn * NormalView.radii
                    let turned = UnsafeBufferPointer(rebasing: turns[start..<start + view.count])
                    let score = Double(dotProduct(view, turned))
                    if score > best.score { best = (turn, score) }
                }
            }
        }
        return best
    }

    /// Returns the alignment that agrees with the largest number of matching keypoints; nil if too few keypoints match.
    func aligned(byKeypoints keypoints: Keypoints, to trained: TrainedAppearance) -> Alignment? {
        guard let known = trained.keypoints, let found = keypoints.similarity(to: known) else { return nil }
        return Alignment(
            map: trained.map.inverse * AffineMap(pixels: found.map) * core, score: Double(found.count))
    }

    /// Returns the alignment that `between` describes. `between` is an alignment of the silhouettes of both objects.
    /// - Parameter between: maps pixels of this object's image to pixels of the trained object's image.
    func aligned(by between: Similarity, to trained: TrainedAppearance, score: Double) -> Alignment {
        Alignment(map: trained.map.inverse * AffineMap(between) * core, score: score)
    }

    // MARK: - Comparison

    /// Improves an alignment. Then compares contours and colours in the area that both objects cover.
    /// - Parameter bins: the number of bins along each axis of the colour histograms.
    func compared(to trained: TrainedAppearance, _ alignment: Alignment, bins: Int) throws(VisionError) -> Likeness {
        var map = alignment.map
        guard isPossible(map) else { return Likeness(contours: 0, plainness: 0, color: 1) }
        // If the soft contours have a low correlation, the sharp contours also have a low correlation. So skip the
        // alignment by sharp contours.
        if improve(&map, soft, trained.soft, AppearanceTuning.softSteps) > AppearanceTuning.leastCorrelation {
            _ = improve(&map, sharp, trained.sharp, AppearanceTuning.sharpSteps)
        }
        let (width, height) = (sharp.width, sharp.height)
        let aligned = try trained.sharp.warped(map, isInverse: true, width: width, height: height, sv_cv_linear)
        let known = try trained.inner.warped(map, isInverse: true, width: width, height: height, sv_cv_nearest)
        let both = known & inner
        // Plain objects have no contours, so their alignment is arbitrary. So do not check the size of the area that
        // both objects cover.
        let larger = Double(max(inner.count, (known & NormalView.coreMask).count))
        guard
            max(plainness, trained.plainness) > AppearanceTuning.mostlyPlain
                || Double(both.count) >= AppearanceTuning.leastCommon * larger
        else { return Likeness(contours: 0, plainness: 0, color: 1) }
        let plainness = plainness * aligned.plainness(under: both)
        var color: Double?
        if let chromaticity, let known = trained.chromaticity {
            color = try chromaticity.distance(
                to: known.warped(map, width: width, height: height),
                under: both.count > 0 ? both : NormalView.coreMask, bins: bins)
        }
        return Likeness(
            contours: raised(sharp.correlation(with: aligned, under: both), plainness), plainness: plainness,
            color: color)
    }

    /// Improves a map so that the enhanced correlation coefficient of both contour matrices increases. If the algorithm
    /// fails, the map does not change. The algorithm fails, for example, for plain objects and for objects that look
    /// the same at any rotation.
    /// - Returns: the correlation coefficient before the last step; 1 if the algorithm failed, so that the caller does
    ///   not skip the next alignment.
    private func improve(
        _ map: inout AffineMap, _ contours: Matrix<Float>, _ known: Matrix<Float>, _ steps: Int
    ) -> Double {
        let alignment = CorrelationAlignment(contours, known)
        guard let better = alignment.improved(map, steps: steps, precision: AppearanceTuning.precision),
            isPossible(better.map)
        else { return 1 }
        map = better.map
        return better.coefficient
    }

    /// Returns true if a map scales the object by plausible factors, which are similar in all directions.
    /// - Parameter map: maps pixels of this object's core (a disc in the middle) to pixels of the trained object's
    ///   contours.
    private func isPossible(_ map: AffineMap) -> Bool {
        guard map.isFinite else { return false }
        let stretch = (map * stretching).stretch
        return stretch.least > AppearanceTuning.leastStretch && stretch.most < AppearanceTuning.mostStretch
            && stretch.most < AppearanceTuning.mostSkew * stretch.least
    }

    /// Increases a correlation of contours (`score`) for plain objects, because plain objects have no contours that
    /// could correlate. The result is `score` if `plainness` is 0, and 1 if `plainness` is 1.
    private func raised(_ score: Double, _ plainness: Double) -> Double { score + (1 - score) * plainness }
}

/// A possible alignment of an object with a trained object.
struct Alignment {
    /// Maps pixels of the object's core (a disc in the middle) to pixels of the trained object's contours.
    var map: AffineMap
    var score: Double
}

/// The similarity of two aligned objects.
struct Likeness {
    /// Correlation of the contours, −1…1. 1 if both objects are plain; 0 if the alignment was rejected.
    var contours: Double
    /// Product of the plainness values of the two compared objects, 0 (clear contours) to 1 (no contours).
    var plainness: Double
    /// Distance between the colours of the objects, 0…1; nil if one of the images is grey.
    var color: Double?
}

/// Contours and colours of a trained object. The image is reduced, so that the object has about the same size as in
/// normal position (see `Ellipse`).
struct TrainedAppearance: Sendable {
    fileprivate let (sharp, soft): (Matrix<Float>, Matrix<Float>)
    /// Mask of the object, without the pixels near the outline.
    fileprivate let inner: Matrix<UInt8>
    /// Plainness of the object, 0…1: 1 if there are no contours within the outline, 0 if there are clear contours.
    let plainness: Double
    fileprivate let chromaticity: Chromaticity?
    fileprivate let keypoints: Keypoints?
    /// Maps pixels of `sharp` and `soft` to pixels of the image.
    fileprivate let map: AffineMap
    /// `views`: the contours in polar coordinates, for several sizes and positions. `positions`: for each view, the map
    /// from normal position (see `Ellipse`) to pixels of `sharp` and `soft`. The first view has the size and position
    /// of the outline.
    fileprivate let views: [[Float]]
    fileprivate let positions: [AffineMap]

    init(
        _ picture: BlobPicture, _ outline: Outline, _ features: ClassifierSettings.Features
    ) throws(VisionError) {
        guard let ellipse = Ellipse(outline.silhouette.corners) else { throw .noArea }
        let longest = AppearanceTuning.longestSide
        let scale = min(
            NormalView.radius / ellipse.size, longest / Double(picture.width), longest / Double(picture.height))
        let (width, height) = (
            max(1, reducedLength(picture.width, scale)), max(1, reducedLength(picture.height, scale))
        )
        let map = AffineMap(Similarity(turn: Point(1 / scale, 0)))
        self.map = map
        (sharp, soft, chromaticity) = try picture.withImage { image throws(VisionError) in
            let whole = try image.sampled(map, width: width, height: height)
            let contours = try Contours(whole)
            return (contours.sharp, contours.soft, Chromaticity(whole, in: image))
        }
        inner = try outline.silhouette.inside(map, width: width, height: height)
        let (side, core) = (NormalView.side, NormalView.core)
        var (views, positions, plainness): ([[Float]], [AffineMap], Double) = ([], [], 0)
        for growth in AppearanceTuning.viewGrowths {
            for place in 0..<AppearanceTuning.viewPlaces {
                let angle = 2 * .pi * Double(place) / Double(AppearanceTuning.viewPlaces - 1)
                let distance = place == 0 ? 0 : AppearanceTuning.viewDistance
                let position = ellipse.normalPosition(
                    growth: growth, shift: Point(distance * cos(angle), distance * sin(angle)))
                let contours = try Contours(
                    picture.withImage { image throws(VisionError) in
                        try image.sampled(position, width: side, height: side)
                    })
                views.append(try contours.polar())
                positions.append(map.inverse * position)
                // A view may include the object's outline, which counts as a contour and makes the plainness too low.
                // So use the maximum over all views.
                let inside = try outline.silhouette.inside(position, width: side, height: side).cropped(to: core)
                plainness = max(
                    plainness, contours.sharp.cropped(to: core).plainness(under: inside & NormalView.coreMask))
            }
        }
        (self.views, self.positions, self.plainness) = (views, positions, plainness)
        keypoints = features == .none ? nil : try Keypoints(picture, features)
    }
}

extension VisionError {
    fileprivate static let noArea = VisionError(description: "the outline has no area")
}

extension Silhouette {
    /// Returns the mask of an object without a band along the outline. In this band, the outline itself appears as a
    /// contour.
    /// - Parameter map: maps pixels of the mask to pixels of the image.
    fileprivate func inside(_ map: AffineMap, width: Int, height: Int) throws(VisionError) -> Matrix<UInt8> {
        try mask(map, width: width, height: height)
            .morphed(sv_cv_erode, side: 2 * AppearanceTuning.outlineReach + 1, isElliptic: true)
    }
}
