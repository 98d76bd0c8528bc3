import Imaging

/// People that `svfacerecognize` names correctly; no stock element does that.
struct NamedPeople: Measurement {
    let title =
        "Drawn people, three of four known from pictures: of 100 faces of theirs, and of 100 of the stranger's"
    var algorithm: String
    var setting: Setting

    let isRepeated = false
    var name: String { "recognise/names/\(algorithm)" }

    static let factory = "svfacerecognize"
    static let algorithms = ["lbph", "eigenfaces", "fisherfaces"]
    /// Names in pipelines/people.
    private static let people = ["Ada", "Ben", "Cleo"]

    static func properties(algorithm: String) -> String {
        "people=\"\(Machine.repository)/pipelines/people\" algorithm=\(algorithm) message=none"
    }

    static func element(algorithm: String) -> String { "\(factory) \(properties(algorithm: algorithm))" }

    var runs: [Run] {
        let isQuick = setting.effort.isQuick
        return (1...(isQuick ? 1 : 4)).map { seed in
            let pipeline =
                "videotestsrc num-buffers=\(isQuick ? 60 : 300) ! video/x-raw,width=640,height=480,framerate=30/1 "
                + "! svtestscene scene=people count=4 seed=\(seed) ! svfacedetect draw=false message=none "
                + "! \(Self.element(algorithm: algorithm)) draw=false name=m ! \(StreamJob.sink(0))"
            return Run(.ours, StreamJob(description: pipeline, effort: setting.effort, isWatched: true))
        }
    }

    var columns: [Column] {
        func share(_ title: String, _ count: KeyPath<Count, Int>, of all: KeyPath<Count, Int>) -> Column {
            Column(title, \.tenths) {
                let counts = Count($0[.ours])
                return 100 * Double(counts[keyPath: count]) / Double(max(1, counts[keyPath: all]))
            }
        }
        return [
            Column("faces") { "\(Count($0[.ours]).known)" },
            share("right", \.right, of: \.known), share("unknown", \.unknown, of: \.known),
            share("wrong", \.wrong, of: \.known),
            Column("stranger") { "\(Count($0[.ours]).strangers)" },
            share("named", \.named, of: \.strangers),
        ]
    }

    /// Numbers of faces that were found.
    private struct Count {
        /// Numbers of faces of people who are known.
        var (known, right, unknown, wrong) = (0, 0, 0, 0)
        /// Numbers of faces of people who are not.
        var (strangers, named) = (0, 0)

        init(_ readings: [Reading]) {
            for passage in readings.flatMap(\.passages) { add(passage.regions.filter { $0.label != nil }) }
        }

        private mutating func add(_ regions: [Region]) {
            for face in regions where face.type != "truth/face" {
                let middle = Rectangle(x: face.x + face.width / 2, y: face.y + face.height / 2, width: 1, height: 1)
                let actor = regions.first { $0.type == "truth/face" && !$0.box.intersection(middle).isEmpty }
                guard let name = actor?.label else { continue }
                let isUnknown = face.label == "unknown"
                if NamedPeople.people.contains(name) {
                    known += 1
                    right += face.label == name ? 1 : 0
                    unknown += isUnknown ? 1 : 0
                    wrong += face.label == name || isUnknown ? 0 : 1
                } else {
                    strangers += 1
                    named += isUnknown ? 0 : 1
                }
            }
        }
    }

    static func all(_ setting: Setting) -> [NamedPeople] {
        algorithms.map { NamedPeople(algorithm: $0, setting: setting) }
    }
}
