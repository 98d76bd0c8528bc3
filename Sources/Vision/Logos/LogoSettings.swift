/// What logo detection looks for, and how closely.
package struct LogoSettings: Sendable, Hashable {
    /// How a candidate is looked at once more.
    package enum Verification: Int32, Sendable, CaseIterable {
        /// Not at all: the five features decide.
        case none
        /// Its outline, holes and all, is laid on the template's.
        case shape
        /// Its ORB keypoints are compared with the template's.
        case orb
    }

    /// What frames are reduced by before the search, at most 1; 0 for a shorter side of 240 pixels.
    package var scale = 0.0
    /// MSER: between how many levels a region is compared with itself.
    package var delta = 5
    /// MSER: the smallest and largest region, as shares of the frame's area.
    package var minArea = 0.001
    package var maxArea = 0.25
    /// MSER: how much of a region's area may change between those levels.
    package var maxVariation = 0.25
    /// By how much each feature may differ from the template's.
    package var tolerances = ShapeFeatures.Tolerances()
    /// The largest sum of the ratios' differences.
    package var maxDistance = 0.3
    package var verification = Verification.shape
    /// How alike candidate and template must be, 0…1.
    package var minLikeness = 0.78
    /// A whole frame is searched in every so-manieth frame at most, where logos are followed.
    package var interval = 2
    /// Whether logos are followed from frame to frame. If not, every frame is searched.
    package var track = true

    package init() {}

    /// What a frame of this size is reduced by.
    func scale(width: Int, height: Int) -> Double {
        if scale > 0 { return min(1, scale) }
        return min(1, 240 / Double(max(1, min(width, height))))
    }
}
