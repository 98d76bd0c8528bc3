// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

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
