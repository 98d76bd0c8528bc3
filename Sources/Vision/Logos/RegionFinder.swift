// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Finds maximally stable extremal regions. One thread at a time may use it.
final class RegionFinder: OpenCVObject {
    init() throws(VisionError) {
        try super.init { sv_cv_region_finder_create($0) }
    }

    func regions(in plane: Image, _ search: SVCVRegionSearch) throws(VisionError) -> [SVCVRegion] {
        guard !plane.isEmpty else { return [] }
        return Array(try lent { sv_cv_region_finder_find(handle, plane.openCV, search, $0, $1, $2) })
    }

    /// Fills the square with a region of the last search.
    /// - Returns: false if the region cannot be mapped to a square.
    func fill(_ square: ShapeSquare, with index: Int) throws(VisionError) -> Bool {
        var isSquare = false
        try check {
            sv_cv_region_square(
                handle, Int32(clamping: index), Int32(ShapeSquare.margin), square.mask.image.openCV,
                square.gray.image.openCV, &isSquare, $0)
        }
        return isSquare
    }
}

/// ORB keypoints of a square.
struct SquareKeypoints: Sendable {
    private let keypoints: Keypoints

    init(_ image: Image) throws(VisionError) { keypoints = try Keypoints(gray: image, .orb) }

    /// Minimum number of distinct keypoints. With fewer, hardly any view is recognised: similar corners are confused.
    static let least = 12

    /// Number of keypoints that are unlike all others.
    var distinctCount: Int { keypoints.similarity(to: keypoints)?.count ?? 0 }

    /// Returns the fraction of keypoints of `seen` that agree with these on the logo's place, 0…1: one third of these is the best
    /// that can be expected, and counts as 1.
    func likeness(_ seen: SquareKeypoints) -> Double {
        let agreeing = seen.keypoints.similarity(to: keypoints)?.count ?? 0
        return keypoints.count > 0 ? min(1, 3 * Double(agreeing) / Double(keypoints.count)) : 0
    }
}
