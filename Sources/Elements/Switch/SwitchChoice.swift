// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization
import Transitions

/// Which inputs are shown, and which are waited for.
final class SwitchChoice: InputChoice {
    private let host: Host<Switch.Settings>
    private let content = Mutex(Content())

    init(host: Host<Switch.Settings>) { self.host = host }

    private struct Content {
        var choice = Choice()
        /// The inputs as they were seen last.
        var inputs: [MixerInputLife] = []
    }

    /// What is on.
    struct Choice: Sendable {
        /// The input that is on, or that is left.
        var on: Int?
        /// The one that it goes over to.
        var passage: Passage?
        /// The one that it would go over to by itself, while its picture is waited for.
        var next: Int?
        /// When the last transition ended.
        var since: ClockTime?
        /// The input that was wanted before the stream began and does not exist yet.
        var missing: Int?
    }

    /// A transition that has begun.
    struct Passage: Sendable {
        var to: Int
        var start: ClockTime
        var duration: ClockTime
        var transition: Transition
        var easing: Easing
        var seed: UInt64

        func progress(at time: ClockTime) -> Double {
            guard let passed = time.since(start), passed < duration else { return time < start ? 0 : 1 }
            return easing.progress(at: passed.seconds / duration.seconds)
        }
    }

    var first: Int {
        let wanted = Int(host.settings.active)
        return content.withLock { $0.choice.on ?? wanted }
    }

    /// Returns the inputs after the active one, in the order in which they come next, as they were seen last.
    /// - Parameter active: the number that the property has, of an input that may not exist.
    func inputs(after active: Int) -> [MixerInputLife] {
        content.withLock { content in
            let exists = content.inputs[number: active] != nil
            return content.inputs.after(exists ? active : content.choice.passage?.to ?? content.choice.on ?? active)
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
    /// True if it may send more frames: a live one that has sent some, any other one because it is waited for.
    func lives(_ timeout: ClockTime) -> Bool { (hasFrames || !isLive) && !hasEnded && silence < timeout }

    /// True if its picture for the next frame is waited for.
    func isAwaited(_ timeout: ClockTime) -> Bool { !isLive && !isComplete && lives(timeout) }
}

extension [MixerInputLife] {
    /// Returns the inputs from a number on, round and round.
    func from(_ number: Int) -> [MixerInputLife] { filter { $0.number >= number } + filter { $0.number < number } }

    /// Returns the others in the order in which they come after a number, round and round.
    func after(_ number: Int) -> [MixerInputLife] { from(number).filter { $0.number != number } }

    subscript(number number: Int?) -> MixerInputLife? { first { $0.number == number } }
}

extension SwitchChoice.Choice {
    /// - Parameter inputs: sorted by their numbers.
    fileprivate func needed(of inputs: [MixerInputLife], wanted: Int, timeout: ClockTime) -> Set<Int> {
        func lives(_ number: Int?) -> Bool { inputs[number: number]?.lives(timeout) == true }
        let shown = [on, passage?.to, next, wanted].compactMap(\.self).filter(lives)
        var needed = Set(shown)
        if on == nil, inputs.contains(where: { $0.number == wanted && !$0.hasEnded && $0.silence < timeout }) {
            // It begins with the one that is wanted, if that comes in time.
            return Set([wanted, next].compactMap(\.self))
        }
        if !lives(passage?.to ?? on), !lives(wanted) {
            // The next one comes instead.
            if let next = (on.map(inputs.after) ?? inputs.from(wanted)).first(where: { $0.lives(timeout) }) {
                needed.insert(next.number)
            } else if needed.isEmpty {
                // Some may begin yet.
                let open = inputs.filter { !$0.hasEnded }
                let some = open.first { $0.number == wanted } ?? open.first { $0.silence < timeout } ?? open.first
                if let some { needed.insert(some.number) }
            }
        }
        return needed
    }
}
