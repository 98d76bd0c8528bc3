// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

extension LogoDetect {
    struct Settings: SnapshotSettings {
        var template = Assigned<String>()
        var templates = Assigned<String>()
        /// The settings for the detector.
        var logos = LogoSettings()
        var mode = SearchMode.auto
        var draw = true
        var fps = false
        var regions = false
        var force = false
        var message = ReportPolicy.onChange
        var messageLocation = Assigned<String>()
        var snapshotLocation: String?

        var postsMessages: Bool { message != .none }
    }

    static let properties: [Property<Settings>] = [
        Property(
            "template", \.template,
            "Image file of the logo, on a plain or transparent background", text: .file(.image)),
        Property(
            "templates", \.templates,
            "Folder of logo images, or image files separated by commas. The file name of an image is the name of the "
                + "logo",
            text: .folder
        ),
        Property(
            "scale", \.logos.scale, in: 0...1,
            "Scaling factor of the frame before the search, such as 0.5 for half the size (0 = reduce the shorter side "
                + "to 240 pixels)"),
        Property(
            "delta", \.logos.delta, in: 1...100, "Number of brightness levels over which a region must be stable (MSER)"
        ),
        Property("min-area", \.logos.minArea, in: 0...1, "Minimum area of a region, as a fraction of the frame's area"),
        Property("max-area", \.logos.maxArea, in: 0...1, "Maximum area of a region, as a fraction of the frame's area"),
        Property(
            "max-variation", \.logos.maxVariation, in: 0...1,
            "Maximum change of a region's area, as a fraction of the area, if the brightness threshold changes by "
                + "delta levels (MSER)"),
        Property(
            "max-holes-difference", \.logos.tolerances.holes, in: 0...100,
            "Maximum difference between the numbers of holes in a region and in the template"),
        Property(
            "hull-tolerance", \.logos.tolerances.hullRatio, in: 0...1,
            "Maximum difference between the hull ratios of a region and of the template (hull ratio = area / area of "
                + "the convex hull)"),
        Property(
            "rectangle-tolerance", \.logos.tolerances.rectangleRatio, in: 0...1,
            "Maximum difference between the rectangle ratios of a region and of the template (rectangle ratio = area / "
                + "area of the smallest rectangle around the region)"),
        Property(
            "skeleton-tolerance", \.logos.tolerances.skeletonRatio, in: 0...1,
            "Maximum difference between the skeleton ratios of a region and of the template (skeleton ratio = length "
                + "of the skeleton / area)"),
        Property(
            "contour-tolerance", \.logos.tolerances.contourRatio, in: 0...1,
            "Maximum difference between the contour ratios of a region and of the template (contour ratio = area / "
                + "area with filled holes)"),
        Property(
            "max-distance", \.logos.maxDistance, in: 0...4,
            "Maximum distance between a region and the template. The distance is the sum of the differences in hull "
                + "ratio, rectangle ratio, skeleton ratio and contour ratio"),
        Property("verify", \.logos.verification, "Method that verifies candidate regions"),
        Property(
            "min-likeness", \.logos.minLikeness, in: 0...1,
            "Minimum likeness between a candidate and the template"),
        Property(
            "interval", \.logos.interval, in: 1...1000,
            "Interval between searches of the whole frame for new logos, in frames (1 = every frame; used only with "
                + "track=true)"),
        Property(
            "track", \.logos.track,
            "Track each logo from frame to frame, with a constant id (false = search the whole of every frame)"),
        Property(
            "mode", \.mode,
            "Mode of the search: the video waits for the search (sync), does not wait (async), or waits unless the "
                + "source is live (auto)"),
        Property(
            "draw", \.draw,
            "Draw a green box around each logo, and a red box around a frame without logos. If there are several "
                + "templates, also draw the names of logos"),
        Property("fps", \.fps, "Draw the frame rate over the video", nick: "Frame rate"),
        Property(
            "regions", \.regions, "Draw the number of regions (MSER) over the video, beside the frame rate"),
        Property(
            "force", \.force,
            "Also use templates that look like plain shapes (used only with verify=shape; false = ignore these "
                + "templates)"),
        Property("message", \.message, "When to post element messages about logos"),
        Property(
            "message-location", \.messageLocation,
            "File for a copy of the messages, as JSON lines (- = standard output, none = off)"),
        .snapshotLocation,
    ]
}

extension LogoSettings.Verification: PropertyEnum {
    package static var typeName: String { "GstSvLogoVerification" }

    package static let members: [(value: Self, blurb: String)] = [
        (.none, "No verification"),
        (.shape, "Compare outline, inner edges and colours with the template"),
        (.orb, "Compare ORB keypoints with the template"),
    ]
}
