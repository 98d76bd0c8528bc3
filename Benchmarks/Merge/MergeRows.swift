/// Rows that tell what `svfacemerge` adds to a stream whose faces are known. No stock element has this job, so they are
/// compared with a memcpy of the frame.
struct MergeRow {
    var style: String
    var element: String
    var stream: MergeStream
    var effort: Effort

    static let ours = "svfacemerge"
    /// Of CPU time for one face in a frame of 1280x720, in milliseconds.
    private static let limit = 2.0

    var name: String { "merge/\(style)/\(stream.change)-\(stream.count)/\(stream.format)/\(stream.size)" }

    /// - Parameter milliseconds: for one face.
    func verdict(_ milliseconds: Double) -> String {
        stream.size == .hd ? Goal.verdict("<=\(Self.limit.fixed(0))ms", milliseconds <= Self.limit) : "-"
    }

    /// How faces are merged, and what is measured of it.
    private struct Style {
        var name: String
        var element: String
        var counts = [1, 4, 8]
        var changes = [MergeStream.Change.still, .moving]
    }

    static func all(effort: Effort) -> [MergeRow] {
        let partner = "partner=\"\(Machine.repository)/pipelines/cat.png\""
        let styles = [
            Style(name: "smooth", element: "\(ours) preset=smooth \(partner)", changes: [.still, .moving, .lit]),
            Style(name: "classic", element: "\(ours) preset=classic \(partner)"),
            Style(name: "swap", element: "\(ours) layout=swap", counts: [2]),
        ]
        var rows: [MergeRow] = []
        for size in [FrameSize.hd, .fullHD] {
            for format in ["BGRA", "I420"] {
                for style in styles {
                    for change in style.changes {
                        rows += style.counts.map { count in
                            let stream = MergeStream(count: count, change: change, format: format, size: size)
                            return MergeRow(style: style.name, element: style.element, stream: stream, effort: effort)
                        }
                    }
                }
            }
        }
        return rows
    }
}

/// What is measured once per repetition of a row.
private struct MergeRepetition {
    var ours: MergeResult
    var carrier: MergeResult
}

extension Session {
    /// Measures and prints.
    /// - Returns: false if the element was missing or failed.
    func measure(_ rows: [MergeRow], _ elements: ProbeResult) throws -> Bool {
        guard !rows.isEmpty else { return true }
        let table = Table(
            title:
                "Merging faces of \(MergeStream.faceSize) pixels: CPU per frame above the carrier's, and that for one "
                + "face, ms, and to a memcpy of the\nframe in BGRA",
            names: rows.map(\.name),
            columns: ["added", "/memcpy", "a face", "/memcpy", "range", "memcpy", "carrier", "peak MB", "goal"])
        var isFine = true
        var copies: [FrameSize: Double] = [:]
        for row in rows {
            do {
                guard elements.files[MergeRow.ours] != nil else {
                    throw Failure("no element \(MergeRow.ours); is GST_PLUGIN_PATH right?")
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

    private func repetitions(_ row: MergeRow) throws -> [MergeRepetition] {
        try (0..<options.repetitions).map { repetition in
            // The order turns round each time.
            let first = repetition.isMultiple(of: 2) ? try mergeResult(row, row.element) : nil
            let carrier = try mergeResult(row, nil)
            return MergeRepetition(ours: try first ?? mergeResult(row, row.element), carrier: carrier)
        }
    }

    private func mergeResult(_ row: MergeRow, _ element: String?) throws -> MergeResult {
        let task = MergeTask(element: element, stream: row.stream, effort: row.effort)
        guard case .merge(let result) = try launcher.perform(.merge(task)) else { throw Failure("no result") }
        return result
    }
}

extension [MergeRepetition] {
    /// - Parameter copy: a memcpy of the frame, in nanoseconds.
    fileprivate func cells(_ row: MergeRow, copy: Double) -> [String] {
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
