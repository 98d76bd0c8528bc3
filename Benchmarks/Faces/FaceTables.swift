extension FaceSession {
    // MARK: - Speed

    func printSpeeds(_ rows: [FaceRows.Speed]) throws -> Bool {
        guard !rows.isEmpty else { return true }
        let columns = ["ours ms", "peer ms", "ratio", "range", "first", "longest", "peer's", "carrier"]
        let table = Table(
            title:
                "Faces: CPU per frame above the carrier's, ms. How long our element keeps the first frame, and the longest "
                + "that it\nand the peer keep another, ms",
            names: rows.map(\.name), columns: columns + ["ours MB", "peer MB", "CPU goal"])
        return try each(rows, in: table, name: \.name) { row in
            let stream = stream(row.stream)
            func task(_ element: String?) -> FaceTask {
                FaceTask(element: element, stream: stream, effort: row.effort)
            }
            let figures = try (0..<repetitions).map { repetition in
                // The order turns round each time.
                let first = repetition.isMultiple(of: 2) ? try ours(task(row.element)) : nil
                let other = try peer(task(FaceRows.peer()))
                return SpeedRepetition(
                    ours: try first ?? ours(task(row.element)), peer: other, carrier: try ours(task(nil)))
            }
            return figures.cells(row.goal)
        }
    }

    // MARK: - Accuracy

    func printClip(_ rows: [FaceRows.Accuracy]) throws -> Bool {
        guard !rows.isEmpty else { return true }
        let columns = ["found", "wrong", "changes", "ids", "p.found", "p.wrong", "p.change", "goal"]
        let table = Table(
            title:
                "The carphone clip: frames in which the face is found, of \(FaceStream.carphoneFrames); frames with a wrong "
                + "find; changes of\nthe number of faces; ids; the peer's",
            names: rows.map(\.name), columns: columns)
        var peers: FaceScore?
        return try each(rows, in: table, name: \.name) { row in
            let stream = FaceStream.carphone(file: try clip.get())
            let score = try ours(FaceTask(element: row.element, stream: stream, effort: row.effort)).score
            let other =
                try peers ?? peer(FaceTask(element: FaceRows.peer(), stream: stream, effort: row.effort)).score
            peers = other
            let isMet = score.humans.found >= 115 && score.wrongFrames <= 2 && score.changes <= 4
            return [
                "\(score.humans.found)", "\(score.wrongFrames)", "\(score.changes)", "\(score.ids)",
                "\(other.humans.found)", "\(other.wrongFrames)", "\(other.changes)",
                row.hasGoal ? Goal.verdict(">=115 <=2 <=4", isMet) : "-",
            ]
        }
    }

    func printScenes(_ rows: [FaceRows.Accuracy]) throws -> Bool {
        guard !rows.isEmpty else { return true }
        let columns = ["humans", "wrong", "cats", "wrong", "changes", "switches"]
        let peerColumns = ["p.humans", "p.wrong", "p.cats", "p.wrong", "p.change", "goal"]
        let table = Table(
            title:
                "Drawn scenes: finds and wrong finds per 100 true faces of that kind; changes of the number of faces; faces "
                + "with\nanother id than before; the peer's, with the cascade for cats where there are only cats",
            names: rows.map(\.name), columns: columns + peerColumns)
        var peers: [String: FaceScore] = [:]
        return try each(rows, in: table, name: \.name) { row in
            let score = try row.streams.reduce(FaceScore()) { sum, stream in
                sum + (try ours(FaceTask(element: row.element, stream: .drawn(stream), effort: row.effort)).score)
            }
            let element = FaceRows.peer(forCats: row.isForCats)
            let other =
                try peers[row.scene]
                ?? row.streams.reduce(FaceScore()) { sum, stream in
                    let task = FaceTask(
                        element: element, stream: .drawn(stream), effort: row.effort, findsCats: row.isForCats)
                    return sum + (try peer(task).score)
                }
            peers[row.scene] = other
            return score.shares + ["\(score.changes)", "\(score.switches)"] + other.shares
                + ["\(other.changes)", row.hasGoal ? Goal.verdict(">=98 <=1 0", score.isGood) : "-"]
        }
    }

    // MARK: - Live

    func printLives(_ rows: [FaceRows.Live]) throws -> Bool {
        guard !rows.isEmpty else { return true }
        let columns = ["frames", "passed", "shown", "lost", "stay", "99 %", "longest", "behind", "longest"]
        let table = Table(
            title:
                "Live at \(StreamTask.framesPerSecond)/s: frames that the element passes on and the sink shows in time. How "
                + "long they stay in the element, how far behind\nthey come to the sink, and the latency that the pipeline "
                + "reports, ms. Finds per 100 true faces",
            names: rows.map(\.name), columns: columns + ["reported", "found", "goal"])
        return try each(rows, in: table, name: \.name) { row in
            let task = ChildTask.live(
                LiveTask(element: row.element, stream: stream(row.stream), frames: row.frames))
            let outcome = try row.isPeer ? asPeer { try launcher.perform(task) } : launcher.perform(task)
            guard case .live(let result) = outcome else { throw Failure("no result") }
            let lost = row.frames - result.shown
            let (stays, lags) = (result.stays.map(Double.init), result.lags.map(Double.init))
            return [
                "\(row.frames)", "\(result.stays.count)", "\(result.shown)", "\(lost)", median(stays).milliseconds,
                percentile(99, of: stays).milliseconds, (stays.max() ?? 0).milliseconds, median(lags).milliseconds,
                (lags.max() ?? 0).milliseconds, Double(result.latency).milliseconds, result.score.share,
                row.hasGoal ? Goal.verdict("0 lost", lost == 0) : "-",
            ]
        }
    }
}

