/// An element beside another that gives the same result, on the same frames, in the same format and number, with the same
/// sink.
struct PairMeasurement: Measurement {
    let title = "Elements: CPU per frame and peak memory of the whole process"
    var name: String
    var ours: StreamJob
    var theirs: StreamJob
    var elements: [String]
    var peer: Peer?
    var preparations: [Run] = []
    /// Maximum ratio of CPU time.
    var ratio: Double?
    /// Number of copies of the frame that our CPU time may cost: if it does not exceed this, it may exceed the ratio.
    var copies = 0.0
    /// Maximum peak memory above the peer's, in megabytes; if 0, it must be below.
    var extraMemory: Double?

    var runs: [Run] {
        let size = ours.sources.first?.content.size ?? .hd
        return [
            Run(.ours, ours), Run(.peer, theirs), Run(.carrier, ours.carrier), Run(.peerCarrier, theirs.carrier),
            Run(.copy, KernelJob(size: size, rounds: ours.effort.kernelRounds)),
        ]
    }

    var goal: Goal? {
        ratio.map { ratio in
            Goal("<=\(ratio.hundredths)") { $0.comparison(.cpu).ratio <= ratio || Self.copies($0) <= copies }
        }
    }

    private var memoryGoal: Goal? {
        extraMemory.map { extra in
            Goal(extra == 0 ? "<peer" : "<=+\(extra.whole)") {
                let (ours, peer) = ($0.median(.ours, .peak), $0.median(.peer, .peak))
                return extra == 0 ? ours < peer : ours <= peer + extra * 1024
            }
        }
    }

    var columns: [Column] {
        [
            Column("ours ms", \.milliseconds) { $0.median(.ours, .cpu) },
            Column("peer ms", \.milliseconds) { $0.median(.peer, .cpu) },
            Column("ratio", \.hundredths) { $0.comparison(.cpu).ratio },
            Column("range") { $0.comparison(.cpu).range },
            Column("net", \.hundredths) { $0.added().median / $0.added(.peer, above: .peerCarrier).median },
            Column("/memcpy", \.hundredths, Self.copies),
            .peak("ours MB"), .peak("peer MB", .peer), .carrier,
            Column("differ") { Self.difference($0) },
            .goal(goal, "CPU goal"), .goal(memoryGoal, "memory goal"),
            Column("peer") { _ in peer?.factory ?? elements.joined() },
        ]
    }

    private static func copies(_ readings: Readings) -> Double {
        readings.median(.ours, .cpu) / readings.median(.copy, .copy)
    }

    /// Returns the distance between the two results, as a mean over samples of one frame, in 0…255: near 0 if both do
    /// the same, more if the formulas of a mode of that name differ.
    private static func difference(_ readings: Readings) -> String {
        let (ours, peer) = (readings[.ours].last?.sample ?? [], readings[.peer].last?.sample ?? [])
        guard !ours.isEmpty, ours.count == peer.count else { return "?" }
        return zip(ours, peer).map { abs(Double($0) - Double($1)) }.mean.tenths
    }
}

// MARK: - Mixers

extension Peer {
    static func frei0r(_ name: String) -> Peer {
        Peer(factory: "frei0r-\(name)", package: "gstreamer1.0-plugins-bad and frei0r-plugins")
    }

    static func opencv(_ factory: String) -> Peer { Peer(factory: factory, package: "gstreamer1.0-opencv") }
}
