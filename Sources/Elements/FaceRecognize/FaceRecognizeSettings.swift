// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Vision

extension FaceRecognize {
    struct Settings: ElementSettings {
        /// The user's choice; nil is the model file's.
        var ownAlgorithm: Recognizer.Algorithm?
        /// The model file's algorithm; set from inside.
        var modelAlgorithm = Recognizer.Algorithm.lbph
        var model = Assigned<String>()
        var people = Assigned<String>()
        var detector = HumanDetector.auto
        var collectName: String?
        var collectCount = 20
        var collectInterval = ClockTime.second / 5
        var collectDifference = 0.03
        var threshold = 0.0
        var voteFrames = 15
        var forgetName: String?
        var saveLocation: String?
        var phase = Phase.idle
        var draw = true
        var message = ReportPolicy.onChange
        var messageLocation = Assigned<String>()
        var keys = true

        var algorithm: Recognizer.Algorithm { ownAlgorithm ?? modelAlgorithm }

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

        static let members: [(value: Self, blurb: String)] = [
            (.idle, "Nobody is known yet"), (.collect, "Faces are being collected"),
            (.recognise, "Faces are given names"),
        ]
    }

    static let properties: [Property<Settings>] = [
        Property(
            "algorithm", \.ownAlgorithm, else: \.algorithm,
            "How faces are compared; a model file's algorithm holds where none is set"),
        Property("model", \.model, "Model file with people who are known"),
        Property("people", \.people, "Folder with a folder of pictures for each person, named so", text: .folder),
        Property("detector", \.detector, "How faces are found in pictures that are read from then on"),
        Property(
            "collect-name", \.collectName,
            "Whose faces to collect, then train; several names with commas between, one person after another",
            text: .words),
        Property("collect-count", \.collectCount, in: 1...1000, "How many faces to collect of a person"),
        Property(
            "collect-interval", \.collectInterval,
            "Minimum time from one collected face to the next, in nanoseconds"),
        Property(
            "collect-difference", \.collectDifference, in: 0...1,
            "How much a face must differ from each that was collected before: 1 - correlation"),
        Property(
            "threshold", \.threshold, in: 0...100_000,
            "Faces farther than this from all known ones are unknown; 0: worked out from the known ones",
            flags: .animated),
        Property("vote-frames", \.voteFrames, in: 1...1000, "Over so many frames the majority tells who somebody is"),
        Property("forget-name", \.forgetName, "Whom to forget; several names with commas between", text: .words),
        Property(
            "save-location", \.saveLocation,
            "Model file to write when collecting or forgetting is done, and by the key s"),
        Property("phase", \.phase, "What the element does at present", flags: .readOnly),
        Property("draw", \.draw, "Draw boxes and names"),
        Property("message", \.message, "When to post messages"),
        Property(
            "message-location", \.messageLocation,
            "File to which messages are written, too, as lines of JSON; -: the standard output; none: nowhere"),
        Property("keys", \.keys, "Listen to keys and clicks in the video window"),
    ]
}

extension Recognizer.Algorithm: PropertyEnum {
    package static var typeName: String { "GstSvFaceAlgorithm" }

    package static let members: [(value: Self, blurb: String)] = [
        (.lbph, "Histograms of local binary patterns"), (.eigenfaces, "Principal components of all faces"),
        (.fisherfaces, "Linear discriminants: what tells people apart"),
    ]
}
