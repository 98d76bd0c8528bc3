// SPDX-License-Identifier: LGPL-2.1-or-later
/// A row of the benchmark.
struct Row {
    /// Title of the table; rows of one title are printed as one table.
    var title: String
    var name: String
    /// Stock element without which the row is skipped.
    var peer: Peer?
    /// Work that is done once in a session, before the first row that names it: files.
    var preparations: [Run] = []
    /// Runs of one repetition. The first two swap places in every other one.
    var runs: [Run]
    /// True for as many repetitions as the user wants, false for one.
    var isRepeated = true
    /// Number of repetitions beforehand that are not counted.
    var rehearsals = 0
    /// Throws if the readings are of something other than intended.
    var check: (Readings) throws -> Void = { _ in }
    var columns: [Column]

    /// Elements of ours without which the row fails.
    var elements: [String] { (preparations + runs).flatMap { $0.work.elements } }
}

/// Stock element that a user would take, and the packages that have it.
struct Peer {
    var factory: String
    var package: String

    static let compositor = Peer(factory: "compositor", package: "gstreamer1.0-plugins-base")

    static func frei0r(_ name: String) -> Peer {
        Peer(factory: "frei0r-\(name)", package: "gstreamer1.0-plugins-bad and frei0r-plugins")
    }

    static func opencv(_ factory: String) -> Peer { Peer(factory: factory, package: "gstreamer1.0-opencv") }
}

/// Something that gives a reading.
protocol Work: Hashable {
    /// Elements of ours that it needs.
    var elements: [String] { get }
    func read(in session: Session) throws -> Reading
}

extension Work {
    var elements: [String] { [] }
}

/// Role of a run in a row.
enum Side {
    /// Our element; a failure is ours.
    case ours
    /// The peer; a failure is no failure of the benchmark.
    case peer
    /// The bare pipeline of our side, and of the peer's where that has other sources.
    case carrier, peerCarrier
    /// A memcpy of the frame.
    case copy
    /// The carphone clip, decoded; if that fails the row is skipped.
    case clip
}

/// Work and its role.
struct Run {
    let side: Side
    let work: any Work
    /// True if other rows with the same work reuse the reading.
    let isShared: Bool

    init(_ side: Side, _ work: any Work, isShared: Bool = false) {
        (self.side, self.work, self.isShared) = (side, work, isShared)
    }
}

/// Column of a table.
struct Column {
    let title: String
    let cell: (Readings) -> String

    init(_ title: String, _ cell: @escaping (Readings) -> String) {
        (self.title, self.cell) = (title, cell)
    }

    init(_ title: String, _ format: KeyPath<Double, String>, _ value: @escaping (Readings) -> Double) {
        self.init(title) { value($0)[keyPath: format] }
    }

    /// Returns a column with a limit that a row should keep; without a text there is none.
    static func goal(_ text: String?, _ title: String = "goal", isMet: @escaping (Readings) -> Bool) -> Column {
        Column(title) { readings in text.map { "\($0) \(isMet(readings) ? "met" : "MISSED")" } ?? "-" }
    }

    /// Returns columns with our time and another, under these titles, with their ratio and its range.
    static func comparison(_ ours: String, _ other: String, _ compare: @escaping (Readings) -> Comparison) -> [Column] {
        [
            Column(ours, \.milliseconds) { compare($0).ours.median },
            Column(other, \.milliseconds) { compare($0).other.median },
            Column("ratio", \.hundredths) { compare($0).ratio },
            Column("range") { compare($0).range },
        ]
    }

    /// Returns a column with the peak memory of a side.
    static func peak(_ title: String = "peak MB", _ side: Side = .ours) -> Column {
        Column(title, \.megabytes) { $0.median(side, .peak) }
    }

    static var carrier: Column { Column("carrier", \.milliseconds) { $0.median(.carrier, .cpu) } }
}
