// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// The appearance of an object in a frame, for the algorithm `contours`.
final class QueryAppearance: OpenCVObject {
    /// Extracts what is compared from a picture.
    init(_ picture: BlobPicture, outline: [Point], _ features: ClassifierSettings.Features) throws(VisionError) {
        try super.init { error in
            picture.withImage {
                sv_cv_query_create(
                    $0.openCV, outline.map(SVCVPoint.init), Int32(clamping: outline.count), features.openCV, error)
            }
        }
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
    init(_ picture: BlobPicture, outline: [Point], _ features: ClassifierSettings.Features) throws(VisionError) {
        try super.init { error in
            picture.withImage {
                sv_cv_trained_create(
                    $0.openCV, outline.map(SVCVPoint.init), Int32(clamping: outline.count), features.openCV, error)
            }
        }
    }
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
