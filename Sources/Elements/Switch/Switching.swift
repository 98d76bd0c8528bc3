// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Transitions

/// Decides when to switch to another input.
extension Switch {
    /// The state of the inputs and settings before an output frame.
    struct Moment {
        let time: ClockTime
        var settings: Settings
        /// The inputs, sorted by their numbers.
        let inputs: [MixerInputLife]
        let pads: [Int: SwitchPad]

        func label(_ number: Int?) -> String? { number.flatMap { pads[$0]?.label } }

        var active: Int { Int(settings.active) }

        func hasPicture(_ number: Int?) -> Bool { inputs[number: number]?.hasPicture == true }

        /// Returns true if the input has a frame and has been silent for less than the timeout.
        func isAvailable(_ number: Int?) -> Bool {
            inputs[number: number].map { $0.hasPicture && $0.silence < settings.timeout } == true
        }
    }

    /// The result of the search for the next input.
    private enum Candidate {
        case none, ready(Int)
        /// An input that is not live and whose frame has not arrived yet. The mixer waits for the frame.
        case awaited(Int)
    }

    func choose(
        _ state: inout State, _ settings: Settings, inputs: [MixerInputLife], pads: [Int: SwitchPad],
        time: ClockTime?
    ) throws -> Bool {
        state.mask.follow(settings.mask, host)
        var now = Moment(
            time: time ?? .zero, settings: settings, inputs: inputs.sorted { $0.number < $1.number }, pads: pads)
        // After a seek, the time can be earlier than before. The active input then counts as active from the new time
        // on.
        if let last = state.time, now.time < last { state.choice.since = now.time }
        state.time = now.time
        state.choice.next = nil
        // The user has selected another input after the action `cut`, so the cut is obsolete.
        if settings.cut != nil, settings.cut != settings.active {
            host.set(\.cut, to: nil, ifStill: settings.cut)
            now.settings.cut = nil
        }
        refuseMissing(&state, &now)
        // Wait for the frames of the shown inputs. An input may have no frame yet, because a gap event was queued
        // before the frame.
        let waits = [state.choice.on, state.choice.passage?.to].contains {
            now.inputs[number: $0]?.isAwaited(settings.timeout) == true
        }
        guard !waits else {
            shown.set(state.choice)
            return false
        }
        steer(&state, now)
        if let passage = state.choice.passage {
            if !now.isAvailable(passage.to) {
                if passage.position != nil { state.spendPosition(now.settings) }
                state.choice.passage = nil
                if let on = state.choice.on, now.isAvailable(on) {
                    // The new input is no longer available, so show the old input again without a transition.
                    tellLoss(of: passage.to, to: on, now)
                    if now.active == passage.to { now.settings.active = UInt32(clamping: follow(on, now.settings)) }
                }
            } else if passage.progress(at: now.time) >= 1 || (passage.position == nil && now.time < passage.start)
                || !now.hasPicture(state.choice.on)
            {
                finish(passage, &state, now)
                // The end of a manual transition changes `active`.
                now.settings = host.settings
            }
        }
        let hasChosen = (state.choice.passage != nil || decide(&state, now)) && beginManually(&state, now)
        let visible = Set([state.choice.on, state.choice.passage?.to].compactMap(\.self))
        for (number, pad) in pads { pad.show(visible.contains(number)) }
        shown.set(state.choice)
        state.sound.follow(state.choice, pads, now.time)
        return hasChosen
    }

    /// Starts a transition if the user has chosen another input, the interval has passed, or the active input is no
    /// longer available.
    /// - Returns: false if the mixer must wait for a frame of the next input.
    private func decide(_ state: inout State, _ now: Moment) -> Bool {
        guard let on = state.choice.on, now.isAvailable(on) else { return replace(&state, now) }
        var active = now.active
        if active == on || active == state.choice.missing, isDue(state, now) || isEnding(state, now) {
            switch candidate(now.inputs.after(on), now, isReady: { $0.isLive || now.isAvailable($0.number) }) {
            case .none: break
            case .awaited(let next):
                state.choice.next = next
                return false
            case .ready(let next): active = follow(next, now.settings)
            }
        }
        guard active != on else { return true }
        if now.inputs[number: active]?.isAwaited(now.settings.timeout) == true { return false }
        if now.isAvailable(active) { begin(active, &state, now) }
        return true
    }

