/// Our times and another's, repetition by repetition.
struct Comparison {
    let ours: Double
    let other: Double
    let ratio: Double
    /// The smallest and the largest ratio of one repetition: how far noise goes.
    let range: String

    init(_ ours: [Double], _ other: [Double]) {
        self.ours = median(ours)
        self.other = median(other)
        ratio = self.ours / self.other
        let ratios = zip(ours, other).map { $0 / $1 }
        range = "\((ratios.min() ?? 0).fixed(2))-\((ratios.max() ?? 0).fixed(2))"
    }
}

/// Everything that is measured once per repetition of a stream row.
struct StreamRepetition {
    var ours: StreamResult
    var peer: StreamResult
    var oursCarrier: StreamResult
    var peerCarrier: StreamResult
    var copy: KernelResult
}

struct StreamFigures {
    private let repetitions: [StreamRepetition]

    init(_ row: StreamRow, still: String?, _ session: borrowing Session) throws {
        repetitions = try session.repetitions(row, still: row.isStill ? still : nil)
    }

    func cells(_ row: StreamRow) -> [String] {
        let ours = repetitions.map(\.ours.nanosecondsPerFrame)
        let peer = repetitions.map(\.peer.nanosecondsPerFrame)
        let oursCarrier = median(repetitions.map(\.oursCarrier.nanosecondsPerFrame))
        let peerCarrier = median(repetitions.map(\.peerCarrier.nanosecondsPerFrame))
        let comparison = Comparison(ours, peer)
        let net = (comparison.ours - oursCarrier) / (comparison.other - peerCarrier)
        let copy = median(repetitions.map(\.copy.cold.copy))
        let oursPeak = median(repetitions.map { Double($0.ours.peakKilobytes) })
        let peerPeak = median(repetitions.map { Double($0.peer.peakKilobytes) })
        return [
            comparison.ours.milliseconds, comparison.other.milliseconds, comparison.ratio.fixed(2), comparison.range,
            net.fixed(2), (comparison.ours / copy).fixed(2), oursPeak.megabytes, peerPeak.megabytes,
            oursCarrier.milliseconds, difference,
            row.goal.verdict(ratio: comparison.ratio, copies: comparison.ours / copy),
            row.goal.verdict(kilobytes: oursPeak, against: peerPeak), row.peer.factory,
        ]
    }

    /// How far apart the two results are, as a mean over samples of one frame, in 0…255: near 0 where both do the same,
    /// more where the formulas of a mode of that name differ.
    private var difference: String {
        guard let last = repetitions.last, !last.ours.sample.isEmpty,
            last.ours.sample.count == last.peer.sample.count
        else { return "?" }
        let sum = zip(last.ours.sample, last.peer.sample).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return (Double(sum) / Double(last.ours.sample.count)).fixed(1)
    }
}

extension Goal {
    /// - Parameter measuredCopies: our time to a memcpy's, where that counts too.
    func verdict(ratio measured: Double, copies measuredCopies: Double = .infinity) -> String {
        guard let ratio else { return "-" }
        let isMet = measured <= ratio || copies.map { measuredCopies <= $0 } ?? false
        return Self.verdict("<=\(ratio.fixed(2))", isMet)
    }

    /// Of peak memory: "at most so many megabytes above", or below the peer's where that is none.
    func verdict(kilobytes ours: Double, against peer: Double) -> String {
        guard let extraMemory else { return "-" }
        let isMet = extraMemory == 0 ? ours < peer : ours <= peer + extraMemory * 1024
        return Self.verdict(extraMemory == 0 ? "<peer" : "<=+\(extraMemory.fixed(0))", isMet)
    }

    func verdict(wallMilliseconds measured: Double) -> String {
        guard let wallMilliseconds else { return "-" }
        return Self.verdict("<\(wallMilliseconds.fixed(0))ms", measured < wallMilliseconds)
    }

    static func verdict(_ goal: String, _ isMet: Bool) -> String {
        "\(goal) \(isMet ? "met" : "MISSED")"
    }
}
