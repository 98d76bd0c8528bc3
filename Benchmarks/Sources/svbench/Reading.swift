// SPDX-License-Identifier: LGPL-2.1-or-later
/// Figure that a run can give. Times are in nanoseconds, those of streams and kernels for a frame.
enum Figure: String, Codable {
    /// CPU time of the process without that of writing the frames; of a kernel, on frames that are no longer in the
    /// caches.
    case cpu
    /// Time of a memcpy of the frame, taken in turn with the kernel.
    case copy
    /// Times of both on the same frame again and again.
    case hot, hotCopy
    case wall
    /// Peak memory, in kilobytes.
    case peak
    /// Number of frames that a sink showed in time.
    case shown
    /// Latency that a pipeline reports.
    case latency
}

/// Result of a run.
struct Reading: Codable {
    var figures: [Figure: Double] = [:]
    /// Bytes sampled over the whole last frame.
    var sample: [UInt8] = []
    /// Buffers that have left the watched element, in order.
    var passages: [Passage] = []
    /// Delays of late buffers at a live sink, in nanoseconds.
    var lags: [Double] = []
    /// Plugin file of each element that was looked for and exists.
    var files: [String: String] = [:]
    /// Reason why there are no figures.
    var failure: String?

    /// Returns the regions of each of the first `count` frames of the stream; none for those that did not arrive.
    func regions(count: Int) -> [[Region]] {
        let passed = Dictionary(passages.map { ($0.frame, $0.regions) }) { $1 }
        return (0..<count).map { passed[$0] ?? [] }
    }

    /// Time that each buffer spent inside the element, in nanoseconds.
    var stays: [Double] { passages.map { Double($0.nanoseconds) } }
}

/// Results of a row, repetition by repetition.
struct Readings {
    private var sides: [Side: [Reading]] = [:]

    subscript(side: Side) -> [Reading] {
        get { sides[side, default: []] }
        set { sides[side] = newValue }
    }

    func values(_ side: Side, _ figure: Figure) -> [Double] { self[side].map { $0.figures[figure] ?? .nan } }

    func median(_ side: Side, _ figure: Figure) -> Double { values(side, figure).median }

    /// Returns the CPU time above the median of the carrier's.
    func added(_ side: Side = .ours, above carrier: Side = .carrier) -> [Double] {
        let carrier = median(carrier, .cpu)
        return values(side, .cpu).map { $0 - carrier }
    }

    func comparison(_ figure: Figure) -> Comparison {
        Comparison(ours: values(.ours, figure), other: values(.peer, figure))
    }

    /// Returns two figures of ours, compared.
    func comparison(_ figure: Figure, to other: Figure) -> Comparison {
        Comparison(ours: values(.ours, figure), other: values(.ours, other))
    }
}

/// Our figures and another's, repetition by repetition.
struct Comparison {
    let ours, other: [Double]

    var ratio: Double { ours.median / other.median }

    /// Smallest and largest ratio of one repetition, which shows the noise.
    var range: String { zip(ours, other).map { $0 / $1 }.range }
}

extension [Double] {
    /// Median; of an even number of values, the mean of the middle two. 0 if there are none.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }

    /// Returns the value that this percentage of the values does not exceed. 0 if there are none.
    func percentile(_ percent: Int) -> Double {
        isEmpty ? 0 : sorted()[Swift.max(0, (count * percent + 99) / 100 - 1)]
    }

    var mean: Double { reduce(0, +) / Double(Swift.max(1, count)) }

    var largest: Double { self.max() ?? 0 }

    /// Smallest and largest value.
    var range: String { "\((self.min() ?? 0).fixed(2))-\(largest.fixed(2))" }
}

extension Double {
    /// Returns the number as text with this many decimals.
    func fixed(_ digits: Int) -> String {
        guard isFinite, magnitude < 1e12 else { return "?" }
        let units = Int((self * (0..<digits).reduce(1) { scale, _ in scale * 10 }).rounded())
        let text = String(units.magnitude)
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
        return (units < 0 ? "-" : "") + padded.dropLast(digits) + (digits > 0 ? "." : "") + padded.suffix(digits)
    }

    var whole: String { fixed(0) }
    var tenths: String { fixed(1) }
    var hundredths: String { fixed(2) }

    /// Nanoseconds as milliseconds.
    var milliseconds: String { (self / 1e6).fixed(3) }

    /// Kilobytes as megabytes.
    var megabytes: String { (self / 1024).fixed(1) }
}
