// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization

/// Ends the waits of threads before their deadlines. An element sets its interruption when it stops or when the stream
/// is flushed.
package final class Interruption: Sendable {
    package enum Reason: Sendable, CaseIterable {
        case stop, flush, pause
    }

    private struct State {
        var reasons: Set<Reason> = []
        /// The objects on which threads wait. If several threads wait on an object, the object appears several times.
        var waiting: [any Wakeable] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var isSet: Bool { state.withLock { !$0.reasons.isEmpty } }

    /// Ends current and later waits, until `reason` is cleared.
    package func set(_ reason: Reason) {
        let waiting = state.withLock { state in
            state.reasons.insert(reason)
            return state.waiting
        }
        for wakeable in waiting { wakeable.wake() }
    }

    /// Clears a reason. If no other reason is set, threads can wait again.
    package func clear(_ reason: Reason) { state.withLock { _ = $0.reasons.remove(reason) } }

    /// Clears all reasons, so that threads can wait again.
    package func clear() { state.withLock { $0.reasons = [] } }

    /// True while a thread waits. Only tests use this property.
    var hasWaiters: Bool { state.withLock { !$0.waiting.isEmpty } }

    func add(_ wakeable: any Wakeable) { state.withLock { $0.waiting.append(wakeable) } }

    func remove(_ wakeable: any Wakeable) {
        state.withLock { state in
            if let index = state.waiting.firstIndex(where: { $0 === wakeable }) { state.waiting.remove(at: index) }
        }
    }
}

/// An object on which threads can wait.
protocol Wakeable: AnyObject, Sendable {
    /// Wakes all threads that wait on this object, so that they check the interruption.
    func wake()
}
