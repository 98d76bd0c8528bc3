// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision
import KernelTypes

extension FaceMerge {
    struct Settings: SnapshotSettings {
        var partner = Assigned<String>()
        var partners = Assigned<String>()
        var partnerFace: String? = "largest"
        var partnerPoints: String?
        var ears = true
        var detector = HumanDetector.auto
        var layout = Layout.replace
        var face: String? = "all"
        var preset = Preset.smooth
        // If one of the following values is nil, the value of the preset applies. So users can set `preset` and these
        // properties in any order.
        var mode: BlendMode?
        var opacity: Double?
        var feather: Double?
        var matchColors: Bool?
        var smoothing: Double?
        var species: FaceSettings.SpeciesSet = [.human, .cat]
        var insetPosition = InsetPosition.auto
        var insetSize = 0.35
        var selectEvery = ClockTime.zero
        var saveLocation: String? = "svfacemerge-%05d.png"
        var message = ReportPolicy.onChange
        var keys = true
        var snapshotLocation: String?

        var postsMessages: Bool { message != .none }

        var merge: MergeSettings {
            var merge = preset.settings
            if let mode { merge.mode = mode }
            if let opacity { merge.opacity = opacity }
            if let feather { merge.feather = feather }
            if let matchColors { merge.matchColors = matchColors }
            if let smoothing { merge.smoothing = smoothing }
            merge.hasEars = ears
            return merge
        }
    }

    enum Layout: Int32, PropertyEnum {
        case replace, swap, pair, studio
        static let typeName = "GstSvMergeLayout"

        static let members: [(value: Self, blurb: String)] = [
            (.replace, "Merge each face in the video with the face from a partner image"),
            (.swap, "Exchange the two largest faces"),
            (.pair, "Merge the two largest faces, and show the merged face in a corner"),
            (.studio, "Merge two selected faces, and show a large image of the merged face"),
        ]
    }

    enum Preset: Int32, PropertyEnum {
        case classic, smooth
        static let typeName = "GstSvMergePreset"
        var settings: MergeSettings { self == .classic ? .classic : .smooth }

        static let members: [(value: Self, blurb: String)] = [
            (.classic, "Merge the rectangles around faces with the blend mode multiply, as in the app ManyMasks"),
            (.smooth, "Merge ovals in faces, with soft edges, adapted colours and smoothed positions"),
        ]
    }

    enum InsetPosition: Int32, PropertyEnum {
        case topLeft, topRight, bottomLeft, bottomRight, auto
        static let typeName = "GstSvInsetPosition"

        static let members: [(value: Self, blurb: String)] = [
            (.topLeft, "Top left corner"), (.topRight, "Top right corner"), (.bottomLeft, "Bottom left corner"),
            (.bottomRight, "Bottom right corner"), (.auto, "A place where the inset covers no face"),
        ]

        /// The possible positions of the inset, as fractions of the free width and height.
        var places: [(x: Double, y: Double)] {
            switch self {
            case .topLeft: [(0, 0)]
            case .topRight: [(1, 0)]
            case .bottomLeft: [(0, 1)]
            case .bottomRight: [(1, 1)]
            case .auto: [(1, 0), (0, 0), (1, 1), (0, 1), (0.5, 0), (0.5, 1), (1, 0.5), (0, 0.5)]
            }
        }
    }

    static let properties: [Property<Settings>] = [
        Property(
            "partner", \.partner,
            "Image file with a human or cat face. With layout=replace, svfacemerge merges this face with the faces in "
                + "the video. If the image shows several faces, partner-face selects one face",
            nick: "Partner image", text: .file(.image)
        ),
        Property(
            "partners", \.partners,
            "Folder of partner images, instead of one file in partner. Each new face in the video gets the next image",
            nick: "Partner images", text: .folder),
        Property(
            "partner-face", \.partnerFace,
            "Face to use if a partner image shows several faces: largest, left, right, or a number (1 = the leftmost "
                + "face)", text: .words),
        Property(
            "partner-points", \.partnerPoints,
            "Positions in the image partner, in pixels: left eye, right eye, nose, and optionally mouth and chin, such "
                + "as \"120,80 182,81 150,120\" (none = detect the face). The word human or cat before the positions "
                + "sets the species", text: .parsed(PartnerPoints.obstacle)),
        Property(
            "ears", \.ears, "Draw the ears of a cat from a partner image above the head of a human"),
        Property(
            "detector", \.detector,
            "Detector of human faces in partner images. A change of detector does not affect images that are already "
                + "loaded"),
        Property("layout", \.layout, "Layout of the output"),
        Property(
            "face", \.face,
            "Faces to merge: all, left, right, largest, or a number (1 = the leftmost face). With layout=swap or "
                + "layout=pair, svfacemerge merges the selected face with the largest other face", text: .words),
        Property("preset", \.preset, "Set of default values for other properties"),
        Property(
            "mode", \.mode, else: \.merge.mode, "Blend mode of the partner's face (f) over the face in the video (b)"),
        Property(
            "opacity", \.opacity, else: \.merge.opacity, in: 0...1, "Opacity of the merged face",
            flags: .animated),
        Property(
            "feather", \.feather, else: \.merge.feather, in: 0...1,
            "Width of the merged face's soft edge, as a fraction of the face's radius",
            flags: .animated),
        Property(
            "match-colors", \.matchColors, else: \.merge.matchColors,
            "Adapt the colours of the partner's face to the face in the video"),
        Property(
            "smoothing", \.smoothing, else: \.merge.smoothing, in: 0...1,
            "Smoothing of the positions of faces that move little (0 = off)", flags: .animated),
        Property("species", \.species, "Species of the faces to merge"),
        Property("inset-position", \.insetPosition, "Position of the merged face with layout=pair"),
        Property(
            "inset-size", \.insetSize, in: 0.05...1,
            "Height of the merged face with layout=pair, as a fraction of the frame's shorter side",
            flags: .animated),
        Property(
            "select-every", \.selectEvery,
            "Interval between the automatic steps of layout=studio, which select and merge faces, in nanoseconds "
                + "(0 = off, 5000000000 = 5 s). A key, a click or an action stops the automatic steps"),
        Property(
            "save-location", \.saveLocation,
            "PNG file to which the key s writes the merged face of layout=studio (%d or %05d = first free number, none "
                + "= no file)"
        ),
        Property("message", \.message, "When to post an element message about merged faces"),
        Property(
            "keys", \.keys,
            "React to clicks and keys in the video window: click = select a face, 1 or 2 = select the largest face, "
                + "m = merge, s = save the merged face, c = clear"),
        .snapshotLocation,
    ]

    static let actions: [Action<FaceMerge>] = [
        Action(
            "select-face", "Select the largest face as face 1 or 2. Returns false if there is no face",
            ActionArgument("slot")
        ) {
            (merge: FaceMerge, slot: UInt32) in merge.requests.select(slot)
        },
        Action("merge", "Merge the two selected faces. Returns false if fewer than two faces are selected") {
            (merge: FaceMerge) in merge.requests.merge()
        },
        Action(
            "save", "Write the merged face to this path as a PNG file. Returns false if there is no merged face",
            ActionArgument("path")
        ) {
            (merge: FaceMerge, path: String) in merge.requests.save(.file(path))
        },
        Action("clear", "Remove the merged face and the selected faces") { (merge: FaceMerge) in
            merge.requests.reset()
        },
        .snapshot,
    ]
}
