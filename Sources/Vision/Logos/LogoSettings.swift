// SPDX-License-Identifier: LGPL-2.1-or-later
/// Settings of the logo detector and tracker.
package struct LogoSettings: Sendable, Hashable {
    /// Methods that verify a candidate.
    package enum Verification: Int32, Sendable, CaseIterable {
        /// No verification. The features decide.
        case none
        /// Compares the shape of the candidate, with its holes, with the shape of the template.
        case shape
        /// Compares the ORB keypoints of the candidate with the ORB keypoints of the template.
        case orb
    }

    /// Factor by which frames are reduced before the search, at most 1. 0 reduces the shorter side to at most 240
    /// pixels.
    package var scale = 0.0
    /// MSER delta: the number of levels between the two thresholds at which the areas of a region are compared.
    package var delta = 5
    /// `minArea`, `maxArea`: minimum and maximum area of a region, as fractions of the frame's area.
    package var minArea = 0.001
    package var maxArea = 0.25
    /// MSER maximum variation: the maximum relative change of a region's area over `delta` levels.
    package var maxVariation = 0.25
    /// Maximum differences between the features of a region and the features of a template.
    package var tolerances = ShapeFeatures.Tolerances()
    /// Maximum sum of the differences between the ratios of a region and of a template (`ShapeFeatures`).
    package var maxDistance = 0.3
    package var verification = Verification.shape
    /// Minimum likeness of a candidate to the template, 0…1.
    package var minLikeness = 0.78
    /// Minimum number of frames between two searches of a whole frame, if logos are tracked.
    package var interval = 2
    /// True if logos are tracked from frame to frame. If false, every frame is searched.
    package var track = true

    package init() {}

    /// Returns the factor by which a frame of this size is reduced.
    func scale(width: Int, height: Int) -> Double {
        if scale > 0 { return min(1, scale) }
        return min(1, 240 / Double(max(1, min(width, height))))
    }
}
