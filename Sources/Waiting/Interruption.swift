// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization

/// Ends waiting before its time, whatever it is that a thread waits for: an element that stops or is flushed sets it.
package final class Interruption: Sendable {
    package enum Reason: Sendable, CaseIterable {
        case stop, flush, pause
    }

    private struct State {
        var reasons: Set<Reason> = []
        /// Each waiting object, once per waiting thread.
        var waiting: [any Wakeable] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var isSet: Bool { state.withLock { !$0.reasons.isEmpty } }

    /// Interrupts current and later waits until the reason is cleared.
    package func set(_ reason: Reason) {
        let waiting = state.withLock { state in
            state.reasons.insert(reason)
            return state.waiting
        }
        for one in waiting { one.wake() }
    }

    /// Lets threads wait again, unless there is another reason.
    package func clear(_ reason: Reason) { state.withLock { _ = $0.reasons.remove(reason) } }

    /// Clears all reasons.
    package func clear() { state.withLock { $0.reasons = [] } }

    /// For tests: true while a thread waits.
    var hasWaiters: Bool { state.withLock { !$0.waiting.isEmpty } }

    func add(_ one: any Wakeable) { state.withLock { $0.waiting.append(one) } }

    func remove(_ one: any Wakeable) {
        state.withLock { state in
            if let place = state.waiting.firstIndex(where: { $0 === one }) { state.waiting.remove(at: place) }
        }
    }
}

/// What a thread can wait on.
protocol Wakeable: AnyObject, Sendable {
    /// Lets all who wait look again whether they are interrupted.
    func wake()
}
