// SPDX-License-Identifier: LGPL-2.1-or-later
/// Rows of `svfacemerge`, `svfacerecognize`, `svoverlay`, `svpublish` and `svzones` on known faces.
extension Catalogue {
    private typealias Task = (name: String, pipeline: String, counts: [Int], changes: [MarkedStream.Change])

    private static var tasks: [Task] {
        let partner = "partner=\"\(Machine.repository)/pipelines/cat.png\""
        let noMarks = "boxes=false landmarks=false labels=false"
        return [
            ("merge/smooth", "svfacemerge preset=smooth \(partner)", [1, 4, 8], [.still, .moving, .lit]),
            ("merge/classic", "svfacemerge preset=classic \(partner)", [1, 4, 8], [.still, .moving]),
            ("merge/swap", "svfacemerge layout=swap", [2], [.still, .moving]),
            ("overlay/boxes", "svoverlay confidence=true", [1, 4], [.moving]),
            ("overlay/pixelate", "svoverlay pixelate-faces=true \(noMarks)", [1, 4], [.moving]),
            ("overlay/blur", "svoverlay blur-faces=true \(noMarks)", [1, 4], [.moving]),
            ("publish", "svpublish file-path=/dev/null", [1, 10], [.still]),
            ("zones/count", "svzones draw=false zones=\"\(zones)\"", [1, 20], [.still]),
            ("zones/draw", "svzones zones=\"\(zones)\"", [1], [.still]),
        ] + recognizers.map { ("recognise/\($0)", "\(recognizer($0)) draw=false", [1, 4], [.moving]) }
    }

    /// Ten areas and lines.
    private static let zones = (0..<10).map { index in
        let left = 0.1 * Double(index)
        return index % 2 == 0
            ? "area \(index): \(left),0.1 \(left + 0.1),0.1 \(left + 0.1),0.9 \(left),0.9"
            : "line \(index): \(left),0 -> \(left),1"
    }.joined(separator: "; ")

    var markedFaces: [Row] {
        FrameSize.large.flatMap { size in
            ["BGRA", "I420"].flatMap { format in
                Self.tasks.flatMap { task in
                    task.changes.flatMap { change in
                        task.counts.map { marked(task, MarkedStream(count: $0, change: change), format, size) }
                    }
                }
            }
        }
    }

    private func marked(_ task: Task, _ stream: MarkedStream, _ format: String, _ size: FrameSize) -> Row {
        func face(_ readings: Readings) -> Double { readings.added().median / Double(stream.count) }
        let isMerge = task.name.hasPrefix("merge")
        // For one face, in milliseconds.
        let limit: Double? =
            switch task.name {
            // With one face the message's own cost is most of it.
            case "publish": stream.count == 10 ? 0.02 : nil
            case "zones/count": stream.count == 20 ? 0.005 : nil
            case let name where name.hasPrefix("recognise"): 3
            default: isMerge && size == .hd ? 2 : nil
            }
        var row = Row.cost(
            "Faces of \(MarkedStream.faceSize) pixels that are known, merged, recognised, drawn upon or published: CPU per "
                + "frame above the carrier's, with its\nsmallest and largest, and that for one face, ms; both to a memcpy of the frame "
                + "in BGRA",
            "\(task.name)/\(stream.change)-\(stream.count)/\(format)/\(size)", task.pipeline,
            on: [Content(.marked(stream), size, format)], effort,
            goal: limit.map { limit in
                ("<=\(limit < 1 ? "\(limit)" : limit.whole)ms", { face($0) <= limit * 1e6 })
            },
            others: [
                Column("a face", \.milliseconds, face),
                Column("/memcpy", \.hundredths) { face($0) / $0.median(.copy, .copy) },
            ])
        guard isMerge else { return row }
        let wanted = stream.count * effort.total
        row.check = { readings in
            for reading in readings[.ours] {
                let found = reading.passages.flatMap(\.regions).count { $0.type == "hybrid-face" }
                guard found == wanted else { throw Failure("\(found) regions of type hybrid-face, not \(wanted)") }
            }
        }
        return row
    }
}
