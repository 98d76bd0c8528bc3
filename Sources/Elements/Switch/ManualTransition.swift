// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Manual transitions: the property `position` moves the transition from the active input to the input `preview`.
extension Switch {
    /// Updates a transition before each frame. A manual transition follows `position`, and is cancelled at 0. After the
    /// action `take`, or if the user has selected a third input, a manual transition continues automatically. The
    /// action `cut` ends any transition to its input immediately.
    func steer(_ state: inout State, _ now: Moment) {
        guard var passage = state.choice.passage else { return }
        let settings = now.settings
        let cuts = settings.cut == settings.active
        let isOld = now.active == state.choice.on || now.active == state.choice.missing
        // End the transition if the action `cut` has selected its new input. Also end a manual transition if `cut` has
        // selected a third input. The cut to the third input then happens after this transition.
        if cuts, now.active == passage.to || (passage.position != nil && !isOld) {
            if now.active == passage.to { host.set(\.cut, to: nil, ifStill: settings.cut) }
            if passage.position != nil { state.spendPosition(settings) }
            (passage.position, passage.start, passage.duration) = (nil, now.time, .zero)
        } else if passage.position == nil {
            // If `position` moves during an automatic transition, it must return to 0 before the next manual
            // transition. Otherwise, this transition would start in the middle.
            state.spendPosition(settings)
            return
        } else if !isOld {
            state.spendPosition(settings)
            passage.release(at: now.time)
        } else if settings.position <= 0 {
            post("transition-cancelled", passage, from: state.choice.on, now)
            state.choice.passage = nil
            return
        } else {
            passage.position = settings.position
        }
        state.choice.passage = passage
    }

    /// Starts a manual transition if `position` is above 0.
    /// - Returns: false if the mixer must wait for a frame of the input `preview`.
    func beginManually(_ state: inout State, _ now: Moment) -> Bool {
        let settings = now.settings
        guard settings.position > 0, state.spent != settings.rests, let on = state.choice.on else { return true }
        guard state.choice.passage == nil, now.active == on || now.active == state.choice.missing else { return true }
        let next = Int(settings.preview)
        guard next >= 0, next != on, let input = now.inputs[number: next] else {
            state.spendPosition(settings)
            let reason = "position: preview=\(next) is the active input or not an input, so no transition starts."
            let advice = " Set preview to another input. Then set position to 0, and move position again."
            host.post(warning: ElementError(.settings, reason + advice))
            return true
        }
        if input.isAwaited(settings.timeout) {
            state.choice.next = next
            return false
        }
        if now.isAvailable(next) {
            begin(next, &state, now, position: settings.position)
        } else if input.hasFrames || input.hasEnded {
            // Do not start the transition later: `position` is then above 0, so the image would jump.
            state.spendPosition(settings)
            host.post(
                warning: ElementError(
                    .failed, "position: the input sink_\(next) sends no frames, so no transition starts."))
        }
        return true
    }
}

extension Switch.State {
    /// Ignores `position` until its next return to 0.
    mutating func spendPosition(_ settings: Switch.Settings) {
        if settings.position > 0 { spent = settings.rests }
    }
}
