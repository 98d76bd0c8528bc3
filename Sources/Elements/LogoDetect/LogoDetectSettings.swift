// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

extension LogoDetect {
    struct Settings: ElementSettings {
        var template = Assigned<String>()
        var templates = Assigned<String>()
        /// The settings for the detector.
        var logos = LogoSettings()
        var mode = SearchMode.auto
        var draw = true
        var fps = false
        var message = ReportPolicy.onChange
        var messageLocation = Assigned<String>()
    }

    static let properties: [Property<Settings>] = [
        Property(
            "template", \.template, "Picture file of the logo, on a plain or transparent ground", text: .file(.image)),
        Property(
            "templates", \.templates,
            "Folder of such pictures, or several with commas between; each logo has the name of its file", text: .folder
        ),
        Property(
            "scale", \.logos.scale, in: 0...1,
            "Factor by which frames are reduced before the search; 0: to 240 pixels along the shorter side"),
        Property("delta", \.logos.delta, in: 1...100, "Levels between which a region must be stable (MSER)"),
        Property("min-area", \.logos.minArea, in: 0...1, "Smallest region, as a share of the frame's area"),
        Property("max-area", \.logos.maxArea, in: 0...1, "Largest region, as a share of the frame's area"),
        Property(
            "max-variation", \.logos.maxVariation, in: 0...1,
            "How much of its area a region may gain or lose between those levels (MSER)"),
        Property(
            "max-holes-difference", \.logos.tolerances.holes, in: 0...100,
            "How many holes more or fewer than the template a candidate may have"),
        Property(
            "hull-tolerance", \.logos.tolerances.hullRatio, in: 0...1,
            "By how much area / convex hull's area may differ from the template's"),
        Property(
            "rectangle-tolerance", \.logos.tolerances.rectangleRatio, in: 0...1,
            "By how much area / smallest rectangle's area may differ from the template's"),
        Property(
            "skeleton-tolerance", \.logos.tolerances.skeletonRatio, in: 0...1,
            "By how much skeleton length / area may differ from the template's"),
        Property(
            "contour-tolerance", \.logos.tolerances.contourRatio, in: 0...1,
            "By how much area / largest contour's area may differ from the template's"),
        Property("max-distance", \.logos.maxDistance, in: 0...4, "Largest sum of those four differences"),
        Property("verify", \.logos.verification, "How candidates are looked at once more"),
        Property("min-likeness", \.logos.minLikeness, in: 0...1, "What a verified candidate must reach to be the logo"),
        Property(
            "interval", \.logos.interval, in: 1...1000,
            "With track the whole frame is searched every so many frames, for logos that are not followed"),
        Property(
            "track", \.logos.track, "Follow logos from frame to frame, with one id; if not, every frame is searched"),
        Property("mode", \.mode, "Whether the stream waits for searches of the whole frame"),
        Property(
            "draw", \.draw,
            "Draw a green box around each logo, with its name if there are several, a red frame if there is none"),
        Property("fps", \.fps, "Show how many frames arrive in a second", nick: "Frame rate"),
        Property("message", \.message, "When to post element messages with the logos"),
        Property(
            "message-location", \.messageLocation,
            "File to which messages are written, too, as lines of JSON; -: the standard output; none: nowhere"),
    ]
}

extension LogoSettings.Verification: PropertyEnum {
    package static var typeName: String { "GstSvLogoVerification" }

    package static let members: [(value: Self, blurb: String)] = [
        (.none, "The five features alone decide"),
        (.shape, "The candidate's outline, holes and all, is laid on the template's"),
        (.orb, "The candidate's ORB keypoints are compared with the template's"),
    ]
}
