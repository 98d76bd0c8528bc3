import CElements
import CGStreamer

/// Durations in nanoseconds, as GStreamer counts time.
package enum ClockTime {
    package static let second: UInt64 = 1_000_000_000

    /// The GType of time properties.
    static let type: GType = sv_register_time_type("GstSvTime", parseTime)

    private static let units: [(suffix: String, nanoseconds: Double)] = [
        ("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9),
    ]

    /// Reads `2s`, `40ms`, `1.5m`, `0.5h`, `250us`, `10ns`, or nanoseconds without a unit.
    package static func parse(_ text: String) -> UInt64? {
        if let plain = UInt64(text) { return plain }
        // "ns", "us" and "ms" come before "s", which all of them end in.
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }),
            let number = Double(text.dropLast(unit.suffix.count)), number >= 0
        else { return nil }
        return UInt64(exactly: (number * unit.nanoseconds).rounded())
    }

    /// The shortest text that `parse` reads back: `0`, `40ms`, `2s`.
    package static func format(_ time: UInt64) -> String {
        if time == 0 { return "0" }
        if time == .max { return "\(time)" }
        let unit = units.prefix(4).last { time.isMultiple(of: UInt64($0.nanoseconds)) } ?? units[0]
        return "\(time / UInt64(unit.nanoseconds))\(unit.suffix)"
    }

    static func describe(_ blurb: String, range: ClosedRange<UInt64>, initial: UInt64) -> String {
        "\(blurb) (nanoseconds, or a number with ns, us, ms, s, m or h; "
            + "range: \(format(range.lowerBound)) - \(format(range.upperBound)), default: \(format(initial)))"
    }
}

@c private func parseTime(_ text: UnsafePointer<CChar>?, _ nanoseconds: UnsafeMutablePointer<guint64>?) -> gboolean {
    guard let text, let time = ClockTime.parse(String(cString: text)) else { return 0 }
    nanoseconds?.pointee = guint64(time)
    return 1
}
