// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

extension BlobClassify {
    struct Settings: SnapshotSettings {
        var training = Assigned<String>()
        var algorithm = ClassifierSettings.Algorithm.contours
        var features = ClassifierSettings.Features.orb
        var histogramBins = 32
        // If `histogramWeight`, `maxDistance` or `minMargin` is nil, the default of `algorithm` applies. So users can
        // set these properties in any order.
        var histogramWeight: Double?
        var maxDistance: Double?
        var minMargin: Double?
        var sizeMatters = false
        var which = Which.all
        var interval = 10
        var mode = SearchMode.auto
        var learnLabel: String?
        var saveLocation: String?
        var reportLocation: String?
        var draw = true
        var color: Color = 0xFF00_FF00
        var review = false
        var message = ReportPolicy.onChange
        var messageLocation = Assigned<String>()
        var keys = true
        var snapshotLocation: String?

        var postsMessages: Bool { message != .none }

        /// Maximum value of the property `max-distance`.
        static let largestDistance = 1000.0

        var classifier: ClassifierSettings { classifier(algorithm) }

        /// Returns the settings for an algorithm, which can differ from the property `algorithm`: while the worker
        /// thread creates a new classifier, the previous classifier is in use.
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

        /// The configuration of the classifier, without the maximum distance and the minimum margin. If only these two
        /// limits change, the store keeps the classifier.
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
            (.all, "All blobs"), (.largest, "Only the largest blob"),
        ]
    }

    static let properties: [Property<Settings>] = [
        Property(
            "training", \.training,
            "Training set: a file that lists training images (property list or JSON), or a folder with one subfolder "
                + "of images for each label"),
        Property("algorithm", \.algorithm, "Algorithm that compares blobs with training images"),
        Property("features", \.features, "Type of the keypoints that svblobclassify detects in blobs"),
        Property("histogram-bins", \.histogramBins, in: 2...64, "Number of bins along each axis of a colour histogram"),
        Property(
            "histogram-weight", \.histogramWeight, else: \.classifier.colorWeight, in: 0...1,
            "Weight of colours when svblobclassify compares a blob with a training image"),
        Property(
            "max-distance", \.maxDistance, else: { min($0.classifier.limit, Settings.largestDistance) },
            in: 0...Settings.largestDistance,
            "Maximum distance (difference in appearance) between a blob and the most similar training image. A blob "
                + "with a larger distance is unidentified"),
        Property(
            "min-margin", \.minMargin, else: \.classifier.minMargin, in: 0...1,
            "Minimum margin by which a blob must be nearer to the most similar label than to any other label. A blob "
                + "with a smaller margin is unidentified"),
        Property(
            "size-matters", \.sizeMatters,
            "Distinguish things of different sizes. size-matters needs algorithm=contours and a fixed camera"),
        Property("which", \.which, "Blobs to name"),
        Property(
            "interval", \.interval, in: 1...10000,
            "Minimum number of frames between two comparisons of a blob with the training set"),
        Property(
            "mode", \.mode,
            "Mode of the naming: the video waits for the names (sync), does not wait (async), or waits unless the "
                + "source is live (auto)"),
        Property(
            "learn-label", \.learnLabel,
            "Name under which svblobclassify learns the largest blob, as soon as the blob has not moved for 0.5 s "
                + "(none = off)",
            text: .words),
        Property(
            "save-location", \.saveLocation,
            "Folder in which svblobclassify saves the training set after each learned thing (none = off)"),
        Property(
            "report-location", \.reportLocation,
            "Folder for training-report.html, a page with a check of each training image (none = off)"),
        Property("draw", \.draw, "Draw a box with a label around each blob (false = leave frames unchanged)"),
        .color("color", \.color, "Box colour of identified blobs"),
        Property(
            "review", \.review,
            "Enlarge the largest blob to the whole frame, and write its name. svblobclassify then ignores the property "
                + "draw"),
        Property("message", \.message, "When to post element messages about named blobs"),
        Property(
            "message-location", \.messageLocation,
            "File for a copy of the messages, as JSON lines (- = standard output, none = off)"),
        Property(
            "keys", \.keys,
            "React to clicks and keys in the video window: click = select a blob (and learn the blob, if learn-label "
                + "is set), l = learn the selected blob, or the largest blob if no blob is selected"),
        .snapshotLocation,
    ]

    static let actions: [Action<BlobClassify>] = [
        Action(
            "learn",
            "Learn the selected blob under this label. If no blob is selected, learn the largest blob. Returns false "
                + "if there is no blob",
            ActionArgument("label", .words)
        ) {
            (classify: BlobClassify, label: String) in classify.requests.learn(label)
        },
        Action(
            "learn-picture",
            "Learn the thing in an image file. The thing gets this label. Returns false if the file does not exist",
            ActionArgument("label", .words), ActionArgument("picture", .file(.image))
        ) { (classify: BlobClassify, label: String, path: String) in classify.learn(label, from: path) },
        Action(
            "forget", "Forget all images learned under this label. Returns the number of forgotten images",
            ActionArgument("label", .words)
        ) {
            (classify: BlobClassify, label: String) in UInt32(clamping: classify.store.forget(label))
        },
        Action(
            "save-training", "Write the training set to this folder. Returns true on success",
            ActionArgument("folder")
        ) {
            (classify: BlobClassify, folder: String) in classify.save(to: folder)
        },
        .snapshot,
    ]
}

extension ClassifierSettings.Algorithm: PropertyEnum {
    package static var typeName: String { "GstSvBlobAlgorithm" }

    package static let members: [(value: Self, blurb: String)] = [
        (.contours, "Compare outlines, inner contours and colours"),
        (.classic, "Compare colour histograms and keypoints, as in the app BeanCounter"),
    ]
}

extension ClassifierSettings.Features: PropertyEnum {
    package static var typeName: String { "GstSvBlobFeatures" }

    package static let members: [(value: Self, blurb: String)] = [
        (.none, "No keypoints"), (.orb, "Oriented BRIEF (fastest)"), (.sift, "Scale-invariant feature transform"),
        (.akaze, "Accelerated KAZE"),
    ]
}
