// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization
import Transitions

/// Which inputs are shown, and which are waited for.
final class SwitchChoice: InputChoice {
    private let content = Mutex(Content())

    fileprivate struct Content {
        var choice = Choice()
        var wanted = 0
        var timeout = ClockTime.second
        /// The inputs as they were seen last.
        var inputs: [MixerInputLife] = []
    }

    /// What is on.
    struct Choice: Sendable {
        /// The input that is on, or that is left.
        var on: Int?
        /// The one that it goes over to.
        var passage: Passage?
        /// When the last transition ended.
        var since: ClockTime?
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

    var first: Int { content.withLock { $0.choice.on ?? $0.wanted } }

    /// The inputs by their numbers, as they were seen last.
    var inputs: [MixerInputLife] { content.withLock { $0.inputs } }

    func follow(wanted: Int, timeout: ClockTime) { content.withLock { ($0.wanted, $0.timeout) = (wanted, timeout) } }

    func set(_ choice: Choice) { content.withLock { $0.choice = choice } }

    func needed(of inputs: [MixerInputLife]) -> Set<Int> {
        let inputs = inputs.sorted { $0.number < $1.number }
        return content.withLock { content in
            content.inputs = inputs
            return content.needed(of: inputs)
        }
    }
}

extension MixerInputLife {
    /// True if it has sent frames, and may send more.
    func lives(_ timeout: ClockTime) -> Bool { hasFrames && !hasEnded && silence < timeout }
}

extension [MixerInputLife] {
    /// Returns the next input after a number, round and round, of which something is true.
    /// - Parameter step: 1, or −1 for the one before.
    func next(after number: Int, step: Int = 1, where isGood: (MixerInputLife) -> Bool) -> Int? {
        let (below, above) = (filter { $0.number < number }, filter { $0.number > number })
        let order = step > 0 ? above + below : below.reversed() + above.reversed()
        return order.first(where: isGood)?.number
    }
}

extension SwitchChoice.Content {
    fileprivate func needed(of inputs: [MixerInputLife]) -> Set<Int> {
        func lives(_ number: Int?) -> Bool { inputs.contains { $0.number == number && $0.lives(timeout) } }
        let shown = [choice.on, choice.passage?.to, wanted].compactMap(\.self).filter(lives)
        var needed = Set(shown)
        if choice.on == nil, inputs.contains(where: { $0.number == wanted && !$0.hasEnded && $0.silence < timeout }) {
            // It begins with the one that is wanted, if that comes in time.
            return [wanted]
        }
        if !lives(choice.passage?.to ?? choice.on), !lives(wanted) {
            // The next one comes instead.
            if let next = inputs.next(after: choice.on ?? wanted - 1, where: { $0.lives(timeout) }) {
                needed.insert(next)
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
