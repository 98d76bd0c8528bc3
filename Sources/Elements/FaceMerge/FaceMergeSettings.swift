import ElementKit
import Pixels
import Vision
import KernelTypes

extension FaceMerge {
    /// Settings that a preset sets are optional here: nil is the preset's value, in whatever order properties are set.
    struct Settings: ElementSettings {
        var partner = FilePath()
        var partners = FilePath()
        var layout = Layout.replace
        var preset = Preset.smooth
        private var own = Overrides()
        var species: SpeciesFlags = [.human, .cat]
        var insetPosition = InsetPosition.topRight
        var insetSize = 0.35
        var selectEvery: UInt64 = 0
        var saveLocation: String? = "svfacemerge-%05d.png"
        var message = ReportPolicy.onChange
        var keys = true

        private struct Overrides {
            var mode: BlendMode?
            var opacity: Double?
            var feather: Double?
            var matchColors: Bool?
            var smoothing: Double?
        }

        var mode: BlendMode {
            get { own.mode ?? preset.settings.mode }
            set { own.mode = newValue }
        }
        var opacity: Double {
            get { own.opacity ?? preset.settings.opacity }
            set { own.opacity = newValue }
        }
        var feather: Double {
            get { own.feather ?? preset.settings.feather }
            set { own.feather = newValue }
        }
        var matchColors: Bool {
            get { own.matchColors ?? preset.settings.matchColors }
            set { own.matchColors = newValue }
        }
        var smoothing: Double {
            get { own.smoothing ?? preset.settings.smoothing }
            set { own.smoothing = newValue }
        }

        var merge: MergeSettings {
            var merge = preset.settings
            merge.mode = mode
            merge.opacity = opacity
            merge.feather = feather
            merge.matchColors = matchColors
            merge.smoothing = smoothing
            return merge
        }
    }

    enum Layout: Int32, PropertyEnum {
        case replace, swap, pair, studio
        static let typeName = "GstSvMergeLayout"

        var blurb: String {
            switch self {
            case .replace: "Each face is merged with its partner, in its place"
            case .swap: "The two largest faces take each other's place"
            case .pair: "The hybrid of the two largest faces is shown in a corner"
            case .studio: "Two faces are chosen, their hybrid is shown large"
            }
        }
    }

    enum Preset: Int32, PropertyEnum {
        case classic, smooth
        static let typeName = "GstSvMergePreset"
        var settings: MergeSettings { self == .classic ? .classic : .smooth }

        var blurb: String {
            switch self {
            case .classic: "Rectangles multiplied, as ManyMasks does it"
            case .smooth: "A soft oval in the face's light, which does not shake"
            }
        }
    }

    enum InsetPosition: Int32, PropertyEnum {
        case topLeft, topRight, bottomLeft, bottomRight
        static let typeName = "GstSvInsetPosition"

        var blurb: String {
            switch self {
            case .topLeft: "Upper left corner"
            case .topRight: "Upper right corner"
            case .bottomLeft: "Lower left corner"
            case .bottomRight: "Lower right corner"
            }
        }
    }

    static let properties: [Property<Settings>] = [
        .file(
            "partner", \.partner, nick: "Partner",
            blurb: "Picture file whose largest face the faces of the stream are merged with"),
        .file(
            "partners", \.partners, nick: "Partners",
            blurb: "Folder of such pictures; each face that appears gets the next one"),
        .enumeration("layout", \.layout, nick: "Layout", blurb: "What becomes of the faces"),
        .enumeration("preset", \.preset, nick: "Preset", blurb: "What the values below start from"),
        .enumeration("mode", \.mode, nick: "Mode", blurb: "How the partner (f) is blended over the face (b)"),
        .double("opacity", \.opacity, in: 0...1, nick: "Opacity", blurb: "Share of the hybrid in the output"),
        .double(
            "feather", \.feather, in: 0...1, nick: "Feather",
            blurb: "How much of the way from the middle to the edge of a face the hybrid takes to fade"),
        .boolean(
            "match-colors", \.matchColors, nick: "Match colours", blurb: "The partner takes on the light of the face"),
        .double(
            "smoothing", \.smoothing, in: 0...1, nick: "Smoothing",
            blurb: "How steady a face is held that stands still; 0: as it was detected"),
        .flags("species", \.species, nick: "Species", blurb: "Whose faces of the stream are taken"),
        .enumeration(
            "inset-position", \.insetPosition, nick: "Inset position", blurb: "Where layout=pair shows the hybrid"),
        .double(
            "inset-size", \.insetSize, in: 0.05...1, nick: "Inset size",
            blurb: "Height of the hybrid in layout=pair, as a share of the frame's shorter side"),
        .uint64(
            "select-every", \.selectEvery, in: 0...UInt64.max, nick: "Select every",
            blurb:
                "Stream time in nanoseconds after which layout=studio does its next step: first face, second, hybrid, none; "
                + "0: never"),
        .string(
            "save-location", \.saveLocation, nick: "Save location",
            blurb: "PNG file for the key s; %d or %05d: the first free number; none: no file"),
        .enumeration("message", \.message, nick: "Message", blurb: "When to post element messages with the hybrids"),
        .boolean("keys", \.keys, nick: "Keys", blurb: "Listen to keys in the video window (1 2 m s c)"),
    ]

    static let actions: [Action<FaceMerge>] = [
        Action("select-face", "Takes the largest face now into slot 1 or 2; answers whether there is one") {
            (merge: FaceMerge, slot: UInt32) in merge.studio.select(slot)
        },
        Action("merge", "Makes the hybrid of the two chosen faces; answers whether both are there") {
            (merge: FaceMerge) in merge.studio.merge()
        },
        Action("save", "Writes the hybrid to this path as PNG; answers whether there is one") {
            (merge: FaceMerge, path: String) in merge.studio.save(.file(path))
        },
        Action("clear", "Forgets hybrid and chosen faces") { (merge: FaceMerge) in merge.studio.clear() },
    ]
}
