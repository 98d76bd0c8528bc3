// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Rows of the people that `svfacerecognize` names correctly; no stock element does that.
extension Catalogue {
    static let recognizers = ["lbph", "eigenfaces", "fisherfaces"]

    static func recognizer(_ algorithm: String) -> String {
        "svfacerecognize people=\"\(Machine.repository)/pipelines/people\" algorithm=\(algorithm) message=none"
    }

    var namedPeople: [Row] {
        func count(_ readings: Readings, _ outcomes: [NamingOutcome]) -> Int {
            readings[.ours].flatMap(\.passages).flatMap(NamingOutcome.all).count { outcomes.contains($0) }
        }
        func share(_ title: String, _ outcome: NamingOutcome, of outcomes: [NamingOutcome]) -> Column {
            Column(title, \.tenths) { 100 * Double(count($0, [outcome])) / Double(max(1, count($0, outcomes))) }
        }
        let (known, strangers) = ([NamingOutcome.right, .unknown, .wrong], [NamingOutcome.named, .unnamed])
        return Self.recognizers.map { algorithm in
            Row(
                title:
                    "Drawn people, three of four known from pictures: of 100 faces of theirs, and of 100 of the stranger's",
                name: "recognise/names/\(algorithm)",
                runs: (1...(effort.isQuick ? 1 : 4)).map { seed in
                    let pipeline =
                        "videotestsrc num-buffers=\(effort.isQuick ? 60 : 300) "
                        + "! video/x-raw,width=640,height=480,framerate=30/1 "
                        + "! svtestscene scene=people count=4 seed=\(seed) ! svfacedetect draw=false message=none "
                        + "! \(Self.recognizer(algorithm)) draw=false name=m ! \(StreamJob.sink(0))"
                    return Run(.ours, StreamJob(description: pipeline, effort: effort, isWatched: true))
                }, isRepeated: false,
                columns: [
                    Column("faces") { "\(count($0, known))" }, share("right", .right, of: known),
                    share("unknown", .unknown, of: known), share("wrong", .wrong, of: known),
                    Column("stranger") { "\(count($0, strangers))" }, share("named", .named, of: strangers),
                ])
        }
    }
}

/// What a face that was found is called.
private enum NamingOutcome {
    /// A person who is known.
    case right, unknown, wrong
    /// A stranger.
    case named, unnamed

    /// Names in pipelines/people.
    private static let people = ["Ada", "Ben", "Cleo"]

    /// Returns the outcomes of the faces in a frame.
    static func all(in passage: Passage) -> [NamingOutcome] {
        let regions = passage.regions.filter { $0.label != nil }
        return regions.filter { $0.type != "truth/face" }.compactMap { face in
            let middle = Rectangle(x: face.x + face.width / 2, y: face.y + face.height / 2, width: 1, height: 1)
            let entity = regions.first { $0.type == "truth/face" && !$0.box.intersection(middle).isEmpty }
            guard let name = entity?.label else { return nil }
            guard people.contains(name) else { return face.label == "unknown" ? .unnamed : .named }
            return face.label == name ? .right : face.label == "unknown" ? .unknown : .wrong
        }
    }
}
