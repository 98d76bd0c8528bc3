extension Session {
    /// Measures and prints.
    /// - Returns: false if the element was missing or failed.
    func measure(_ rows: [LogoRow], _ elements: ProbeResult) throws -> Bool {
        guard !rows.isEmpty else { return true }
        let table = Table(
            title:
                "Logos, drawn: CPU per frame above the carrier's, ms; frames with a find in its place and elsewhere; live: frames shown in time",
            names: rows.map(\.name),
            columns: ["added", "carrier", "frames", "found", "wrong", "shown", "peak MB", "goal"])
        var isFine = true
        for row in rows {
            do {
                guard elements.files[LogoRow.factory] != nil else {
                    throw Failure("no element \(LogoRow.factory); is GST_PLUGIN_PATH right?")
                }
                if case .live = row.kind {
                    table.print(row.name, try liveCells(row))
                } else {
                    table.print(row.name, try steadyCells(row))
                }
            } catch {
                try Interruption.check()
                table.print(row.name, note: "FAILED: \(error)")
                isFine = false
            }
        }
        return isFine
    }

    private func steadyCells(_ row: LogoRow) throws -> [String] {
        let (ours, carriers) = (try results(row, row.element), try results(row, nil))
        let carrier = mean(carriers.map(\.nanosecondsPerFrame))
        let added = mean(ours.map(\.nanosecondsPerFrame)) - carrier
        let (found, wrong) = (ours.map(\.found).reduce(0, +), ours.map(\.wrong).reduce(0, +))
        return [
            added.milliseconds, carrier.milliseconds, "\(row.frames)", "\(found)", "\(wrong)", "-",
            Double(ours.map(\.peakKilobytes).max() ?? 0).megabytes,
            row.verdict(milliseconds: added / 1e6, found: found, wrong: wrong),
        ]
    }

    private func liveCells(_ row: LogoRow) throws -> [String] {
        var (shown, frames) = (0, 0)
        for stream in row.streams {
            let count = row.effort.warmUp + row.effort.frames
            let task = LiveTask(element: row.element, stream: .drawn(stream), frames: count)
            guard case .live(let result) = try launcher.perform(.live(task)) else { throw Failure("no result") }
            shown += result.shown
            frames += count
        }
        let verdict = row.element == nil ? "-" : Goal.verdict("all", shown == frames)
        return ["-", "-", "\(frames)", "-", "-", "\(shown)", "-", verdict]
    }

    private func results(_ row: LogoRow, _ element: String?) throws -> [LogoResult] {
        try row.streams.map { stream in
            let task = LogoTask(element: element, stream: stream, effort: row.effort)
            guard case .logos(let result) = try launcher.perform(.logos(task)) else { throw Failure("no result") }
            return result
        }
    }

    private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
}
