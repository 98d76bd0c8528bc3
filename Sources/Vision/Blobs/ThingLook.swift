import COpenCV
import Pixels

/// Owns an object of COpenCV. One thread at a time may use it.
class Owned {
    let handle: OpaquePointer
    private let free: (OpaquePointer?) -> Void

    init(
        free: @escaping (OpaquePointer?) -> Void, create: (UnsafeMutablePointer<CChar>) -> OpaquePointer?
    ) throws(VisionError) {
        var text = [CChar](repeating: 0, count: Int(sv_cv_error_size))
        guard let handle = create(&text) else { throw VisionError(description: message(text)) }
        self.handle = handle
        self.free = free
    }

    deinit {
        free(handle)
    }
}

/// A thing as it was seen once, for the algorithm `contours`.
final class SeenThing: Owned {
    init(_ picture: BlobPicture, outline: [Point], _ features: ClassifierSettings.Features) throws(VisionError) {
        let corners = outline.map { SVCVPoint(x: $0.x, y: $0.y) }
        try super.init(free: sv_cv_seen_free) { text in
            picture.withImage {
                sv_cv_seen_create($0.openCV, corners, Int32(clamping: corners.count), features.number, text)
            }
        }
    }
}

/// A thing to be recognised, for the algorithm `contours`.
final class KnownThing: Owned {
    init(_ picture: BlobPicture, outline: [Point], _ features: ClassifierSettings.Features) throws(VisionError) {
        let corners = outline.map { SVCVPoint(x: $0.x, y: $0.y) }
        try super.init(free: sv_cv_known_free) { text in
            picture.withImage {
                sv_cv_known_create($0.openCV, corners, Int32(clamping: corners.count), features.number, text)
            }
        }
    }
}

/// A possible position of a seen thing on a known one, and the evidence for it.
struct Alignment {
    var map = SVCVAlignment()
    var score = 0.0
}

extension SeenThing {
    /// Returns the rotation at which the contours of both correlate best.
    func aligned(byContoursTo known: KnownThing) throws(VisionError) -> Alignment {
        var alignment = Alignment()
        try check { sv_cv_align_contours(handle, known.handle, &alignment.map, &alignment.score, $0) }
        return alignment
    }

    /// Returns the position where most keypoints match; nil if too few do.
    func aligned(byKeypointsTo known: KnownThing) throws(VisionError) -> Alignment? {
        var alignment = Alignment()
        try check { sv_cv_align_keypoints(handle, known.handle, &alignment.map, &alignment.score, $0) }
        return alignment.score > 0 ? alignment : nil
    }

    /// Returns how similar both are when aligned this way.
    func compared(to known: KnownThing, _ alignment: Alignment, bins: Int32) throws(VisionError) -> SVCVLikeness {
        var likeness = SVCVLikeness()
        try check { sv_cv_compare(handle, known.handle, alignment.map, bins, &likeness, $0) }
        return likeness
    }
}

/// A picture as BeanCounter's algorithm sees it.
final class ClassicLook: Owned {
    /// - Parameter picture: only the blob's box is used.
    init(_ picture: BlobPicture, _ settings: ClassifierSettings) throws(VisionError) {
        let box = picture.box
        try super.init(free: sv_cv_classic_free) { text in
            picture.withImage {
                sv_cv_classic_create($0.cropped(to: box).openCV, settings.bins, settings.features.number, text)
            }
        }
    }

    func distance(to known: ClassicLook, histogramWeight: Double) throws(VisionError) -> Double {
        var distance = 0.0
        try check { sv_cv_classic_distance(handle, known.handle, histogramWeight, &distance, $0) }
        return distance
    }
}
