// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision
import KernelTypes

extension FaceMerge {
    struct Settings: ElementSettings {
        var partner = Assigned<String>()
        var partners = Assigned<String>()
        var detector = HumanDetector.auto
        var layout = Layout.replace
        var face: String? = "all"
        var preset = Preset.smooth
        // Nil means the value of the preset, so users can set `preset` and these properties in any order.
        var mode: BlendMode?
        var opacity: Double?
        var feather: Double?
        var matchColors: Bool?
        var smoothing: Double?
        var species: FaceSettings.SpeciesSet = [.human, .cat]
        var insetPosition = InsetPosition.topRight
        var insetSize = 0.35
        var selectEvery = ClockTime.zero
        var saveLocation: String? = "svfacemerge-%05d.png"
        var message = ReportPolicy.onChange
        var keys = true

        var merge: MergeSettings {
            var merge = preset.settings
            if let mode { merge.mode = mode }
            if let opacity { merge.opacity = opacity }
            if let feather { merge.feather = feather }
            if let matchColors { merge.matchColors = matchColors }
            if let smoothing { merge.smoothing = smoothing }
            return merge
        }
    }

    enum Layout: Int32, PropertyEnum {
        case replace, swap, pair, studio
        static let typeName = "GstSvMergeLayout"

        static let members: [(value: Self, blurb: String)] = [
            (.replace, "Merge each face in the video with the face from a partner image"),
            (.swap, "Exchange the two largest faces"),
            (.pair, "Show the hybrid of the two largest faces in a corner"),
            (.studio, "Show a large hybrid of two selected faces"),
        ]
    }

    enum Preset: Int32, PropertyEnum {
        case classic, smooth
        static let typeName = "GstSvMergePreset"
        var settings: MergeSettings { self == .classic ? .classic : .smooth }

        static let members: [(value: Self, blurb: String)] = [
            (.classic, "Rectangular faces in the blend mode multiply, as in the app ManyMasks"),
            (.smooth, "Ovals with soft edges, adapted colours and smoothed positions"),
        ]
    }

    enum InsetPosition: Int32, PropertyEnum {
        case topLeft, topRight, bottomLeft, bottomRight
        static let typeName = "GstSvInsetPosition"

        static let members: [(value: Self, blurb: String)] = [
            (.topLeft, "Top left corner"), (.topRight, "Top right corner"), (.bottomLeft, "Bottom left corner"),
            (.bottomRight, "Bottom right corner"),
        ]
    }

    static let properties: [Property<Settings>] = [
        Property(
            "partner", \.partner,
            "Image file; svfacemerge merges the largest face in the image with the faces in the video",
            nick: "Partner image", text: .file(.image)
        ),
        Property(
            "partners", \.partners, "Folder of partner images; each new face in the video gets the next image",
            nick: "Partner images", text: .folder),
        Property(
            "detector", \.detector,
            "Detector of human faces in image files; a change applies to files that are loaded later"),
        Property("layout", \.layout, "Layout of the output"),
        Property(
            "face", \.face,
            "Faces to merge: all, left, right, largest, or a number (1 = the leftmost face); the layouts swap and "
                + "pair merge this face with the largest other face", text: .words),
        Property("preset", \.preset, "Set of default values for other properties"),
        Property(
            "mode", \.mode, else: \.merge.mode, "Blend mode of the partner's face (f) over the face in the video (b)"),
        Property(
            "opacity", \.opacity, else: \.merge.opacity, in: 0...1, "Opacity of the hybrid",
            flags: .animated),
        Property(
            "feather", \.feather, else: \.merge.feather, in: 0...1,
            "Width of the hybrid's soft edge, as a fraction of the face's radius",
            flags: .animated),
        Property(
            "match-colors", \.matchColors, else: \.merge.matchColors,
            "Adapt the colours of the partner's face to the face in the video"),
        Property(
            "smoothing", \.smoothing, else: \.merge.smoothing, in: 0...1,
            "Smoothing of the positions of faces that move little (0 = off)", flags: .animated),
        Property("species", \.species, "Species of the faces to merge"),
        Property("inset-position", \.insetPosition, "Corner of the hybrid with layout=pair"),
        Property(
            "inset-size", \.insetSize, in: 0.05...1,
            "Height of the hybrid with layout=pair, as a fraction of the frame's shorter side", flags: .animated),
        Property(
            "select-every", \.selectEvery,
            "Interval between automatic steps (selections and merges) with layout=studio, in nanoseconds (0 = off); "
                + "keys, clicks and actions stop the steps"),
        Property(
            "save-location", \.saveLocation,
            "PNG file to which the key s writes the hybrid (%d or %05d = first free number, none = no file)"),
        Property("message", \.message, "When to post an element message about merged faces"),
        Property("keys", \.keys, "React to the keys 1, 2, m, s and c, and to clicks in the video window"),
    ]

    static let actions: [Action<FaceMerge>] = [
        Action(
            "select-face", "Select the largest face as face 1 or 2; returns false if there is no face",
            ActionArgument("slot")
        ) {
            (merge: FaceMerge, slot: UInt32) in merge.requests.select(slot)
        },
        Action("merge", "Merge the two selected faces; returns false if fewer than two faces are selected") {
            (merge: FaceMerge) in merge.requests.merge()
        },
        Action(
            "save", "Write the hybrid to this path as a PNG file; returns false if there is no hybrid",
            ActionArgument("path")
        ) {
            (merge: FaceMerge, path: String) in merge.requests.save(.file(path))
        },
        Action("clear", "Remove the hybrid and the selected faces") { (merge: FaceMerge) in merge.requests.reset() },
    ]
}
