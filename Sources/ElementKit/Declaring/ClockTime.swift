// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer

/// A time or a duration in nanoseconds, like GstClockTime. The property type is `guint64`.
package struct ClockTime: Hashable, Comparable, Sendable {
    package var nanoseconds: UInt64

    package static let zero = ClockTime(nanoseconds: 0)
    package static let second = ClockTime(nanoseconds: 1_000_000_000)
    package static let max = ClockTime(nanoseconds: .max)

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// Returns nil for GST_CLOCK_TIME_NONE.
    init?(_ time: GstClockTime) {
        guard time != GstClockTime.max else { return nil }
        self.init(nanoseconds: UInt64(time))
    }

    /// The current time of the monotonic clock.
    package static var now: ClockTime { ClockTime(nanoseconds: UInt64(clamping: g_get_monotonic_time()) &* 1000) }

    package var seconds: Double { Double(nanoseconds) / Double(Self.second.nanoseconds) }

    /// Returns the time since an earlier time; nil if `earlier` is later than this time, for example after a seek.
    package func since(_ earlier: ClockTime) -> ClockTime? {
        self < earlier ? nil : ClockTime(nanoseconds: nanoseconds - earlier.nanoseconds)
    }

    package static func < (lhs: ClockTime, rhs: ClockTime) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

    /// Adds two times. The result is at most `max`.
    package static func + (lhs: ClockTime, rhs: ClockTime) -> ClockTime {
        let (sum, overflow) = lhs.nanoseconds.addingReportingOverflow(rhs.nanoseconds)
        return overflow ? .max : ClockTime(nanoseconds: sum)
    }

    /// Multiplies a time. The result is at most `max`.
    package static func * (factor: UInt64, time: ClockTime) -> ClockTime {
        let (product, overflow) = time.nanoseconds.multipliedReportingOverflow(by: factor)
        return overflow ? .max : ClockTime(nanoseconds: product)
    }

    package static func / (time: ClockTime, divisor: UInt64) -> ClockTime {
        divisor == 0 ? .max : ClockTime(nanoseconds: time.nanoseconds / divisor)
    }
}

extension ClockTime: SignalValue, PropertyValue, PropertyNumber {
    package static var use: ValueUse { .time }
    package static var valueType: GType { UInt64.valueType }
    package static func read(_ value: borrowing GValue) -> ClockTime? {
        UInt64.read(value).map { ClockTime(nanoseconds: $0) }
    }
    package func write(to value: inout GValue) { nanoseconds.write(to: &value) }

    package static var isInteger: Bool { true }
    package var real: Double { nanoseconds.real }
    package init(nearest number: Double) { self.init(nanoseconds: UInt64(nearest: number)) }

    package func spec(_ texts: PropertyTexts, in range: ClosedRange<ClockTime>, _ flags: GParamFlags) -> ParamSpec? {
        nanoseconds.spec(texts, in: range.lowerBound.nanoseconds...range.upperBound.nanoseconds, flags)
    }

    package func spec(_ texts: PropertyTexts, _ flags: GParamFlags) -> ParamSpec? {
        spec(texts, in: .zero ... .max, flags)
    }
}
