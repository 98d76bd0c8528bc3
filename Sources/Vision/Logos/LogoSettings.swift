// SPDX-License-Identifier: LGPL-2.1-or-later
/// Settings of logo detection.
package struct LogoSettings: Sendable, Hashable {
    /// Ways of verifying a candidate.
    package enum Verification: Int32, Sendable, CaseIterable {
        /// No verification: the five features decide.
        case none
        /// The candidate's outline with its holes is laid on the template's.
        case shape
        /// The candidate's ORB keypoints are compared with the template's.
        case orb
    }

    /// Factor by which frames are reduced before the search, at most 1; 0 for a shorter side of 240 pixels.
    package var scale = 0.0
    /// Number of levels over which MSER compares a region with itself.
    package var delta = 5
    /// Smallest and largest region of MSER, as shares of the frame's area.
    package var minArea = 0.001
    package var maxArea = 0.25
    /// Maximum change of a region's area between those levels (MSER).
    package var maxVariation = 0.25
    /// Maximum differences of each feature from the template's.
    package var tolerances = ShapeFeatures.Tolerances()
    /// Maximum sum of the ratios' differences.
    package var maxDistance = 0.3
    package var verification = Verification.shape
    /// Minimum likeness of candidate and template, 0…1.
    package var minLikeness = 0.78
    /// Minimum number of frames from one search of a whole frame to the next, if logos are followed.
    package var interval = 2
    /// True if logos are followed from frame to frame; if false, every frame is searched.
    package var track = true

    package init() {}

    /// Returns the factor by which a frame of this size is reduced.
    func scale(width: Int, height: Int) -> Double {
        if scale > 0 { return min(1, scale) }
        return min(1, 240 / Double(max(1, min(width, height))))
    }
}
