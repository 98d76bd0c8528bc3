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

    /// Longer side of the image in which the edges of a template are measured, in pixels. Finer edges are not visible in
    /// frames.
    static let side = 96
    /// Longer side of the image in which the keypoints of a template are detected, in pixels. It is near the size of
    /// logos in frames, because the smallest keypoints of larger images do not appear there.
    static let keypointSide = 160
    /// Two colours are the same if all channels differ by at most this number of levels.
    static let sameColor: Float = 16
    /// Maximum number of points. More points take longer, and do not change the results.
    static let (maxOutlinePoints, maxInnerPoints, maxSamples) = (140, 120, 64)
    /// With fewer points inside, only the outline is compared, because few points match by chance.
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
    /// Minimum score after the rough alignment. In composites, 6 % of the poses of other things reach it; the lowest score
    /// of a logo was 0.30.
    static let minRoughScore = 0.15
    /// Search distances of the passes of the fine alignment, which also estimates the perspective.
    static let fineReaches = [0.06, 0.05, 0.04, 0.025]
    /// Number of steps of the search on each side.
    static let steps = 8
    /// Edges are ignored below the first contrast, in levels, and have the full weight from the second contrast on.
    static let edgeContrast: (low: Float, high: Float) = (6, 26)
    /// Weights that hold each parameter near its value, relative to one edge point: linear part, position, perspective.
    static let stiffness = (linear: 0.6, position: 0.1, perspective: 8.0)
    /// Edges at this fraction of the search distance from the fitted pose lose most of their weight.
    static let robustReach = 0.3

    // MARK: Verification

    /// Minimum score of a pose, for logos with edges inside and for logos without. In photographs without logos, poses of
    /// logos with edges inside score up to 0.39, and poses of logos with one colour up to 0.54.
    static let (minScore, minPlainScore) = (0.42, 0.55)
    /// Minimum of each part of the score, because a pose that fails in one part is not the logo.
    static let minPart = 0.1
    /// An edge point agrees if the cosine of twice the angle between the edge and the frame's gradient exceeds this value.
    static let minAlignment = 0.3
    /// A tracked logo needs less evidence, because its position is expected.
    static let trackingBonus = 0.08
    /// A score of `minScore` is reported as this likeness, which is the default of `min-likeness`.
    static let minLikeness = 0.78
    /// Distance of the samples on both sides of the outline.
    static let sideDistance = 0.025
    /// Maximum difference between an expected and a seen colour, and minimum difference across the outline, in levels.
    static let (maxColorDifference, minContrast): (Float, Float) = (32, 20)
    /// Levels that are added before ratios of colours are computed, so that dark colours have stable ratios.
    static let darkLevel: Float = 8
    /// Without a penalty, light changes all channels by a factor up to e^light, and one channel by e^tint.
    static let (light, tint) = (0.7, 0.25)
    /// Minimum ratio of the shorter to the longer axis of a tilted square.
    static let minTilted = 0.33
    /// Two logos with a larger intersection over union are at the same place.
    static let samePlace = 0.5
    /// Maximum fraction of a logo's edge points outside of the frame. Such a point counts as this part of a point that does
    /// not agree, because a few points can agree by chance.
    static let (maxOutside, outsideWeight) = (0.5, 0.5)

    // MARK: Keypoints

    /// Maximum length of the shorter side of the image in which the keypoints of a frame are detected, in pixels.
    static let keypointViewSide = 336.0
    /// Limits for frames and templates. The contrast is low, because corners of blurred logos are faint. More keypoints
    /// take longer, and do not change the results.
    static let frameKeypoints = KeypointLimits(count: 1000, contrast: 8, border: 19)
    static let templateKeypoints = KeypointLimits(count: 200, contrast: 8, border: 19)
    /// Maximum number of poses per template that keypoints propose. In most composites, the first pose is near the logo.
    static let maxKeypointPoses = 20
    /// Minimum length of the logo in a proposed pose, in pixels of the frame, and maximum as a multiple of the frame's
    /// longer side.
    static let (minLength, maxLength) = (14.0, 1.6)
    /// Poses that differ less than this are the same.
    static let samePose = 0.12
    /// Two detections of a template show the same logo if the intersection is more than this fraction of the smaller box.
    static let sameLogo = 0.3
    /// Number of frames between two searches by keypoints, and between two searches for more instances of visible logos.
    static let (keypointInterval, instanceInterval) = (24, 48)
    /// Keypoints are searched earlier if the mean difference from the last searched frame reaches this number of levels.
    static let changedLevels = 12
    /// Maximum number of instances of a template.
    static let maxInstances = 8

    // MARK: Quality of templates

    /// A plain shape is similar to a template if its score is at least `plainScore`. The weight of an edge point is 1 minus
    /// its agreement with the similar shapes, and at least `minWeight`. With a lower minimum weight, few points decide.
    static let (plainScore, minWeight) = (0.2, 0.3)
    /// From `poorConfusion` on, a template gets a warning; from `uselessConfusion` on, it is refused. Confusion is the
    /// score of the template on plain shapes and strokes of letters.
    static let (poorConfusion, uselessConfusion) = (0.4, 0.8)
    /// A template needs this much more than its score on plain shapes, but at most `maxMinScore`.
    static let (confusionMargin, maxMinScore) = (0.2, 0.85)
    /// With fewer keypoints, a logo on a patterned background is often missed.
    static let fewKeypoints = 40
}
