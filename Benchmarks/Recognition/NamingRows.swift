/// Rows that tell how rightly `svfacerecognize` names people; no stock element does that.
struct NamingRow {
    var algorithm: String
    var tasks: [NamingTask]

    var name: String { "recognise/names/\(algorithm)" }

    static let algorithms = ["lbph", "eigenfaces", "fisherfaces"]
    /// Those of pipelines/people.
    static let people = ["Ada", "Ben", "Cleo"]

    static func properties(algorithm: String) -> String {
        "people=\"\(Machine.repository)/pipelines/people\" algorithm=\(algorithm) message=none"
    }

    static func element(algorithm: String) -> String { "svfacerecognize \(properties(algorithm: algorithm))" }

    static func all(effort: Effort) -> [NamingRow] {
        let isQuick = effort.frames < Effort.full.frames
        return algorithms.map { algorithm in
            let tasks = (1...(isQuick ? 1 : UInt64(4))).map { seed in
                NamingTask(
                    element: "\(element(algorithm: algorithm)) draw=false", seed: seed, frames: isQuick ? 60 : 300)
            }
            return NamingRow(algorithm: algorithm, tasks: tasks)
        }
    }
}

extension Session {
    /// Measures and prints.
    /// - Returns: false if something failed.
    func measure(_ rows: [NamingRow]) -> Bool {
        guard !rows.isEmpty else { return true }
        let table = Table(
            title:
                "Drawn people, three of four known from pictures: of 100 faces of theirs, and of 100 of the stranger's",
            names: rows.map(\.name), columns: ["faces", "right", "unknown", "wrong", "stranger", "named"])
        var isFine = true
        for row in rows {
            do {
                let sum = try row.tasks.reduce(NamingResult()) { sum, task in
                    guard case .naming(let result) = try launcher.perform(.naming(task)) else {
                        throw Failure("no result")
                    }
                    return sum + result
                }
                func share(_ count: Int, of all: Int) -> String { (100 * Double(count) / Double(max(1, all))).fixed(1) }
                table.print(
                    row.name,
                    [
                        "\(sum.known)", share(sum.right, of: sum.known), share(sum.unknown, of: sum.known),
                        share(sum.known - sum.right - sum.unknown, of: sum.known), "\(sum.strangers)",
                        share(sum.named, of: sum.strangers),
                    ])
            } catch {
                table.print(row.name, note: "FAILED: \(error)")
                isFine = false
            }
        }
        return isFine
    }
}
