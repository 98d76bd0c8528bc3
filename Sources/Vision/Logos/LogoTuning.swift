// SPDX-License-Identifier: LGPL-2.1-or-later

/// Constants for the detection of logos. Lengths are fractions of the logo's longer side, unless another unit is named.
enum LogoTuning {
    // MARK: Regions, in pixels of the reduced image

    /// Images with a smaller side, in pixels, are not searched, because OpenCV's MSER search does not accept them.
    static let minSide = 3
    /// Two regions are the same if their intersection over union exceeds `sameBox`, and the ratio of the smaller to the
    /// larger area exceeds `sameArea`.
    static let (sameBox, sameArea) = (0.8, 0.7)
    /// The levels of a region's surroundings are measured in a ring of this width around the region.
    static let ring = 5
    /// Regions whose likeness to a template is at least `minRegionLikeness` propose a pose. This limit is below
    /// `min-likeness`, because the pose is verified. At most `maxRegionPoses` poses per template are verified, because
    /// walls of letters have many similar regions.
    static let (minRegionLikeness, maxRegionPoses) = (0.6, 6)

    // MARK: Templates

    /// Longer side of the image in which the edges of a template are measured, in pixels. Finer edges are not visible
    /// in frames.
    static let side = 96
    /// Longer side of the image in which the keypoints of a template are detected, in pixels. It is near the size of
    /// logos in frames, because the smallest keypoints of larger images do not appear there.
    static let keypointSide = 160
    /// Two colours are the same if all channels differ by at most this number of levels.
    static let sameColor: Float = 16
    /// Maximum numbers of edge points and colour samples. More points take longer, and do not change the results.
    static let (maxOutlinePoints, maxInnerPoints, maxSamples) = (140, 120, 64)
    /// With fewer edge points inside the logo, only the outline is compared, because few points match by chance.
    static let minInnerPoints = 8
    /// Minimum change per pixel of alpha, and of the luma inside of the logo. Smaller changes are noise.
    static let (minAlphaSlope, minInnerSlope) = (0.04, 8.0)

    // MARK: Views

    /// Maximum length of the shorter side of the largest image for verification, in pixels.
    static let viewSide = 480.0
    /// Poses are verified in an image in which the logo is at least this long, in pixels, and at most twice as long.
    static let seenSize = 60.0
    static let maxLevel = 4

    // MARK: Refinement of poses

    /// Search distances of the passes of the rough alignment, which estimates an affine map. The first distance is the
    /// error of a pose from one keypoint at a tilt of 40 degrees.
    static let roughReaches = [0.14, 0.12, 0.10, 0.08]
    /// Minimum score after the rough alignment. In test frames with inserted logos, 6 % of the wrong poses reached this
    /// score. The lowest score of a logo was 0.30.
    static let minRoughScore = 0.15
    /// Search distances of the passes of the fine alignment, which also estimates the perspective.
    static let fineReaches = [0.06, 0.05, 0.04, 0.025]
    /// Number of steps of the search for an edge, on each side of an edge point.
    static let steps = 8
    /// Edges are ignored below the first contrast, in levels, and have the full weight from the second contrast on.
    static let edgeContrast: (low: Float, high: Float) = (6, 26)
    /// Weights that keep the parameters of a pose near their previous values, relative to the weight of an edge point.
    static let stiffness = (linear: 0.6, position: 0.1, perspective: 8.0)
    /// Edges at this fraction of the search distance from the fitted pose lose most of their weight.
    static let robustReach = 0.3

    // MARK: Verification

