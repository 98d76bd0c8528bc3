// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// ORB keypoints of the square of a shape (`ShapeSquare`).
struct SquareKeypoints: Sendable {
    private let keypoints: Keypoints

    init(_ image: Image) throws(VisionError) { keypoints = try Keypoints(gray: image, .orb) }

    /// A template needs at least this number of distinct keypoints. With fewer keypoints, similar corners are confused,
    /// so only a few views are recognized.
    static let minCount = 12

    /// Number of keypoints that differ from all other keypoints.
    var distinctCount: Int { keypoints.similarity(to: keypoints)?.count ?? 0 }

    /// Returns the likeness, 0…1: three times the fraction of these keypoints that agree with keypoints of `other` on
    /// the position of the logo, but at most 1. The factor is 3 because at most about a third of the keypoints can be
    /// expected to agree.
    func likeness(_ other: SquareKeypoints) -> Double {
        let agreeing = other.keypoints.similarity(to: keypoints)?.count ?? 0
        return keypoints.count > 0 ? min(1, 3 * Double(agreeing) / Double(keypoints.count)) : 0
    }
}
