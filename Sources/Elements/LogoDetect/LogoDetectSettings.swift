import ElementKit
import Vision

extension LogoDetect {
    struct Settings: ElementSettings {
        var template = FilePath()
        var templates = FilePath()
        var scale = usual.scale
        var delta = UInt32(usual.delta)
        var minArea = usual.minArea
        var maxArea = usual.maxArea
        var maxVariation = usual.maxVariation
        var maxHolesDifference = UInt32(usual.tolerances.holes)
        var hullTolerance = usual.tolerances.hullRatio
        var rectangleTolerance = usual.tolerances.rectangleRatio
        var skeletonTolerance = usual.tolerances.skeletonRatio
        var contourTolerance = usual.tolerances.contourRatio
        var maxDistance = usual.maxDistance
        var verify = LogoSettings.Verification.shape
        var minLikeness = usual.minLikeness
        var interval = UInt32(usual.interval)
        var track = usual.track
        var mode = SearchMode.auto
        var draw = true
        var fps = false
        var message = ReportPolicy.onChange

        private static let usual = LogoSettings()

        /// The settings for the detector.
        var logos: LogoSettings {
            var logos = LogoSettings()
            logos.scale = scale
            logos.delta = Int(delta)
            logos.minArea = minArea
            logos.maxArea = maxArea
            logos.maxVariation = maxVariation
            logos.tolerances.holes = Int(maxHolesDifference)
            logos.tolerances.hullRatio = hullTolerance
            logos.tolerances.rectangleRatio = rectangleTolerance
            logos.tolerances.skeletonRatio = skeletonTolerance
            logos.tolerances.contourRatio = contourTolerance
            logos.maxDistance = maxDistance
            logos.verification = verify
            logos.minLikeness = minLikeness
            logos.interval = Int(interval)
            logos.track = track
            return logos
        }
    }

    static let properties: [Property<Settings>] = [
        .file(
            "template", \.template, nick: "Template",
            blurb: "Picture file of the logo, on a plain or transparent ground"),
        .file(
            "templates", \.templates, nick: "Templates",
            blurb: "Folder of such pictures; each logo has the name of its file"),
        .double(
            "scale", \.scale, in: 0...1, nick: "Scale",
            blurb: "Factor by which frames are reduced before the search; 0: to 240 pixels along the shorter side",
            flags: .mutablePlaying),
        .uint(
            "delta", \.delta, in: 1...100, nick: "Delta",
            blurb: "Levels between which a region must be stable (MSER)", flags: .mutablePlaying),
        .double(
            "min-area", \.minArea, in: 0...1, nick: "Minimum area",
            blurb: "Smallest region, as a share of the frame's area", flags: .mutablePlaying),
        .double(
            "max-area", \.maxArea, in: 0...1, nick: "Maximum area",
            blurb: "Largest region, as a share of the frame's area", flags: .mutablePlaying),
        .double(
            "max-variation", \.maxVariation, in: 0...1, nick: "Maximum variation",
            blurb: "How much of its area a region may gain or lose between those levels (MSER)", flags: .mutablePlaying),
        .uint(
            "max-holes-difference", \.maxHolesDifference, in: 0...100, nick: "Maximum holes difference",
            blurb: "How many holes more or fewer than the template a candidate may have", flags: .mutablePlaying),
        .double(
            "hull-tolerance", \.hullTolerance, in: 0...1, nick: "Hull tolerance",
            blurb: "By how much area / convex hull's area may differ from the template's", flags: .mutablePlaying),
        .double(
            "rectangle-tolerance", \.rectangleTolerance, in: 0...1, nick: "Rectangle tolerance",
            blurb: "By how much area / smallest rectangle's area may differ from the template's",
            flags: .mutablePlaying),
        .double(
            "skeleton-tolerance", \.skeletonTolerance, in: 0...1, nick: "Skeleton tolerance",
            blurb: "By how much skeleton length / area may differ from the template's", flags: .mutablePlaying),
        .double(
            "contour-tolerance", \.contourTolerance, in: 0...1, nick: "Contour tolerance",
            blurb: "By how much area / largest contour's area may differ from the template's", flags: .mutablePlaying),
        .double(
            "max-distance", \.maxDistance, in: 0...4, nick: "Maximum distance",
            blurb: "Largest sum of those four differences", flags: .mutablePlaying),
        .enumeration("verify", \.verify, nick: "Verify", blurb: "How candidates are looked at once more"),
        .double(
            "min-likeness", \.minLikeness, in: 0...1, nick: "Minimum likeness",
            blurb: "What a verified candidate must reach to be the logo", flags: .mutablePlaying),
        .uint(
            "interval", \.interval, in: 1...1000, nick: "Interval",
            blurb: "With track the whole frame is searched every so many frames, for logos that are not followed",
            flags: .mutablePlaying),
        .boolean(
            "track", \.track, nick: "Track",
            blurb: "Follow logos from frame to frame, with one id; if not, every frame is searched"),
        .enumeration("mode", \.mode, nick: "Mode", blurb: "Whether the stream waits for searches of the whole frame"),
        .boolean(
            "draw", \.draw, nick: "Draw", blurb: "Draw a green box around each logo, a red frame if there is none"),
        .boolean("fps", \.fps, nick: "Frame rate", blurb: "Show how many frames arrive in a second"),
        .enumeration("message", \.message, nick: "Message", blurb: "When to post element messages with the logos"),
    ]
}

extension LogoSettings.Verification: PropertyEnum {
    package static var typeName: String { "GstSvLogoVerification" }

    package var blurb: String {
        switch self {
        case .none: "The five features alone decide"
        case .shape: "The candidate's outline, holes and all, is laid on the template's"
        case .orb: "The candidate's ORB keypoints are compared with the template's"
        }
    }
}
