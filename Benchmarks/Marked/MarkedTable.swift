/// What is measured once per repetition of a row.
private struct MarkedRepetition {
    var ours: MarkedResult
    var carrier: MarkedResult
}

extension Session {
    /// Measures and prints.
    /// - Returns: false if the element was missing or failed.
    func measure(_ rows: [MarkedRow], _ elements: ProbeResult) throws -> Bool {
        guard !rows.isEmpty else { return true }
        let table = Table(
            title:
                "Faces of \(MarkedStream.faceSize) pixels that are known, merged, recognised or drawn upon: CPU per frame above the carrier's, and that for one "
                + "face with its\nsmallest and largest, ms; both to a memcpy of the frame in BGRA",
            names: rows.map(\.name),
            columns: ["added", "/memcpy", "a face", "/memcpy", "range", "memcpy", "carrier", "peak MB", "goal"])
        var isFine = true
        var copies: [FrameSize: Double] = [:]
        for row in rows {
            do {
                guard elements.files[row.factory] != nil else {
                    throw Failure("no element \(row.factory); is GST_PLUGIN_PATH right?")
                }
                let copy = try copies[row.stream.size] ?? medianCopy(row.stream.size)
                copies[row.stream.size] = copy
                table.print(row.name, try repetitions(row).cells(row, copy: copy))
            } catch {
                try Interruption.check()
                table.print(row.name, note: "FAILED: \(error)")
                isFine = false
            }
        }
        return isFine
    }

    private func medianCopy(_ size: FrameSize) throws -> Double {
        median(
            try (0..<options.repetitions).map { _ in
                try kernelResult(.copy(size: size, rounds: effort.kernelRounds)).cold.copy
            })
    }

    private func repetitions(_ row: MarkedRow) throws -> [MarkedRepetition] {
        try (0..<options.repetitions).map { repetition in
            // The order turns round each time.
            let first = repetition.isMultiple(of: 2) ? try markedResult(row, row.element) : nil
            let carrier = try markedResult(row, nil)
            return MarkedRepetition(ours: try first ?? markedResult(row, row.element), carrier: carrier)
        }
    }

    private func markedResult(_ row: MarkedRow, _ element: String?) throws -> MarkedResult {
        let task = MarkedTask(
            element: element, makesHybrids: row.makesHybrids, stream: row.stream, effort: row.effort)
        guard case .marked(let result) = try launcher.perform(.marked(task)) else { throw Failure("no result") }
        return result
    }
}

extension [MarkedRepetition] {
    /// - Parameter copy: a memcpy of the frame, in nanoseconds.
    fileprivate func cells(_ row: MarkedRow, copy: Double) -> [String] {
        let carrier = median(map(\.carrier.nanosecondsPerFrame))
        let added = map { $0.ours.nanosecondsPerFrame - carrier }
        let (all, faces) = (median(added), Double(row.stream.count))
        let range = "\(((added.min() ?? 0) / faces / 1e6).fixed(2))-\(((added.max() ?? 0) / faces / 1e6).fixed(2))"
        return [
            all.milliseconds, (all / copy).fixed(2), (all / faces).milliseconds, (all / faces / copy).fixed(2), range,
            copy.milliseconds, carrier.milliseconds, median(map { Double($0.ours.peakKilobytes) }).megabytes,
            row.verdict(all / faces / 1e6),
        ]
    }
}
