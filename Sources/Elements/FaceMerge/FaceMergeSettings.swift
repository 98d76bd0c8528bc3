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
        // What a preset sets is nil until it is set itself, in whatever order.
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
            (.replace, "Each face is merged with its partner, in its place"),
            (.swap, "The two largest faces take each other's place"),
            (.pair, "The hybrid of the two largest faces is shown in a corner"),
            (.studio, "Two faces are chosen, their hybrid is shown large"),
        ]
    }

    enum Preset: Int32, PropertyEnum {
        case classic, smooth
        static let typeName = "GstSvMergePreset"
        var settings: MergeSettings { self == .classic ? .classic : .smooth }

        static let members: [(value: Self, blurb: String)] = [
            (.classic, "Rectangles multiplied, as ManyMasks does it"),
            (.smooth, "A soft oval in the face's light, which does not shake"),
        ]
    }

    enum InsetPosition: Int32, PropertyEnum {
        case topLeft, topRight, bottomLeft, bottomRight
        static let typeName = "GstSvInsetPosition"

        static let members: [(value: Self, blurb: String)] = [
            (.topLeft, "Upper left corner"), (.topRight, "Upper right corner"), (.bottomLeft, "Lower left corner"),
            (.bottomRight, "Lower right corner"),
        ]
    }

    static let properties: [Property<Settings>] = [
        Property(
            "partner", \.partner, "Picture file whose largest face the faces of the stream are merged with",
            text: .file(.image)
        ),
        Property(
            "partners", \.partners, "Folder of such pictures; each face that appears gets the next one", text: .folder),
        Property("detector", \.detector, "How human faces are found in pictures that are read from then on"),
        Property("layout", \.layout, "What becomes of the faces"),
        Property(
            "face", \.face,
            "Whose face is merged: all, left, right, largest, or a number from 1 on, counted from the left; where two are "
                + "merged, the first of them", text: .words),
        Property("preset", \.preset, "What the values below start from"),
        Property("mode", \.mode, else: \.merge.mode, "How the partner (f) is blended over the face (b)"),
        Property(
            "opacity", \.opacity, else: \.merge.opacity, in: 0...1, "Share of the hybrid in the output",
            flags: .animated),
        Property(
            "feather", \.feather, else: \.merge.feather, in: 0...1,
            "How much of the way from the middle to the edge of a face the hybrid takes to fade", flags: .animated),
        Property(
            "match-colors", \.matchColors, else: \.merge.matchColors, "The partner takes on the light of the face"),
        Property(
            "smoothing", \.smoothing, else: \.merge.smoothing, in: 0...1,
            "How steady a face is held that stands still; 0: as it was detected", flags: .animated),
        Property("species", \.species, "Whose faces of the stream are taken"),
        Property("inset-position", \.insetPosition, "Where layout=pair shows the hybrid"),
        Property(
            "inset-size", \.insetSize, in: 0.05...1,
            "Height of the hybrid in layout=pair, as a share of the frame's shorter side", flags: .animated),
        Property(
            "select-every", \.selectEvery,
            "Interval at which layout=studio takes its next step, in nanoseconds: first face, second, hybrid, none; "
                + "0 = never. It rests once somebody chooses by hand, until it is set to something else"),
        Property(
            "save-location", \.saveLocation,
            "PNG file for the key s; %d or %05d: the first free number; none: no file"),
        Property("message", \.message, "When to post element messages with the hybrids"),
        Property("keys", \.keys, "Listen to keys (1 2 m s c) and clicks in the video window"),
    ]

    static let actions: [Action<FaceMerge>] = [
        Action(
            "select-face", "Takes the largest face now into slot 1 or 2; answers whether there is one",
            ActionArgument("slot")
        ) {
            (merge: FaceMerge, slot: UInt32) in merge.requests.select(slot)
        },
        Action("merge", "Makes the hybrid of the two chosen faces; answers whether both are there") {
            (merge: FaceMerge) in merge.requests.merge()
        },
        Action(
            "save", "Writes the hybrid to this path as PNG; answers whether there is one", ActionArgument("path")
        ) {
            (merge: FaceMerge, path: String) in merge.requests.save(.file(path))
        },
        Action("clear", "Forgets hybrid and chosen faces") { (merge: FaceMerge) in merge.requests.reset() },
    ]
}