    /// Keeps the current input if the property `active` names a missing input. Does nothing if `active` had this value
    /// before the stream started, because the input may still appear.
    private func refuseMissing(_ state: inout State, _ now: inout Moment) {
        let wanted = now.active
        guard let on = state.choice.passage?.to ?? state.choice.on else { return }
        // `wanted` may be the old input of a transition, and may be removed during the transition. The end of the
        // transition then sets `active`.
        guard wanted != on, wanted != state.choice.on, now.inputs[number: wanted] == nil else {
            return state.choice.missing = nil
        }
        guard wanted != state.choice.missing else { return }
        now.settings.active = UInt32(clamping: follow(on, now.settings))
        host.set(\.cut, to: nil, ifStill: now.settings.cut)
        let message = "active=\(wanted): the input sink_\(wanted) does not exist. sink_\(on) stays active."
        host.post(warning: ElementError(.settings, message + " Link a stream to sink_\(wanted) before you switch."))
    }

    private func isDue(_ state: State, _ now: Moment) -> Bool {
        guard now.settings.every > .zero, let since = state.choice.since else { return false }
        return now.time.since(since).map { $0 >= now.settings.every } ?? false
    }

    /// Returns true if the clip of the active input ends within the duration of a transition.
    private func isEnding(_ state: State, _ now: Moment) -> Bool {
        guard now.settings.followsClips, let end = now.inputs[number: state.choice.on]?.end else { return false }
        return now.time + now.settings.duration >= end
    }

    /// Returns the first of `inputs` that can become active. The mixer waits for slow inputs that are not live, so that
    /// the result does not depend on the speed of these inputs.
    private func candidate(
        _ inputs: [MixerInputLife], _ now: Moment, isReady: (MixerInputLife) -> Bool
    ) -> Candidate {
        for input in inputs {
            if input.isAwaited(now.settings.timeout) { return .awaited(input.number) }
            if input.lives(now.settings.timeout) || input.hasPicture, isReady(input) { return .ready(input.number) }
        }
        return .none
    }

    /// Sets the property `active` after an automatic switch, unless the user has set `active` in the meantime.
    private func follow(_ number: Int, _ settings: Settings) -> Int {
        guard let new = UInt32(exactly: number) else { return Int(settings.active) }
        host.set(\.active, to: new, ifStill: settings.active)
        return number
    }

    /// Switches to another input if the active input has ended or is silent, or if no input is active yet.
    /// - Returns: false if the mixer must wait for the frame of another input.
    private func replace(_ state: inout State, _ now: Moment) -> Bool {
        let (inputs, active, timeout) = (now.inputs, now.active, now.settings.timeout)
        guard let on = state.choice.on else { return showFirst(&state, now) }
        let order = (active == on ? [] : inputs.filter { $0.number == active }) + inputs.after(on)
        let next: Int
        switch candidate(order, now, isReady: { $0.isLive ? $0.hasPicture : now.isAvailable($0.number) }) {
        case .awaited(let number):
            state.choice.next = number
            return false
        case .none:
            // No other input is available, so keep showing the last frame of the silent input.
            return now.hasPicture(on)
                || !inputs.contains { $0.isLive && ($0.lives(timeout) || (!$0.hasFrames && !$0.hasEnded)) }
        case .ready(let number): next = number
        }
        tellLoss(of: on, to: next, now)
        if next != active, active != state.choice.missing { _ = follow(next, now.settings) }
        if now.hasPicture(on) {
            begin(next, &state, now)
        } else {
            (state.choice.on, state.choice.since) = (next, now.time)
        }
        return true
    }

