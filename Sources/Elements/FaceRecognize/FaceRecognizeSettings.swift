// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

extension FaceRecognize {
    struct Settings: SnapshotSettings {
        /// The algorithm that the user has set; nil if the user has not set an algorithm, so that `modelAlgorithm`
        /// applies.
        var ownAlgorithm: AlgorithmChoice?
        /// The algorithm of the model file; nil without a model file. Set by the element.
        var modelAlgorithm: Recognizer.Algorithm?
        var embeddingModel = Assigned<String>()
        var model = Assigned<String>()
        var people = Assigned<String>()
        var detector = HumanDetector.auto
        var collectName: String?
        var collectCount = 20
        var collectInterval = ClockTime.second / 5
        var collectDifference = 0.03
        var threshold = 0.0
        var voteFrames = 15
        var returnTime = 10 * ClockTime.second
        var unknowns = UnknownPeople.none
        var unknownsLocation: String?
        var unknownsRetention = 86_400 * ClockTime.second
        var forgetName: String?
        var saveLocation: String?
        var phase = Phase.idle
        var draw = true
        var message = ReportPolicy.onChange
        var messageLocation = Assigned<String>()
        var keys = true
        var snapshotLocation: String?

        var postsMessages: Bool { message != .none }

        var algorithm: AlgorithmChoice { ownAlgorithm ?? modelAlgorithm.map { AlgorithmChoice($0) } ?? .auto }

        /// The names in `collect-name`, in the same order, without duplicates.
        var collectNames: [String] { Self.names(collectName) }
        var forgetNames: [String] { Self.names(forgetName) }

        private static func names(_ text: String?) -> [String] {
            var names: [String] = []
            for part in (text ?? "").split(separator: ",") {
                let name = String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
                if ModelFile.isName(name), !names.contains(name) { names.append(name) }
            }
            return names
        }
    }

    enum Phase: Int32, PropertyEnum {
        case idle, collect, recognise
        static let typeName = "GstSvRecognitionPhase"

        static let members: [(value: Self, blurb: String)] = [
            (.idle, "No learned people"), (.collect, "Collecting faces"),
            (.recognise, "Recognising faces"),
        ]
    }

    enum UnknownPeople: Int32, PropertyEnum {
        case none, cluster
        static let typeName = "GstSvUnknownPeople"

        static let members: [(value: Self, blurb: String)] = [
            (.none, "All unknown faces have the label unknown"),
            (.cluster, "Each unknown person keeps one label: stranger 1, stranger 2 and so on"),
        ]
    }

    static let properties: [Property<Settings>] = [
        Property(
            "algorithm", \.ownAlgorithm, else: \.algorithm,
            "Recognition algorithm (if not set: auto)"),
        Property(
            "embedding-model", \.embeddingModel,
            "ONNX file of the network for algorithm=embedding (if not set: the installed MobileFaceNet). The network "
                + "needs a 3x112x112 input, and one vector as output", text: .file(.network)),
        Property("model", \.model, "Model file with learned people"),
        Property(
            "people", \.people,
            "Folder with one subfolder of images for each person. The name of the subfolder is the name of the person",
            text: .folder),
        Property(
            "detector", \.detector,
            "Detector of faces in image files. A change of detector does not affect images that are already loaded"),
        Property(
            "collect-name", \.collectName,
            "Names of people, separated by commas. svfacerecognize collects and learns the faces of these people",
            text: .words),
        Property("collect-count", \.collectCount, in: 1...1000, "Number of face images to collect for each person"),
        Property(
            "collect-interval", \.collectInterval,
            "Minimum time between two collected faces, in nanoseconds (200000000 = 200 ms)"),
        Property(
            "collect-difference", \.collectDifference, in: 0...1,
            "Minimum difference between two collected faces of the same person (difference = 1 - correlation of the "
                + "pixels)"),
        Property(
            "threshold", \.threshold, in: 0...100_000,
            "Maximum distance to a learned face (0 = automatic). Faces with a larger distance are unknown",
            flags: .animated),
        Property(
            "vote-frames", \.voteFrames, in: 1...1000,
            "Number of recent frames that vote on the name of a face. The face gets the most frequent name. With "
                + "algorithm=embedding, the network's last analyses of the face (at most 3) vote instead of frames"),
        Property(
            "return-time", \.returnTime,
            "Maximum absence after which a returning face gets its old id, in nanoseconds (0 = always a new id, "
                + "10000000000 = 10 s). Only algorithm=embedding restores ids"),
        Property("unknowns", \.unknowns, "Labels of unknown faces. unknowns=cluster needs algorithm=embedding"),
        Property(
            "unknowns-location", \.unknownsLocation,
            "File that stores the strangers of unknowns=cluster for the next run (if not set: strangers are stored "
                + "only in memory)"),
        Property(
            "unknowns-retention", \.unknownsRetention,
            "Time from the last appearance of a stranger until svfacerecognize forgets the stranger, in nanoseconds "
                + "(86400000000000 = 1 day)"),
        Property(
            "forget-name", \.forgetName, "Names of people or strangers to forget, separated by commas", text: .words),
        Property(
            "save-location", \.saveLocation,
            "Model file that svfacerecognize writes after it has collected, corrected or forgotten a person, and when "
                + "you press the key s"),
        Property("phase", \.phase, "Current state", flags: .readOnly),
        Property("draw", \.draw, "Draw boxes and names"),
        Property("message", \.message, "When to post element messages about recognised people"),
        Property(
            "message-location", \.messageLocation,
            "File for a copy of the messages, as JSON lines (- = standard output, none = off)"),
        Property(
            "keys", \.keys,
            "React to clicks and keys in the video window: click = collect a face, c = collect the largest face, "
                + "t = learn, s = save, Delete = forget"),
        .snapshotLocation,
    ]
}
