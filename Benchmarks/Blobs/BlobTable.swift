extension Session {
    /// Measures and prints.
    /// - Returns: false if an element was missing or failed.
    func measure(_ rows: [BlobRow], _ elements: ProbeResult) throws -> Bool {
        guard !rows.isEmpty else { return true }
        let training = "\(folder.path)/training"
        _ = try launcher.perform(.training(folder: training))
        let speed = try measure(
            rows.filter { !$0.isLive }, elements,
            title:
                "Blobs on paper: CPU per frame above the carrier's, ms, and to a memcpy of the frame in BGRA; of 100 "
                + "drawn things\nthose that are found (IoU at least 0.7) and named rightly",
            columns: ["added", "range", "/memcpy", "found", "named", "carrier", "peak MB", "goal"]
        ) { try speedCells($0, training) }
        let live = try measure(
            rows.filter(\.isLive), elements,
            title: "Blobs live at \(StreamTask.framesPerSecond)/s: frames that are lost, and how long one stays in "
                + "svblobclassify, ms",
            columns: ["frames", "lost", "stay", "99 %", "longest", "goal"]
        ) { try liveCells($0, training) }
        return speed && live
    }

    private func measure(
        _ rows: [BlobRow], _ elements: ProbeResult, title: String, columns: [String],
        _ cells: (BlobRow) throws -> [String]
    ) throws -> Bool {
        guard !rows.isEmpty else { return true }
        let table = Table(title: title, names: rows.map(\.name), columns: columns)
        var isFine = true
        for row in rows {
            do {
                if let missing = BlobRow.factories.first(where: { elements.files[$0] == nil }) {
                    throw Failure("no element \(missing); is GST_PLUGIN_PATH right?")
                }
                table.print(row.name, try cells(row))
            } catch {
                try Interruption.check()
                table.print(row.name, note: "FAILED: \(error)")
                isFine = false
            }
        }
        return isFine
    }

    private func speedCells(_ row: BlobRow, _ training: String) throws -> [String] {
        func result(_ elements: String?) throws -> BlobResult {
            let task = BlobTask(
                elements: elements?.replacing("TRAINING", with: "\(training)/training.plist"), stream: row.stream,
                effort: row.effort)
            guard case .blobs(let result) = try launcher.perform(.blobs(task)) else { throw Failure("no result") }
            return result
        }
        let pairs = try (0..<options.repetitions).map { _ in (ours: try result(row.elements), carrier: try result(nil))
        }
        let added = pairs.map { ($0.ours.nanosecondsPerFrame - $0.carrier.nanosecondsPerFrame) / 1e6 }
        let copy = median(
            try (0..<options.repetitions).map { _ in
                try kernelResult(.copy(size: row.stream.size, rounds: effort.kernelRounds)).cold.copy / 1e6
            })
        let there = Double(max(1, pairs.reduce(0) { $0 + $1.ours.there }))
        let found = Double(pairs.reduce(0) { $0 + $1.ours.found })
        let right = Double(pairs.reduce(0) { $0 + $1.ours.right })
        let time = median(added)
        return [
            time.fixed(2), "\((added.min() ?? 0).fixed(2))-\((added.max() ?? 0).fixed(2))", (time / copy).fixed(1),
            row.findsAll ? (100 * found / there).fixed(1) : "-",
            row.elements.contains("svblobclassify") ? (100 * right / there).fixed(1) : "-",
            median(pairs.map(\.carrier.nanosecondsPerFrame)).milliseconds,
            median(pairs.map { Double($0.ours.peakKilobytes) }).megabytes,
            row.limit.map { Goal.verdict("<=\($0.fixed(0))ms", time <= $0) } ?? "-",
        ]
    }

    private func liveCells(_ row: BlobRow, _ training: String) throws -> [String] {
        let frames = 10 * StreamTask.framesPerSecond
        let task = LiveTask(
            element: row.elements.replacing("TRAINING", with: "\(training)/training.plist"),
            stream: .drawn(row.stream), frames: frames)
        guard case .live(let result) = try launcher.perform(.live(task)) else { throw Failure("no result") }
        let stays = result.stays.map(Double.init)
        let lost = frames - result.shown
        return [
            "\(frames)", "\(lost)", median(stays).milliseconds, percentile(99, of: stays).milliseconds,
            (stays.max() ?? 0).milliseconds, Goal.verdict("0 lost", lost == 0),
        ]
    }
}