    /// Minimum score of a pose. In 200 photographs without logos, one pose scored 0.53, and the others up to 0.46. In
    /// images with other logos of one colour, poses score up to 0.5. Most logos of which a third is covered score 0.5 or
    /// more.
    static let minScore = 0.5
    /// An edge point agrees if the cosine of twice the angle between its normal and the gradient exceeds this value.
    static let minAlignment = 0.3
    /// The minimum score of a tracked logo is lower by this value, because its position is known approximately.
    static let trackingBonus = 0.08
    /// A score of `minScore` is reported as this likeness, which is the default of `min-likeness`.
    static let minLikeness = 0.78
    /// Distance between the outline and the colour samples on both sides of it.
    static let sideDistance = 0.025
    /// `maxColorDifference`: maximum difference between an expected and a measured colour. `minContrast`: minimum
    /// difference across the outline. In levels.
    static let (maxColorDifference, minContrast): (Float, Float) = (32, 20)
    /// Levels that are added before ratios of colours are computed, so that dark colours have stable ratios.
    static let darkLevel: Float = 8
    /// Light may change the brightness by a factor up to e^`light`, and a channel relative to the brightness by up to
    /// e^`tint`. Larger changes reduce the score.
    static let (light, tint) = (0.7, 0.25)
    /// Minimum ratio of the shorter to the longer axis of a tilted square.
    static let minTilted = 0.33
    /// Two logos with a larger intersection over union are at the same place.
    static let samePlace = 0.35
    /// Maximum fraction of a logo's edge points outside of the frame. These points count as points that do not agree,
    /// with the weight `outsideWeight`. Otherwise, the few points inside of the frame could agree by chance.
    static let (maxOutside, outsideWeight) = (0.5, 0.5)

    // MARK: Keypoints

    /// Maximum length of the shorter side of the image in which the keypoints of a frame are detected, in pixels. In
    /// smaller images, the details of logos with a length of 60 pixels have no keypoints.
    static let keypointViewSide = 480.0
    /// Limits for keypoints of frames and templates. The minimum contrast is low, because corners of blurred logos are
    /// faint. With 1500 keypoints, a textured background leaves too few for the logo. More keypoints take longer, and do
    /// not change the results.
    static let frameKeypoints = KeypointLimits(count: 2000, contrast: 8, border: 19)
    static let templateKeypoints = KeypointLimits(count: 200, contrast: 8, border: 19)
    /// Maximum number of poses per template that keypoints propose. In most tests, the first pose is near the logo.
    static let maxKeypointPoses = 14
    /// Minimum length of the logo in a proposed pose, in pixels of the frame, and maximum as a multiple of the frame's
    /// longer side.
    static let (minLength, maxLength) = (14.0, 1.6)
    /// Poses that differ less than this are the same.
    static let samePose = 0.12
    /// The best `maxPairs` pairs of keypoints support each other if their poses differ less than `supportReach`. Each of
    /// at most `maxSupport` supporters reduces the ratio of a pair's distances by `supportWeight`.
    static let (maxPairs, maxSupport, supportReach, supportWeight) = (300, 4, 0.2, 0.05)
    /// Two detections of a template show the same logo if their intersection exceeds this fraction of the smaller box.
    static let sameLogo = 0.3
    /// Number of frames between two keypoint searches, and between two searches for more instances of visible logos.
    static let (keypointInterval, instanceInterval) = (24, 48)
    /// Keypoints are searched earlier if the mean difference from the last searched frame is at least this, in levels.
    static let changedLevels = 12
    /// Maximum number of instances of a template.
    static let maxInstances = 8

    // MARK: Quality of templates

    /// A plain shape is similar to a template if its score is at least `plainScore`. The weight of an edge point is 1
    /// minus its agreement with the similar shapes, and at least `minWeight`. With a lower minimum weight, few points
    /// decide.
    static let (plainScore, minWeight) = (0.2, 0.3)
    /// From `poorConfusion` on, a template gets a warning; from `uselessConfusion` on, it is refused. Confusion is the
    /// score of the template on plain shapes and strokes of letters.
    static let (poorConfusion, uselessConfusion) = (0.4, 0.8)
    /// The minimum score of a pose is at least the template's score on plain shapes plus `confusionMargin`, but at most
    /// `maxMinScore`.
    static let (confusionMargin, maxMinScore) = (0.2, 0.85)
    /// With fewer keypoints, a logo on a patterned background is often missed.
    static let fewKeypoints = 40
}