/// What is measured once per repetition of a speed row.
private struct SpeedRepetition {
    var ours: FaceResult
    var peer: FaceResult
    var carrier: FaceResult
}

extension [SpeedRepetition] {
    fileprivate func cells(_ goal: Goal) -> [String] {
        let carrier = median(map(\.carrier.nanosecondsPerFrame))
        let comparison = Comparison(
            map { $0.ours.nanosecondsPerFrame - carrier }, map { $0.peer.nanosecondsPerFrame - carrier })
        func time(_ side: KeyPath<SpeedRepetition, Int>) -> String {
            (median(map { Double($0[keyPath: side]) }) / 1e6).fixed(1)
        }
        func peak(_ side: KeyPath<SpeedRepetition, FaceResult>) -> String {
            median(map { Double($0[keyPath: side].peakKilobytes) }).megabytes
        }
        return [
            comparison.ours.milliseconds, comparison.other.milliseconds, comparison.ratio.fixed(2), comparison.range,
            time(\.ours.firstNanoseconds), time(\.ours.longestNanoseconds), time(\.peer.longestNanoseconds),
            carrier.milliseconds, peak(\.ours), peak(\.peer), goal.verdict(ratio: comparison.ratio),
        ]
    }
}

extension FaceScore {
    /// Found and wrong humans, found and wrong cats.
    fileprivate var shares: [String] {
        [humans, cats].flatMap { count in
            [
                count.there > 0 ? percent(count.found, of: count).fixed(1) : "-",
                percent(count.wrong, of: count).fixed(1),
            ]
        }
    }

    /// Of both kinds.
    fileprivate var share: String { percent(humans.found + cats.found, of: humans + cats).fixed(1) }

    fileprivate var isGood: Bool {
        switches == 0
            && [humans, cats].allSatisfy { count in
                (count.there == 0 || percent(count.found, of: count) >= 98) && percent(count.wrong, of: count) <= 1
            }
    }

    /// Where there is nobody of a kind, of all that are there.
    private func percent(_ number: Int, of count: Count) -> Double {
        100 * Double(number) / Double(count.there > 0 ? count.there : humans.there + cats.there)
    }
}
