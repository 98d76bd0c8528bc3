// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// The outline and the holes of an object, for the algorithm `contours`.
final class ObjectShape: OpenCVObject {
    /// The longer side in pixels, and the colour relative to the ground.
    private(set) var facts = SVCVShapeFacts()

    /// Cuts an object out of a picture.
    /// - Parameters:
    ///   - outline: about where it is.
    ///   - isLit: whether what may be a narrow shadow along the outline counts as ground.
    init(_ picture: BlobPicture, outline: [Point], isLit: Bool = false) throws(VisionError) {
        // Detectors see 240 rows or more.
        let precision = 1.5 * max(1, (picture.frameHeight ?? Double(min(picture.width, picture.height))) / 240)
        try super.init { error in
            picture.withImage {
                sv_cv_shape_create(
                    $0.openCV, outline.map(SVCVPoint.init), Int32(clamping: outline.count), precision,
                    isLit ? 1 : 0, error)
            }
        }
        try readFacts()
    }

    fileprivate override init(owning handle: OpaquePointer) { super.init(owning: handle) }

    fileprivate func readFacts() throws(VisionError) { try check { sv_cv_shape_facts(handle, &facts, $0) } }

    /// Returns the turn in which the outlines agree best.
    func aligned(to other: ObjectShape) throws(VisionError) -> SVCVShapeMatch {
        var match = SVCVShapeMatch()
        try check { sv_cv_shape_align(handle, other.handle, &match, $0) }
        return match
    }

    /// Returns a match that is exact, and how far the outlines and holes are apart in it.
    func compared(to other: ObjectShape, _ match: SVCVShapeMatch) throws(VisionError) -> SVCVShapeMatch {
        var match = match
        try check { sv_cv_shape_compare(handle, other.handle, &match, $0) }
        return match
    }
}

/// The outlines of an object with and without its faint parts. These cover half of what is behind them, as the teeth of a comb
/// do: from afar they are grey, and in one picture belong to the outline, in the next do not.
struct FaintParts {
    let whole: ObjectShape
    let solid: ObjectShape

    /// Returns nil if it has none. Once for each shape.
    init?(of shape: ObjectShape) throws(VisionError) {
        var (whole, solid): (OpaquePointer?, OpaquePointer?)
        try check { sv_cv_shape_split(shape.handle, &whole, &solid, $0) }
        guard let whole, let solid else { return nil }
        (self.whole, self.solid) = (ObjectShape(owning: whole), ObjectShape(owning: solid))
        try self.whole.readFacts()
        try self.solid.readFacts()
    }
}

extension ObjectShape {
    /// Returns how much the coverages of the other's faint parts differ, 0…1, where `between` maps the pictures. Both were asked
    /// for their `FaintParts` before.
    func faintDifference(to other: ObjectShape, _ between: SVCVSimilarity) throws(VisionError) -> Double {
        var difference = 1.0
        try check { sv_cv_shape_compare_faint(handle, other.handle, between, &difference, $0) }
        return difference
    }
}

/// The appearance of an object in a frame, for the algorithm `contours`.
final class QueryAppearance: OpenCVObject {
    /// Extracts what is compared from a picture.
    init(_ picture: BlobPicture, _ shape: ObjectShape, _ features: ClassifierSettings.Features) throws(VisionError) {
        try super.init { error in
            picture.withImage { sv_cv_query_create($0.openCV, shape.handle, features.openCV, error) }
        }
    }

    /// Lack of contours within the outline, 0…1.
    var plainness: Double { sv_cv_appearance_plainness(handle) }

    /// Returns about the score of the best rotation, at a small part of its cost.
    func estimatedScore(_ trained: TrainedAppearance) throws(VisionError) -> Double {
        var score = 0.0
        try check { sv_cv_estimate_contours(handle, trained.handle, &score, $0) }
        return score
    }

    /// Returns the rotation at which the contours of both correlate best.
    func aligned(byContoursTo trained: TrainedAppearance) throws(VisionError) -> Alignment {
        var alignment = Alignment()
        try check { sv_cv_align_contours(handle, trained.handle, &alignment.map, &alignment.score, $0) }
        return alignment
    }

    /// Returns the position where most keypoints match; nil if too few do.
    func aligned(byKeypointsTo trained: TrainedAppearance) throws(VisionError) -> Alignment? {
        var alignment = Alignment()
        try check { sv_cv_align_keypoints(handle, trained.handle, &alignment.map, &alignment.score, $0) }
        return alignment.score > 0 ? alignment : nil
    }

    /// Returns the position that follows from one of the outlines.
    func aligned(
        by similarity: SVCVSimilarity, to trained: TrainedAppearance, score: Double
    ) throws(VisionError) -> Alignment {
        var alignment = Alignment(score: score)
        try check { sv_cv_align_shapes(handle, trained.handle, similarity, &alignment.map, $0) }
        return alignment
    }

    /// Returns how similar both are when aligned this way.
    func compared(
        to trained: TrainedAppearance, _ alignment: Alignment, bins: Int32
    ) throws(VisionError) -> SVCVLikeness {
        var likeness = SVCVLikeness()
        try check { sv_cv_compare(handle, trained.handle, alignment.map, bins, &likeness, $0) }
        return likeness
    }
}

/// The appearance of an object to be recognised, for the algorithm `contours`.
final class TrainedAppearance: OpenCVObject {
    /// Extracts what is compared from a training picture.
    init(_ picture: BlobPicture, _ shape: ObjectShape, _ features: ClassifierSettings.Features) throws(VisionError) {
        try super.init { error in
            picture.withImage { sv_cv_trained_create($0.openCV, shape.handle, features.openCV, error) }
        }
    }

    /// Lack of contours within the outline, 0…1.
    var plainness: Double { sv_cv_appearance_plainness(handle) }
}

/// A possible position of a query's object on a trained one, and the evidence for it.
struct Alignment {
    var map = SVCVAlignment()
    var score = 0.0
}

/// The appearance of a picture for BeanCounter's algorithm.
final class ClassicAppearance: OpenCVObject {
    /// - Parameter picture: only the blob's box is used.
    init(_ picture: BlobPicture, _ settings: ClassifierSettings) throws(VisionError) {
        try super.init { error in
            picture.withImage {
                sv_cv_classic_create($0.cropped(to: picture.box).openCV, settings.bins, settings.features.openCV, error)
            }
        }
    }

    func distance(to trained: ClassicAppearance, histogramWeight: Double) throws(VisionError) -> Double {
        var distance = 0.0
        try check { sv_cv_classic_distance(handle, trained.handle, histogramWeight, &distance, $0) }
        return distance
    }
}
