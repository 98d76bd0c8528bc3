/// Rows of `svfacemerge`, `svfacerecognize` and `svoverlay` on known faces.
extension CostMeasurement {
    private struct Task {
        var group: String
        var style: String
        var factory: String
        var properties: String
        var counts: [Int]
        var changes = [MarkedStream.Change.moving]
    }

    private static let tasks: [Task] = {
        func merge(_ style: String, _ properties: String, _ counts: [Int], _ changes: [MarkedStream.Change]) -> Task {
            Task(
                group: "merge", style: style, factory: "svfacemerge", properties: properties, counts: counts,
                changes: changes)
        }
        func overlay(_ style: String, _ properties: String) -> Task {
            Task(group: "overlay", style: style, factory: "svoverlay", properties: properties, counts: [1, 4])
        }
        let partner = "partner=\"\(Machine.repository)/pipelines/cat.png\""
        return [
            merge("smooth", "preset=smooth \(partner)", [1, 4, 8], [.still, .moving, .lit]),
            merge("classic", "preset=classic \(partner)", [1, 4, 8], [.still, .moving]),
            merge("swap", "layout=swap", [2], [.still, .moving]),
            overlay("boxes", "confidence=true"),
            overlay("pixelate", "pixelate-faces=true boxes=false landmarks=false labels=false"),
            overlay("blur", "blur-faces=true boxes=false landmarks=false labels=false"),
        ]
            + NamedPeople.algorithms.map {
                Task(
                    group: "recognise", style: $0, factory: NamedPeople.factory,
                    properties: "\(NamedPeople.properties(algorithm: $0)) draw=false", counts: [1, 4])
            }
    }()

    private static func marked(_ task: Task, _ stream: MarkedStream, _ effort: Effort) -> CostMeasurement {
        func face(_ readings: Readings) -> Double { readings.added().median / Double(stream.count) }
        let isMerge = task.group == "merge"
        let goal: Goal? =
            switch (task.group, stream.size) {
            case ("recognise", _): .milliseconds(3, face)
            case ("merge", .hd): .milliseconds(2, face)
            default: nil
            }
        return CostMeasurement(
            title:
                "Faces of \(MarkedStream.faceSize) pixels that are known, merged, recognised or drawn upon: CPU per frame "
                + "above the carrier's, with its\nsmallest and largest, and that for one face, ms; both to a memcpy of the "
                + "frame in BGRA",
            name: "\(task.group)/\(task.style)/\(stream.change)-\(stream.count)/\(stream.format)/\(stream.size)",
            elements: [task.factory], pipeline: "\(task.factory) \(task.properties)", contents: [.marked(stream)],
            effort: effort, regions: isMerge ? ("hybrid-face", stream.count) : nil, goal: goal,
            others: [
                Column("a face", \.milliseconds, face),
                Column("/memcpy", \.hundredths) { face($0) / $0.median(.copy, .copy) },
            ])
    }

    static func markedFaces(_ setting: Setting) -> [CostMeasurement] {
        var rows: [CostMeasurement] = []
        for size in [FrameSize.hd, .fullHD] {
            for format in ["BGRA", "I420"] {
                for task in tasks {
                    for change in task.changes {
                        rows += task.counts.map { count in
                            let stream = MarkedStream(count: count, change: change, format: format, size: size)
                            return marked(task, stream, setting.effort)
                        }
                    }
                }
            }
        }
        return rows
    }
}
