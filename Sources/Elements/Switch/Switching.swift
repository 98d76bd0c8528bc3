// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Transitions

/// When it goes over to another input.
extension Switch {
    func choose(
        _ state: inout State, _ settings: Settings, inputs: [MixerInputLife], pads: [Int: SwitchPad],
        time: ClockTime?
    ) throws -> Bool {
        state.mask.follow(settings.mask, host)
        var active = Int(settings.active)
        let time = time ?? .zero
        // A seek, for one, may go back.
        if let last = state.time, time < last { state.choice.since = nil }
        state.time = time
        func hasPicture(_ number: Int?) -> Bool { inputs.contains { $0.number == number && $0.hasPicture } }
        func lives(_ number: Int?) -> Bool {
            inputs.contains { $0.number == number && $0.silence < settings.timeout && ($0.hasPicture || !$0.hasEnded) }
        }
        if isDue(state, settings, time), let on = state.choice.on, active == on,
            let next = inputs.next(after: on, where: { $0.lives(settings.timeout) })
        {
            active = follow(next, settings)
        }
        shown.follow(wanted: active, timeout: settings.timeout)

        if let passage = state.choice.passage {
            if !hasPicture(passage.to) || !lives(passage.to) {
                state.choice.passage = nil
            } else if passage.progress(at: time) >= 1 || time < passage.start || !hasPicture(state.choice.on) {
                finish(passage, &state, at: time)
            }
        }
        var canBegin = true
        if state.choice.passage == nil {
            if let on = state.choice.on, hasPicture(on), lives(on) {
                if active != on, hasPicture(active), lives(active) { begin(active, &state, settings, at: time) }
            } else {
                canBegin = replace(&state, settings, inputs, active: active, at: time)
            }
        }
        let visible = Set([state.choice.on, state.choice.passage?.to].compactMap(\.self))
        for (number, pad) in pads { pad.show(in: visible.contains(number) ? state.output : nil) }
        shown.set(state.choice)
        return canBegin
    }

    private func isDue(_ state: State, _ settings: Settings, _ time: ClockTime) -> Bool {
        guard settings.every > .zero, state.choice.passage == nil, let since = state.choice.since else { return false }
        return time.since(since).map { $0 >= settings.every } ?? false
    }

    /// Sets the property to the input that goes on by itself, unless somebody sets it meanwhile.
    private func follow(_ number: Int, _ settings: Settings) -> Int {
        guard let new = UInt32(exactly: number) else { return Int(settings.active) }
        host.set(\.active, to: new, ifStill: settings.active)
        return number
    }

    /// Shows another input if the one that was on has ended, or is silent, or if none was on yet.
    /// - Returns: false if there is one that will have a picture soon.
    private func replace(
        _ state: inout State, _ settings: Settings, _ inputs: [MixerInputLife], active: Int, at time: ClockTime
    ) -> Bool {
        let on = state.choice.on
        func isGood(_ input: MixerInputLife) -> Bool {
            input.hasPicture && (input.silence < settings.timeout || input.number != on)
        }
        let wanted = active == on ? nil : inputs.first { $0.number == active && isGood($0) }?.number
        guard let next = wanted ?? inputs.next(after: on ?? active - 1, where: isGood) else {
            // The last picture of a live input that is silent is better than none.
            if inputs.contains(where: { $0.number == on && $0.hasPicture }) { return true }
            return !inputs.contains { $0.lives(settings.timeout) || (!$0.hasFrames && !$0.hasEnded) }
        }
        if on == nil {
            // The one that is wanted may need a moment.
            if next != active,
                inputs.contains(where: { $0.number == active && !$0.hasEnded && $0.silence < settings.timeout })
            {
                return false
            }
            (state.choice.on, state.choice.since) = (next, time)
            if next != active, !inputs.contains(where: { $0.number == active && !$0.hasEnded }) {
                _ = follow(next, settings)
            }
            return true
        }
        let hasEnded = inputs.contains { $0.number != on } && !inputs.contains { $0.number == on && !$0.hasEnded }
        if settings.message != .none, let on {
            host.post(event: hasEnded ? "input-ended" : "input-silent") { message in
                message.set("input", on)
                message.set("to", next)
            }
        }
        if next != active { _ = follow(next, settings) }
        if inputs.contains(where: { $0.number == on && $0.hasPicture }) {
            begin(next, &state, settings, at: time)
        } else {
            (state.choice.on, state.choice.since) = (next, time)
        }
        return true
    }

    private func begin(_ number: Int, _ state: inout State, _ settings: Settings, at time: ClockTime) {
        var transition = settings.transition
        if transition == .random {
            let all = Transition.drawn
            transition = all[Int(state.random.next() % UInt64(all.count))]
        }
        let passage = SwitchChoice.Passage(
            to: number, start: time, duration: settings.duration, transition: transition, easing: settings.easing,
            seed: UInt64(settings.seed))
        post("transition-begun", passage, from: state.choice.on)
        state.choice.passage = passage
        if settings.duration == .zero { finish(passage, &state, at: time) }
    }

    private func finish(_ passage: SwitchChoice.Passage, _ state: inout State, at time: ClockTime) {
        post("transition-ended", passage, from: state.choice.on)
        state.choice = SwitchChoice.Choice(on: passage.to, passage: nil, since: time)
    }

    private func post(_ event: String, _ passage: SwitchChoice.Passage, from: Int?) {
        guard host.settings.message != .none else { return }
        host.post(event: event) { message in
            if let from { message.set("from", from) }
            message.set("to", passage.to)
            message.set("transition", passage.duration == .zero ? "cut" : passage.transition.nick)
        }
    }
}
