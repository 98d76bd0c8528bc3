// SPDX-License-Identifier: LGPL-2.1-or-later
/// A value that changes in several steps. A step is a fade, or a hold, in which the value stays constant. The sequence
/// of steps can repeat.
///
/// Internally, times are whole numbers of ticks. A tick is 1/n ns, with the smallest whole number n for which the delay
/// and the durations of all steps are whole numbers of ticks. So repetitions do not drift.
package struct FadeSequence: Sendable, Hashable {
    struct Step: Sendable, Hashable {
        let fade: Fade
        let duration: ExactDuration
        /// True if the value does not change in this step.
        let isHold: Bool

        init(from: Double, to: Double, _ duration: ExactDuration, _ course: Fade.Course) {
            fade = Fade(from: from, to: to, seconds: duration.seconds, course: course)
            self.duration = duration
            isHold = false
        }

        init(hold value: Double, _ duration: ExactDuration) {
            fade = Fade(from: value, to: value, seconds: duration.seconds)
            self.duration = duration
            isHold = true
        }
    }

    /// The repetition of a sequence.
    struct Loop: Sendable, Hashable {
        enum Kind: String, Sendable, CaseIterable {
            /// The sequence restarts with the first step.
            case again = "repeat"
            /// The sequence plays forwards and backwards in turn.
            case pingPong = "ping-pong"
        }

        let kind: Kind
        /// The number of repetitions. For `ping-pong`, forwards and backwards together are one repetition. Nil if the
        /// sequence does not end.
        let count: UInt64?
    }

    private let delay: ExactDuration
    private let steps: [Step]
    private let loop: Loop?

    // Values computed from the delay, the steps and the loop. Times are in ticks. For `ping-pong`, the reversed fades
    // follow the fades.
    private let ticksPerNanosecond: UInt128
    private let delayTicks: UInt128
    private let fades: [Fade]
    /// The start of each fade, relative to the start of the repetition.
    private let starts: [UInt128]
    /// The duration of one repetition.
    private let period: UInt128

    /// Maximum number of parts of a sequence: its tempo, delay, steps and repetition.
    static let maxParts = 1000

    /// Returns nil if a tick (the unit of the times) would be shorter than 1/2⁴⁰ ns.
    /// - Parameter steps: at least one step, and at most `maxParts` steps.
    init?(after delay: ExactDuration, _ steps: [Step], _ loop: Loop?) {
        var ticks: UInt128 = 1
        for duration in [delay] + steps.map(\.duration) {
            ticks = ticks / greatestCommonDivisor(ticks, duration.denominator) * duration.denominator
            guard ticks <= ExactDuration.maxDenominator else { return nil }
        }
        // A duration is at most 2⁶³ ns, a tick is at least 1/2⁴⁰ ns, and there are at most 2000 fades. So all sums are
        // less than 2¹²⁰.
        func inTicks(_ duration: ExactDuration) -> UInt128 { duration.numerator * (ticks / duration.denominator) }
        var path = steps.map { ($0.fade, inTicks($0.duration)) }
        if loop?.kind == .pingPong { path += path.reversed().map { ($0.0.reversed, $0.1) } }
        var starts: [UInt128] = []
        var end: UInt128 = 0
        for (_, duration) in path {
            starts.append(end)
            end += duration
        }
        (self.delay, self.steps, self.loop) = (delay, steps, loop)
        (ticksPerNanosecond, delayTicks) = (ticks, inTicks(delay))
        (fades, self.starts, period) = (path.map(\.0), starts, end)
    }

    private enum Moment {
        case before
        case during(Fade, seconds: Double)
        case after
    }

    private func moment(at time: UInt64) -> Moment {
        let now = UInt128(time) * ticksPerNanosecond
        // Timestamps of frames are rounded down to whole nanoseconds. For example, at 30 frames per second, the frame
        // at 1/3 s has the timestamp 333333333 ns. So a step already starts at the nanosecond that contains its exact
        // start.
        let last = now + (ticksPerNanosecond - 1)
        guard last >= delayTicks else { return .before }
        guard period > 0 else { return .after }
        let (pass, phase) = (last - delayTicks).quotientAndRemainder(dividingBy: period)
        let count = loop == nil ? 1 : loop?.count
        if let count, pass >= count { return .after }
        guard let index = starts.lastIndex(where: { $0 <= phase }) else { return .after }
        let start = delayTicks + pass * period + starts[index]
        let ticks = now > start ? now - start : 0
        return .during(fades[index], seconds: Double(ticks) / Double(ticksPerNanosecond) / 1_000_000_000)
    }

    /// Returns the value at a time; nil before the sequence starts.
    /// - Parameter time: the number of nanoseconds since the start of the animation.
    package func value(at time: UInt64) -> Double? {
        switch moment(at: time) {
        case .before: nil
        case .during(let fade, let seconds): fade.value(at: seconds)
        case .after: finalValue
        }
    }

    /// Returns true if a fade changes the value at this time.
    package func isActive(at time: UInt64) -> Bool {
        if case .during(let fade, let seconds) = moment(at: time) { fade.isActive(at: seconds) } else { false }
    }

    /// Returns true if the sequence has ended at this time.
    package func isOver(at time: UInt64) -> Bool {
        if case .after = moment(at: time) { true } else { false }
    }

    /// The value after the end of the sequence. If the sequence does not end, the value after one repetition.
    package var finalValue: Double {
        (loop?.kind == .pingPong ? steps.first?.fade.from : steps.last?.fade.to) ?? 0
    }
}

extension FadeSequence: CustomStringConvertible {
    /// The sequence as users write it, with times in seconds.
    package var description: String {
        var parts = delay == .zero ? [] : ["after \(delay.text)"]
        parts += steps.map { step in
            guard !step.isHold else { return "hold \(step.duration.text)" }
            let course = step.fade.course == .linear ? "" : " \(step.fade.course.rawValue)"
            return "\(step.fade.from)->\(step.fade.to)@\(step.duration.text)\(course)"
        }
        if let loop { parts.append(loop.kind.rawValue + (loop.count.map { " \($0)" } ?? "")) }
        return parts.joined(separator: ", ")
    }
}
