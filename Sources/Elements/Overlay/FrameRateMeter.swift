/// Measures how many frames arrive per second.
struct FrameRateMeter {
    /// Microseconds over which the rate is measured; longer if fewer than two frames arrive in them.
    private static let span: Int64 = 1_000_000
    /// Microseconds for which a text stays, so that it can be read.
    private static let pause: Int64 = 250_000
    /// The number of arrivals kept at most: at higher rates the span is shorter.
    private static let limit = 512

    /// The times of arrivals in microseconds, in order.
    private var arrivals: [Int64] = []
    private var lastText: Int64?
    /// The text to show; nil before the second frame.
    private(set) var text: String?

    /// Counts a frame.
    /// - Parameter time: in microseconds, of a clock that does not go back.
    mutating func frame(at time: Int64) {
        arrivals.append(time)
        let old = arrivals.prefix { time &- $0 > Self.span }.count
        arrivals.removeFirst(min(max(old, arrivals.count - Self.limit), max(0, arrivals.count - 2)))
        guard let first = arrivals.first, arrivals.count > 1, time > first else { return }
        if let lastText, time &- lastText < Self.pause { return }
        lastText = time
        text = Self.text(Double(arrivals.count - 1) * 1e6 / Double(time &- first))
    }

    /// Returns the rate with one decimal.
    private static func text(_ rate: Double) -> String {
        let tenths = Int64(min(rate, 1e9) * 10 + 0.5)
        return "\(tenths / 10).\(tenths % 10) fps"
    }
}
