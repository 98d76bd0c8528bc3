/// Cost that elements of ours add to streams. No stock element does their work, so they are compared with a memcpy of
/// the frame.
struct CostMeasurement: Measurement {
    var title: String
    var name: String
    var elements: [String]
    var preparations: [Run] = []
    /// Elements in gst-launch's syntax.
    var pipeline: String
    /// Streams; a single one is measured repeatedly, several are measured once each.
    var contents: [Content]
    var effort: Effort
    /// Type and number of the regions that every frame must have in the end.
    var regions: (type: String, count: Int)?
    var goal: Goal?
    /// Additional columns.
    var others: [Column] = []

    var isRepeated: Bool { contents.count == 1 }

    /// Returns the CPU time of a frame above the carrier's; the mean if the streams differ.
    private func cost(_ readings: Readings) -> Double {
        isRepeated ? readings.added().median : readings.added().mean
    }

    var runs: [Run] {
        contents.flatMap { content in
            [
                Run(.ours, StreamJob(pipeline, on: content, effort)),
                Run(.carrier, StreamJob(nil, on: content, effort)),
                Run(.copy, KernelJob(size: content.size, rounds: effort.kernelRounds), isShared: true),
            ]
        }
    }

    func check(_ readings: Readings) throws {
        guard let regions else { return }
        for reading in readings[.ours] {
            let found = reading.passages.flatMap(\.regions).count { $0.type == regions.type }
            let wanted = regions.count * effort.total
            guard found == wanted else { throw Failure("\(found) regions of type \(regions.type), not \(wanted)") }
        }
    }

    var columns: [Column] {
        [
            Column("added", \.milliseconds) { cost($0) },
            Column("range") { $0.added().map { $0 / 1e6 }.range },
            Column("/memcpy", \.hundredths) { cost($0) / $0.median(.copy, .copy) },
        ] + others + [
            Column("memcpy", \.milliseconds) { $0.median(.copy, .copy) },
            .carrier, .peak(), .goal(goal),
        ]
    }
}
