import ElementKit
import Vision

extension BlobClassify {
    /// Settings whose default depends on the algorithm are optional here: nil is what suits it, in whatever order
    /// properties are set.
    struct Settings: ElementSettings {
        var training = FilePath()
        var algorithm = ClassifierSettings.Algorithm.contours
        var features = ClassifierSettings.Features.orb
        var histogramBins: UInt32 = 32
        private var own = Overrides()
        var which = Which.all
        var interval: UInt32 = 10
        var mode = SearchMode.auto
        var learnLabel: String?
        var saveLocation: String?
        var draw = true
        var color: UInt32 = 0xFF00_FF00
        var message = ReportPolicy.onChange
        var keys = true

        private struct Overrides {
            var histogramWeight: Double?
            var maxDistance: Double?
            var minMargin: Double?
        }

        var histogramWeight: Double {
            get { classifier.colorWeight }
            set { own.histogramWeight = newValue }
        }
        var maxDistance: Double {
            get { min(classifier.limit, Settings.largestDistance) }
            set { own.maxDistance = newValue }
        }
        var minMargin: Double {
            get { classifier.minMargin }
            set { own.minMargin = newValue }
        }

        /// The largest possible distance.
        static let largestDistance = 1000.0

        /// The settings for the classifier.
        var classifier: ClassifierSettings { classifier(algorithm) }

        /// Returns the same for an algorithm that may still be in use.
        func classifier(_ algorithm: ClassifierSettings.Algorithm) -> ClassifierSettings {
            var settings = algorithm == .classic ? ClassifierSettings.classic : ClassifierSettings()
            settings.features = features
            settings.histogramBins = Int(histogramBins)
            settings.histogramWeight = own.histogramWeight
            settings.maxDistance = own.maxDistance
            if let margin = own.minMargin { settings.minMargin = margin }
            return settings
        }

        /// The recipe of what is to be known: the limits are not part of it.
        var recipe: School.Recipe {
            var settings = classifier
            settings.maxDistance = nil
            settings.minMargin = 0
            return School.Recipe(training: training, settings: settings)
        }
    }

    enum Which: Int32, PropertyEnum {
        case all, largest
        static let typeName = "GstSvBlobChoice"
        var blurb: String { self == .all ? "Every blob" : "The largest one alone" }
    }

    static let properties: [Property<Settings>] = [
        .file(
            "training", \.training, nick: "Training",
            blurb: "Property list or JSON that names training pictures and labels, or a folder with a folder per label"),
        .enumeration("algorithm", \.algorithm, nick: "Algorithm", blurb: "How blobs are told from each other"),
        .enumeration("features", \.features, nick: "Features", blurb: "Kind of keypoints"),
        .uint(
            "histogram-bins", \.histogramBins, in: 2...64, nick: "Histogram bins",
            blurb: "Bins of colour histograms along each axis", flags: .mutablePlaying),
        .double(
            "histogram-weight", \.histogramWeight, in: 0...1, nick: "Histogram weight",
            blurb: "Share of colour in a distance", flags: .mutablePlaying),
        .double(
            "max-distance", \.maxDistance, in: 0...Settings.largestDistance, nick: "Maximum distance",
            blurb: "Blobs farther than this from all training pictures are unidentified", flags: .mutablePlaying),
        .double(
            "min-margin", \.minMargin, in: 0...1, nick: "Minimum margin",
            blurb: "Blobs that are nearer to one label than to the next by less than this are unidentified",
            flags: .mutablePlaying),
        .enumeration("which", \.which, nick: "Which", blurb: "Which blobs are named"),
        .uint(
            "interval", \.interval, in: 1...10000, nick: "Interval",
            blurb: "A blob that has a name is looked at again after so many frames", flags: .mutablePlaying),
        .enumeration("mode", \.mode, nick: "Mode", blurb: "Whether the stream waits for names"),
        .string(
            "learn-label", \.learnLabel, nick: "Learn label",
            blurb: "Learns the largest blob under this name once it stands still; none: learns nothing"),
        .string(
            "save-location", \.saveLocation, nick: "Save location",
            blurb: "Folder where the training is saved after each thing learned; none: not saved"),
        .boolean(
            "draw", \.draw, nick: "Draw",
            blurb: "Draw a box with its name around each blob; if not, pixels are only read"),
        .color("color", \.color, nick: "Colour", blurb: "Colour of the boxes of what is identified"),
        .enumeration("message", \.message, nick: "Message", blurb: "When to post element messages with the blobs"),
        .boolean(
            "keys", \.keys, nick: "Keys", blurb: "Listen to the key l in the video window: learn the largest blob"),
    ]

    static let actions: [Action<BlobClassify>] = [
        Action("learn", "Learns the largest blob under this name; answers whether there is one") {
            (classify: BlobClassify, label: String) in classify.lessons.ask(for: label)
        },
        Action("forget", "Forgets what was learned under this name; answers how many pictures there were") {
            (classify: BlobClassify, label: String) in UInt32(clamping: classify.school.forget(label))
        },
        Action("save-training", "Writes what is known to this folder; answers whether that went well") {
            (classify: BlobClassify, folder: String) in classify.save(to: folder)
        },
    ]
}

extension ClassifierSettings.Algorithm: PropertyEnum {
    package static var typeName: String { "GstSvBlobAlgorithm" }

    package var blurb: String {
        switch self {
        case .contours: "Contours in the best alignment with each training picture, and colours"
        case .classic: "Histograms of colour and keypoints, as BeanCounter does it"
        }
    }
}

extension ClassifierSettings.Features: PropertyEnum {
    package static var typeName: String { "GstSvBlobFeatures" }

    package var blurb: String {
        switch self {
        case .none: "No keypoints"
        case .orb: "Oriented BRIEF: the fastest"
        case .sift: "Scale-invariant feature transform"
        case .akaze: "Accelerated KAZE"
        }
    }
}
