// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

extension BlobClassify {
    struct Settings: ElementSettings {
        var training = Assigned<String>()
        var algorithm = ClassifierSettings.Algorithm.contours
        var features = ClassifierSettings.Features.orb
        var histogramBins = 32
        // What depends on the algorithm is nil until it is set itself, in whatever order.
        var histogramWeight: Double?
        var maxDistance: Double?
        var minMargin: Double?
        var sizeMatters = false
        var which = Which.all
        var interval = 10
        var mode = SearchMode.auto
        var learnLabel: String?
        var saveLocation: String?
        var draw = true
        var color: Color = 0xFF00_FF00
        var message = ReportPolicy.onChange
        var messageLocation = Assigned<String>()
        var keys = true

        /// The largest possible distance.
        static let largestDistance = 1000.0

        /// The settings for the classifier.
        var classifier: ClassifierSettings { classifier(algorithm) }

        /// Returns the same for an algorithm that may still be in use.
        func classifier(_ algorithm: ClassifierSettings.Algorithm) -> ClassifierSettings {
            var settings = algorithm == .classic ? ClassifierSettings.classic : ClassifierSettings()
            settings.features = features
            settings.histogramBins = histogramBins
            settings.histogramWeight = histogramWeight
            settings.maxDistance = maxDistance
            settings.sizeMatters = sizeMatters
            if let minMargin { settings.minMargin = minMargin }
            return settings
        }

        /// The configuration of what is to be known: the limits are not part of it.
        var configuration: ClassifierStore.Configuration {
            var settings = classifier
            settings.maxDistance = nil
            settings.minMargin = 0
            return ClassifierStore.Configuration(training: training, settings: settings)
        }
    }

    enum Which: Int32, PropertyEnum {
        case all, largest
        static let typeName = "GstSvBlobChoice"
        static let members: [(value: Self, blurb: String)] = [
            (.all, "Every blob"), (.largest, "The largest one alone"),
        ]
    }

    static let properties: [Property<Settings>] = [
        Property(
            "training", \.training,
            "Property list or JSON that names training pictures and labels, or a folder with one, or with a folder per label"
        ),
        Property("algorithm", \.algorithm, "How blobs are told from each other"),
        Property("features", \.features, "Kind of keypoints"),
        Property("histogram-bins", \.histogramBins, in: 2...64, "Bins of colour histograms along each axis"),
        Property(
            "histogram-weight", \.histogramWeight, else: \.classifier.colorWeight, in: 0...1,
            "Share of colour in a distance"),
        Property(
            "max-distance", \.maxDistance, else: { min($0.classifier.limit, Settings.largestDistance) },
            in: 0...Settings.largestDistance,
            "Blobs farther than this from all training pictures are unidentified"),
        Property(
            "min-margin", \.minMargin, else: \.classifier.minMargin, in: 0...1,
            "Blobs that are nearer to one label than to the next by less than this are unidentified"),
        Property(
            "size-matters", \.sizeMatters,
            "Things of another size in the frame are others, before a camera that stands still; with algorithm=contours"
        ),
        Property("which", \.which, "Which blobs are named"),
        Property(
            "interval", \.interval, in: 1...10000, "A blob that has a name is looked at again after so many frames"),
        Property("mode", \.mode, "Whether the stream waits for names"),
        Property(
            "learn-label", \.learnLabel,
            "Learns the largest blob under this name once it stands still; none: learns nothing", text: .words),
        Property(
            "save-location", \.saveLocation,
            "Folder where the training is saved after each thing learned; none: not saved"),
        Property("draw", \.draw, "Draw a box with its name around each blob; if not, pixels are only read"),
        .color("color", \.color, "Colour of the boxes of what is identified"),
        Property("message", \.message, "When to post element messages with the blobs"),
        Property(
            "message-location", \.messageLocation,
            "File to which messages are written, too, as lines of JSON; -: the standard output; none: nowhere"),
        Property(
            "keys", \.keys,
            "Listen to clicks and the key l in the video window: learn the clicked blob, or the largest"),
    ]

    static let actions: [Action<BlobClassify>] = [
        Action(
            "learn", "Learns the clicked blob, else the largest, under this name; answers whether there is one",
            ActionArgument("label", .words)
        ) {
            (classify: BlobClassify, label: String) in classify.requests.learn(label)
        },
        Action(
            "learn-picture", "Learns a picture file under this name; answers whether there is such a file",
            ActionArgument("label", .words), ActionArgument("picture", .file(.image))
        ) { (classify: BlobClassify, label: String, path: String) in classify.learn(label, from: path) },
        Action(
            "forget", "Forgets what was learned under this name; answers how many pictures there were",
            ActionArgument("label", .words)
        ) {
            (classify: BlobClassify, label: String) in UInt32(clamping: classify.store.forget(label))
        },
        Action(
            "save-training", "Writes what is known to this folder; answers whether that went well",
            ActionArgument("folder")
        ) {
            (classify: BlobClassify, folder: String) in classify.save(to: folder)
        },
    ]
}

extension ClassifierSettings.Algorithm: PropertyEnum {
    package static var typeName: String { "GstSvBlobAlgorithm" }

    package static let members: [(value: Self, blurb: String)] = [
        (.contours, "Outlines, the contours within them, and colours, as far as there are any"),
        (.classic, "Histograms of colour and keypoints, as BeanCounter does it"),
    ]
}

extension ClassifierSettings.Features: PropertyEnum {
    package static var typeName: String { "GstSvBlobFeatures" }

    package static let members: [(value: Self, blurb: String)] = [
        (.none, "No keypoints"), (.orb, "Oriented BRIEF: the fastest"), (.sift, "Scale-invariant feature transform"),
        (.akaze, "Accelerated KAZE"),
    ]
}
