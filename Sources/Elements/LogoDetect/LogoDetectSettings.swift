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
            "template", \.template, "Image file of the logo, on a plain or transparent background", text: .file(.image)),
        Property(
            "templates", \.templates,
            "Folder of logo images, or several image files separated by commas; each logo is named after its file",
            text: .folder
        ),
        Property(
            "scale", \.logos.scale, in: 0...1,
            "Factor by which frames are scaled for the search (0 = so that the shorter side has 240 pixels)"),
        Property(
            "delta", \.logos.delta, in: 1...100, "Number of brightness levels over which a region must be stable (MSER)"
        ),
        Property("min-area", \.logos.minArea, in: 0...1, "Minimum area of a region, as a fraction of the frame's area"),
        Property("max-area", \.logos.maxArea, in: 0...1, "Maximum area of a region, as a fraction of the frame's area"),
        Property(
            "max-variation", \.logos.maxVariation, in: 0...1,
            "Maximum relative change of a region's area over the brightness levels that delta sets (MSER)"),
        Property(
            "max-holes-difference", \.logos.tolerances.holes, in: 0...100,
            "Maximum difference from the template in the number of holes"),
        Property(
            "hull-tolerance", \.logos.tolerances.hullRatio, in: 0...1,
            "Maximum difference from the template in the ratio of region area to area of the convex hull"),
        Property(
            "rectangle-tolerance", \.logos.tolerances.rectangleRatio, in: 0...1,
            "Maximum difference from the template in the ratio of region area to area of the smallest rectangle"),
        Property(
            "skeleton-tolerance", \.logos.tolerances.skeletonRatio, in: 0...1,
            "Maximum difference from the template in the ratio of skeleton length to region area"),
        Property(
            "contour-tolerance", \.logos.tolerances.contourRatio, in: 0...1,
            "Maximum difference from the template in the ratio of region area to area of the largest contour"),
        Property(
            "max-distance", \.logos.maxDistance, in: 0...4,
            "Maximum sum of the differences in all four ratios (hull, rectangle, skeleton and contour)"),
        Property("verify", \.logos.verification, "Verification of candidates"),
        Property(
            "min-likeness", \.logos.minLikeness, in: 0...1, "Minimum similarity of a verified candidate to the template"
        ),
        Property(
            "interval", \.logos.interval, in: 1...1000,
            "Number of frames between searches of the whole frame for untracked logos, with track=true"),
        Property(
            "track", \.logos.track, "Track logos from frame to frame with a constant id (false = search every frame)"),
        Property(
            "mode", \.mode, "Synchronous or asynchronous search of the whole frame; synchronous search delays the video"
        ),
        Property(
            "draw", \.draw,
            "Draw a green box around each logo, or a red border if no logo is detected; with several templates, "
                + "also draw names"),
        Property("fps", \.fps, "Show the frame rate", nick: "Frame rate"),
        Property("message", \.message, "When to post element messages with logos"),
        Property(
            "message-location", \.messageLocation,
            "File for a copy of the messages, as JSON lines (- = standard output, none = off)"),
    ]
}

extension LogoSettings.Verification: PropertyEnum {
    package static var typeName: String { "GstSvLogoVerification" }

    package static let members: [(value: Self, blurb: String)] = [
        (.none, "No verification: the shape features decide"),
        (.shape, "Compare the outline, including holes, with the template"),
        (.orb, "Compare ORB keypoints with the template"),
    ]
}
