import ElementKit
import Vision

extension FaceRecognize {
    struct Settings: ElementSettings {
        /// The user's choice; nil is the model file's.
        private var ownAlgorithm: Recognizer.Algorithm?
        /// The model file's algorithm; set from inside.
        var modelAlgorithm = Recognizer.Algorithm.lbph
        var model = FilePath()
        var people = FilePath()
        var collectName: String?
        var collectCount: UInt32 = 20
        var collectInterval = ClockTime.second / 5
        var collectDifference = 0.03
        var threshold = 0.0
        var voteFrames: UInt32 = 15
        var forgetName: String?
        var saveLocation: String?
        var phase = Phase.idle
        var draw = true
        var message = ReportPolicy.onChange
        var keys = true

        var algorithm: Recognizer.Algorithm {
            get { ownAlgorithm ?? modelAlgorithm }
            set { ownAlgorithm = newValue }
        }

        /// The names of `collect-name`, in order, each once.
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

        var blurb: String {
            switch self {
            case .idle: "Nobody is known yet"
            case .collect: "Faces are being collected"
            case .recognise: "Faces are given names"
            }
        }
    }

    static let properties: [Property<Settings>] = [
        .enumeration(
            "algorithm", \.algorithm, nick: "Algorithm",
            blurb: "How faces are compared; a model file's algorithm holds where none is set"),
        .file("model", \.model, nick: "Model", blurb: "Model file with people who are known"),
        .file(
            "people", \.people, nick: "People", blurb: "Folder with a folder of pictures for each person, named so"),
        .string(
            "collect-name", \.collectName, nick: "Collect name",
            blurb: "Whose faces to collect, then train; several names with commas between, one person after another"),
        .uint(
            "collect-count", \.collectCount, in: 1...1000, nick: "Collect count",
            blurb: "How many faces to collect of a person", flags: .mutablePlaying),
        .uint64(
            "collect-interval", \.collectInterval, in: 0...UInt64.max, nick: "Collect interval",
            blurb: "Least stream time in nanoseconds from one collected face to the next"),
        .double(
            "collect-difference", \.collectDifference, in: 0...1, nick: "Collect difference",
            blurb: "How much a face must differ from each that was collected before: 1 - correlation",
            flags: .mutablePlaying),
        .double(
            "threshold", \.threshold, in: 0...100_000, nick: "Threshold",
            blurb: "Faces farther than this from all known ones are unknown; 0: worked out from the known ones"),
        .uint(
            "vote-frames", \.voteFrames, in: 1...1000, nick: "Vote frames",
            blurb: "Over so many frames the majority tells who somebody is", flags: .mutablePlaying),
        .string(
            "forget-name", \.forgetName, nick: "Forget name",
            blurb: "Whom to forget; several names with commas between"),
        .string(
            "save-location", \.saveLocation, nick: "Save location",
            blurb: "Model file to write when collecting or forgetting is done, and by the key s"),
        .enumeration(
            "phase", \.phase, nick: "Phase", blurb: "What the element does at present", flags: .readOnly),
        .boolean("draw", \.draw, nick: "Draw", blurb: "Draw boxes and names"),
        .enumeration("message", \.message, nick: "Message", blurb: "When to post messages"),
        .boolean("keys", \.keys, nick: "Keys", blurb: "Listen to keys in the video window"),
    ]
}

extension Recognizer.Algorithm: PropertyEnum {
    package static var typeName: String { "GstSvFaceAlgorithm" }

    package var blurb: String {
        switch self {
        case .lbph: "Histograms of local binary patterns"
        case .eigenfaces: "Principal components of all faces"
        case .fisherfaces: "Linear discriminants: what tells people apart"
        }
    }
}
