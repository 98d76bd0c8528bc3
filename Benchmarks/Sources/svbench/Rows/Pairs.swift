// SPDX-License-Identifier: LGPL-2.1-or-later
extension Row {
    /// Returns the row of an element beside another that gives the same result, on the same frames, in the same format
    /// and number, with the same sink.
    /// - Parameters:
    ///   - ratio: the maximum ratio of CPU time.
    ///   - copies: the number of copies of the frame that our CPU time may cost: if it does not exceed this, it may
    ///     exceed the ratio.
    ///   - extraMemory: the maximum peak memory above the peer's, in megabytes; if 0, it must be below.
    static func pair(
        _ name: String, _ ours: StreamJob, beside theirs: StreamJob, _ peer: Peer?, preparations: [Run] = [],
        ratio: Double? = nil, copies: Double = 0, extraMemory: Double? = nil
    ) -> Row {
        let copy = KernelJob(size: ours.sources.first?.content.size ?? .hd, rounds: ours.effort.kernelRounds)
        func inCopies(_ readings: Readings) -> Double { readings.median(.ours, .cpu) / readings.median(.copy, .copy) }
        return Row(
            title: "Elements: CPU per frame and peak memory of the whole process", name: name, peer: peer,
            preparations: preparations,
            runs: [
                Run(.ours, ours), Run(.peer, theirs), Run(.carrier, ours.carrier), Run(.peerCarrier, theirs.carrier),
                Run(.copy, copy),
            ],
            columns: Column.comparison("ours ms", "peer ms") { $0.comparison(.cpu) } + [
                Column("net", \.hundredths) { $0.added().median / $0.added(.peer, above: .peerCarrier).median },
                Column("/memcpy", \.hundredths, inCopies),
                .peak("ours MB"), .peak("peer MB", .peer), .carrier,
                Column("differ", difference),
                .goal(ratio.map { "<=\($0.hundredths)" }, "CPU goal") {
                    $0.comparison(.cpu).ratio <= ratio ?? 0 || inCopies($0) <= copies
                },
                .goal(extraMemory.map { $0 == 0 ? "<peer" : "<=+\($0.whole)" }, "memory goal") {
                    let (ours, peer, extra) = ($0.median(.ours, .peak), $0.median(.peer, .peak), extraMemory ?? 0)
                    return extra == 0 ? ours < peer : ours <= peer + extra * 1024
                },
                Column("peer") { _ in peer?.factory ?? theirs.elements.joined() },
            ])
    }

    /// Returns the distance between the two results, as a mean over samples of one frame, in 0…255: near 0 if both do
    /// the same, more if the formulas of a mode of that name differ.
    private static func difference(_ readings: Readings) -> String {
        let (ours, peer) = (readings[.ours].last?.sample ?? [], readings[.peer].last?.sample ?? [])
        guard !ours.isEmpty, ours.count == peer.count else { return "?" }
        return zip(ours, peer).map { abs(Double($0) - Double($1)) }.mean.tenths
    }
}

/// A filter and another, in gst-launch's syntax.
struct FilterPair {
    var name: String
    var format = "RGBA"
    var ours: String
    var theirs: String
    var peer: Peer?
    var ratio: Double?
    var copies = 0.0

    func row(_ size: FrameSize, _ effort: Effort) -> Row {
        func job(_ elements: String) -> StreamJob {
            StreamJob(elements, on: .pictures(format, size), effort, isWatched: false)
        }
        return .pair("\(name)/\(size)", job(ours), beside: job(theirs), peer, ratio: ratio, copies: copies)
    }
}
