// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Glibc
import Imaging

/// The appearance of an object in a frame, in normal position.
struct QueryAppearance: Sendable {
    /// Contours of the core.
    fileprivate let (sharp, soft): (Matrix<Float>, Matrix<Float>)
    /// Mask of the core's contours that are the object's, and not its outline's.
    fileprivate let inner: Matrix<UInt8>
    /// Lack of contours within the outline, 0…1.
    let plainness: Double
    /// Nil in grey images.
    fileprivate let chromaticity: Chromaticity?
    /// Maps the core's pixels to those of the image, and, without its tilt, to lengths in normal position.
    fileprivate let (core, stretching): (AffineMap, AffineMap)
    /// Contours of one angle after another, twice: those from the n-th angle on are the contours rotated.
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

    /// Returns about the score of the best rotation, from one of the trained object's views.
    func estimatedScore(_ trained: TrainedAppearance) -> Double {
        let best = trained.views.prefix(1).map { bestTurn($0).score }.max() ?? 0
        return raised(best, plainness * trained.plainness)
    }

    /// Returns the rotation at which the contours of both correlate best.
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

    /// Returns the rotation in which the contours correlate best with a view, and the correlation.
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

    /// Returns the position where most keypoints match; nil if too few do.
    func aligned(byKeypoints keypoints: Keypoints, to trained: TrainedAppearance) -> Alignment? {
        guard let known = trained.keypoints, let found = keypoints.similarity(to: known) else { return nil }
        return Alignment(
            map: trained.map.inverse * AffineMap(pixels: found.map) * core, score: Double(found.count))
    }

    /// Returns the position that follows from that of the outlines.
    /// - Parameter between: maps the images to each other.
    func aligned(by between: Similarity, to trained: TrainedAppearance, score: Double) -> Alignment {
        Alignment(map: trained.map.inverse * AffineMap(between) * core, score: score)
    }

    // MARK: - Comparison

    /// Improves an alignment, and returns how similar both objects are where they coincide.
    /// - Parameter bins: number of bins of the histograms of colour, in each direction.
    func compared(to trained: TrainedAppearance, _ alignment: Alignment, bins: Int) throws(VisionError) -> Likeness {
        var map = alignment.map
        guard isPossible(map) else { return Likeness(contours: 0, plainness: 0, color: 1) }
        // Where soft contours differ that much, sharp ones do.
        if try improve(&map, soft, trained.soft, AppearanceTuning.softSteps) > AppearanceTuning.leastCorrelation {
            _ = try improve(&map, sharp, trained.sharp, AppearanceTuning.sharpSteps)
        }
        let (width, height) = (sharp.width, sharp.height)
        let aligned = try trained.sharp.warped(map, isInverse: true, width: width, height: height, sv_cv_linear)
        let both =
            try trained.inner.warped(map, isInverse: true, width: width, height: height, sv_cv_nearest) & inner
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

    /// Improves a map by the enhanced correlation coefficient, unless that fails, as it does with plain objects and those that
    /// look the same at any rotation.
    /// - Returns: the coefficient before the last step; 1 if the map was not improved.
    private func improve(
        _ map: inout AffineMap, _ contours: Matrix<Float>, _ known: Matrix<Float>, _ steps: Int
    ) throws(VisionError) -> Double {
        let alignment = CorrelationAlignment(contours, known)
        guard let better = alignment.improved(map, steps: steps, precision: AppearanceTuning.precision),
            isPossible(better.map)
        else { return 1 }
        map = better.map
        return better.coefficient
    }

    /// Returns whether a map of the core, in which the object may be stretched, to the trained object's contours stretches the
    /// object by about as much everywhere, and not much.
    private func isPossible(_ map: AffineMap) -> Bool {
        guard map.isFinite else { return false }
        let stretch = (map * stretching).stretch
        return stretch.least > AppearanceTuning.leastStretch && stretch.most < AppearanceTuning.mostStretch
            && stretch.most < AppearanceTuning.mostSkew * stretch.least
    }

    /// Raises a score by lack of contours: two plain objects are alike.
    private func raised(_ score: Double, _ plainness: Double) -> Double { score + (1 - score) * plainness }
}

/// A possible position of a query's object on a trained one, and the evidence for it.
struct Alignment {
    /// Maps pixels of the query's core to those of the trained object's contours.
    var map: AffineMap
    var score: Double
}

/// Likeness of two objects that are aligned.
struct Likeness {
    /// Correlation of the contours, −1…1; 1 if neither has any; 0 if the alignment is impossible.
    var contours: Double
    /// Lack of contours, 0…1.
    var plainness: Double
    /// Distance of the colours, 0…1; nil if one of the images is grey.
    var color: Double?
}

/// The appearance of an object to be recognised, in a training image that is reduced so that the object has the size of the
/// normal position.
struct TrainedAppearance: Sendable {
    fileprivate let (sharp, soft): (Matrix<Float>, Matrix<Float>)
    /// Mask of contours that are the object's, and not its outline's.
    fileprivate let inner: Matrix<UInt8>
    /// Lack of contours within the outline, 0…1.
    let plainness: Double
    fileprivate let chromaticity: Chromaticity?
    fileprivate let keypoints: Keypoints?
    /// Maps pixels of the contours to those of the image.
    fileprivate let map: AffineMap
    /// Contours along radii and angles in several sizes and places, the first of which is the outline's, and their maps from
    /// normal position to the contours.
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
                // The plainest view counts: contours of the outline may be in others.
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
    /// Returns the mask of an object's inside, beyond the reach of its outline's contours.
    /// - Parameter map: from the mask's pixels to the image's.
    fileprivate func inside(_ map: AffineMap, width: Int, height: Int) throws(VisionError) -> Matrix<UInt8> {
        try mask(map, width: width, height: height)
            .morphed(sv_cv_erode, side: 2 * AppearanceTuning.outlineReach + 1, isElliptic: true)
    }
}
