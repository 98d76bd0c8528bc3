/// A row of the benchmark.
protocol Measurement {
    /// Title of the table; rows of one title are printed as one table.
    var title: String { get }
    var name: String { get }
    /// Elements of ours without which the row fails.
    var elements: [String] { get }
    /// Stock element without which the row is skipped.
    var peer: Peer? { get }
    /// Work that is done once in a session, before the first row that names it: files.
    var preparations: [Run] { get }
    /// Runs of one repetition. The first two swap places in every other one.
    var runs: [Run] { get }
    /// True for as many repetitions as the user wants, false for one.
    var isRepeated: Bool { get }
    /// Number of repetitions beforehand that are not counted.
    var rehearsals: Int { get }
    /// Throws if the readings are of something other than intended.
    func check(_ readings: Readings) throws
    var goal: Goal? { get }
    var columns: [Column] { get }
}

extension Measurement {
    var elements: [String] { [] }
    var peer: Peer? { nil }
    var preparations: [Run] { [] }
    var isRepeated: Bool { true }
    var rehearsals: Int { 0 }
    var goal: Goal? { nil }
    func check(_ readings: Readings) throws {}
}

/// Stock element that a user would take, and the packages that have it.
struct Peer {
    var factory: String
    var package: String
}

/// Something that gives a reading.
protocol Work: Hashable {
    func read(in session: Session) throws -> Reading
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

struct Run {
    let side: Side
    let work: any Work
    /// True if other rows with the same work reuse the reading.
    let isShared: Bool

    init(_ side: Side, _ work: any Work, isShared: Bool = false) {
        self.side = side
        self.work = work
        self.isShared = isShared
    }
}

/// Limit that a row should keep.
struct Goal {
    let text: String
    let isMet: (Readings) -> Bool

    init(_ text: String, _ isMet: @escaping (Readings) -> Bool) {
        self.text = text
        self.isMet = isMet
    }

    /// Returns the goal of at most this many milliseconds, as read by `nanoseconds`.
    static func milliseconds(_ limit: Double, _ nanoseconds: @escaping (Readings) -> Double) -> Goal {
        Goal("<=\(limit.fixed(0))ms") { nanoseconds($0) <= limit * 1e6 }
    }

    /// Returns the goal of losing no frame.
    static func nothingLost(of frames: Int) -> Goal {
        Goal("0 lost") { $0.median(.ours, .shown) == Double(frames) }
    }
}

/// Column of a table.
struct Column {
    let title: String
    let cell: (Readings) -> String

    init(_ title: String, _ cell: @escaping (Readings) -> String) {
        self.title = title
        self.cell = cell
    }

    init(_ title: String, _ format: KeyPath<Double, String>, _ value: @escaping (Readings) -> Double) {
        self.init(title) { value($0)[keyPath: format] }
    }

    static func goal(_ goal: Goal?, _ title: String = "goal") -> Column {
        Column(title) { readings in
            goal.map { "\($0.text) \($0.isMet(readings) ? "met" : "MISSED")" } ?? "-"
        }
    }

    /// Returns a column with the peak memory of a side.
    static func peak(_ title: String = "peak MB", _ side: Side = .ours) -> Column {
        Column(title, \.megabytes) { $0.median(side, .peak) }
    }

    static var carrier: Column { Column("carrier", \.milliseconds) { $0.median(.carrier, .cpu) } }
}