    /// Shows the input of the property `active`, or else the next input that has a frame.
    /// - Returns: false if the mixer must wait for the first frame of an input.
    private func showFirst(_ state: inout State, _ now: Moment) -> Bool {
        let (inputs, active, timeout) = (now.inputs, now.active, now.settings.timeout)
        let wanted = inputs[number: active]
        if now.hasPicture(active) {
            state.choice.on = active
        } else if let wanted, wanted.isLive, !wanted.hasEnded, wanted.silence < timeout {
            return false
        } else {
            let order = inputs.from(active)
            switch candidate(order, now, isReady: { $0.isLive ? $0.hasPicture : now.isAvailable($0.number) }) {
            case .none: return !order.contains { $0.isLive && ($0.lives(timeout) || (!$0.hasFrames && !$0.hasEnded)) }
            case .awaited(let next):
                state.choice.next = next
                return false
            case .ready(let next):
                state.choice.on = next
                if wanted == nil { state.choice.missing = active }
                if wanted?.hasEnded == true { _ = follow(next, now.settings) }
            }
        }
        state.choice.since = now.time
        return true
    }

    /// Posts an element message about an input that is no longer available, and about the input that replaces it.
    private func tellLoss(of number: Int, to next: Int, _ now: Moment) {
        guard now.settings.message != .none else { return }
        host.post(event: now.inputs[number: number]?.hasEnded == false ? "input-silent" : "input-ended") { message in
            message.set("input", number)
            message.set("to", next)
            if let label = now.label(number) { message.set("input_label", label) }
            if let label = now.label(next) { message.set("to_label", label) }
        }
    }

    /// - Parameter position: the progress of a manual transition; nil for an automatic transition.
    func begin(_ number: Int, _ state: inout State, _ now: Moment, position: Double? = nil) {
        let settings = now.settings
        var transition = settings.transition
        if transition == .random {
            let all = Transition.drawn
            transition = all[Int(state.random.next() % UInt64(all.count))]
        }
        let cuts = settings.cut.map { Int($0) } == number && position == nil
        host.set(\.cut, to: nil, ifStill: settings.cut)
        let passage = SwitchChoice.Passage(
            to: number, start: now.time, duration: cuts ? .zero : settings.duration, transition: transition,
            easing: settings.easing, seed: UInt64(settings.seed), position: position)
        post("transition-begun", passage, from: state.choice.on, now)
        state.choice.passage = passage
        if passage.isCut || position.map({ $0 >= 1 }) == true { finish(passage, &state, now) }
    }

    /// Ends a transition. After a manual transition, makes the new input active, and the old input the preview.
    func finish(_ passage: SwitchChoice.Passage, _ state: inout State, _ now: Moment) {
        let old = state.choice.on
        post("transition-ended", passage, from: old, now)
        (state.choice.on, state.choice.passage, state.choice.since) = (passage.to, nil, now.time)
        guard passage.position != nil else { return }
        state.spendPosition(now.settings)
        // If the user has selected a third input during the transition, the next transition goes to this input.
        guard let old, now.active == old || now.active == state.choice.missing else { return }
        _ = follow(passage.to, now.settings)
        host.set(\.preview, to: Int32(clamping: old), ifStill: Int32(clamping: passage.to))
    }

    func post(_ event: String, _ passage: SwitchChoice.Passage, from: Int?, _ now: Moment) {
        guard host.settings.message != .none else { return }
        host.post(event: event) { message in
            if let from { message.set("from", from) }
            message.set("to", passage.to)
            if let label = now.label(from) { message.set("from_label", label) }
            if let label = now.label(passage.to) { message.set("to_label", label) }
            message.set("transition", passage.isCut ? "cut" : passage.transition.nick)
        }
    }
}

extension SwitchChoice.Passage {
    fileprivate var isCut: Bool { duration == .zero && position == nil }
}
