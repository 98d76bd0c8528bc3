// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization
import Transitions

/// Determines the inputs for which the mixer waits. Any thread may use this object.
final class SwitchChoice: InputChoice {
    private let host: Host<Switch.Settings>
    private let content = Mutex(Content())

    init(host: Host<Switch.Settings>) { self.host = host }

    private struct Content {
        var choice = Choice()
        /// The state of the inputs in the last call of `needed(of:)`.
        var inputs: [MixerInputLife] = []
    }

    /// The state of the switch.
    struct Choice: Sendable {
        /// The active input; during a transition, the input at its beginning.
        var on: Int?
        /// The current transition; nil if there is none.
        var passage: Passage?
        /// The input of the next automatic switch or manual transition, while the mixer waits for a frame of this
        /// input; otherwise nil.
        var next: Int?
        /// The time at which the input `on` became active.
        var since: ClockTime?
        /// The value of `active` at the start of the stream, if there was no input with this number; otherwise nil.
        var missing: Int?
    }

    /// A transition in progress.
    struct Passage: Sendable {
        var to: Int
        var start: ClockTime
        var duration: ClockTime
        var transition: Transition
        var easing: Easing
        var seed: UInt64
        /// The progress at the time `start`. It is above 0 if a manual transition continues automatically.
        var origin = 0.0
        /// The value of the property `position` in a manual transition; nil in an automatic transition.
        var position: Double?

        func progress(at time: ClockTime) -> Double {
            if let position { return position }
            guard let passed = time.since(start), passed < duration else { return time < start ? origin : 1 }
            return origin + (1 - origin) * easing.progress(at: passed.seconds / duration.seconds)
        }

        /// Continues a manual transition automatically.
        mutating func release(at time: ClockTime) {
            guard let position else { return }
            (origin, self.position, start) = (position, nil, time)
            duration = ClockTime(nearest: Double(duration.nanoseconds) * (1 - position))
        }
    }

    var first: Int {
        let wanted = Int(host.settings.active)
        return content.withLock { $0.choice.on ?? wanted }
    }

    func shows(_ number: Int) -> Bool {
        let active = Int(host.settings.active)
        return content.withLock { content in
            let choice = content.choice
            // If the user has selected an input, the transition may still wait for a frame of this input.
            let isNext = choice.passage == nil ? active : choice.passage?.to
            return [choice.on, choice.next, isNext].contains(number)
        }
    }

    /// Returns the inputs after the active input, in cyclic order, with their state in the last call of `needed(of:)`.
    /// - Parameter active: the value of the property `active`, which may be the number of a missing input.
    func inputs(after active: Int) -> [MixerInputLife] {
        content.withLock { content in
            let exists = content.inputs[number: active] != nil
            return content.inputs.after(exists ? active : content.choice.passage?.to ?? content.choice.on ?? active)
        }
    }

    /// Returns true if the switch has inputs, but no input with this number.
    func lacks(_ number: Int) -> Bool {
        content.withLock { !$0.inputs.isEmpty && $0.inputs[number: number] == nil }
    }

    /// Returns true if the input has ended, or has sent frames before but no longer sends frames.
    func isSilent(_ number: Int, _ timeout: ClockTime) -> Bool {
        content.withLock { content in
            guard let input = content.inputs[number: number] else { return false }
            return (input.hasFrames || input.hasEnded) && !input.lives(timeout)
        }
    }

    func set(_ choice: Choice) { content.withLock { $0.choice = choice } }

    func needed(of inputs: [MixerInputLife]) -> Set<Int> {
        let inputs = inputs.sorted { $0.number < $1.number }
        let settings = host.settings
        let choice = content.withLock { content in
            content.inputs = inputs
            return content.choice
        }
        return choice.needed(of: inputs, wanted: Int(settings.active), timeout: settings.timeout)
    }
}

extension MixerInputLife {
    /// Returns true if the input has not ended and has been silent for less than `timeout`. A live input must also have
    /// sent at least one frame.
    func lives(_ timeout: ClockTime) -> Bool { (hasFrames || !isLive) && !hasEnded && silence < timeout }

    /// Returns true if the choice of the shown inputs waits until this input has a frame. The choice does not wait for
    /// live inputs.
    func isAwaited(_ timeout: ClockTime) -> Bool { !isLive && !isComplete && lives(timeout) }
}

extension [MixerInputLife] {
    /// Returns all inputs in cyclic order, starting with the input `number`.
    func from(_ number: Int) -> [MixerInputLife] { filter { $0.number >= number } + filter { $0.number < number } }

    /// Returns all inputs except `number` in cyclic order, starting after `number`.
    func after(_ number: Int) -> [MixerInputLife] { from(number).filter { $0.number != number } }

    subscript(number number: Int?) -> MixerInputLife? { first { $0.number == number } }
}

extension SwitchChoice.Choice {
    /// Returns the numbers of the inputs for which the mixer waits.
    /// - Parameter inputs: the inputs, sorted by their numbers.
    fileprivate func needed(of inputs: [MixerInputLife], wanted: Int, timeout: ClockTime) -> Set<Int> {
        func lives(_ number: Int?) -> Bool { inputs[number: number]?.lives(timeout) == true }
        let shown = [on, passage?.to, next, wanted].compactMap(\.self).filter(lives)
        var needed = Set(shown)
        if on == nil, inputs.contains(where: { $0.number == wanted && !$0.hasEnded && $0.silence < timeout }) {
            // Before the first output frame, wait for the input of the property `active`, for at most the timeout.
            return Set([wanted, next].compactMap(\.self))
        }
        if !lives(passage?.to ?? on), !lives(wanted) {
            // The shown input sends no frames, so wait for the next input in cyclic order, which will replace the shown
            // input.
            if let next = (on.map(inputs.after) ?? inputs.from(wanted)).first(where: { $0.lives(timeout) }) {
                needed.insert(next.number)
            } else if needed.isEmpty {
                // No input sends frames, so wait for an input that can still start.
                let open = inputs.filter { !$0.hasEnded }
                let some = open.first { $0.number == wanted } ?? open.first { $0.silence < timeout } ?? open.first
                if let some { needed.insert(some.number) }
            }
        }
        return needed
    }
}
