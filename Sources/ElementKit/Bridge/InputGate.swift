// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization
import Waiting

/// Synchronizes the threads of a mixer's inputs with the mixer's streaming thread.
final class InputGate: Sendable {
    /// True while the streaming thread takes frames from the queues. Other threads must not remove items at that time.
    /// The base class expects that the first item of each queue stays until the base class takes it.
    let isTaking = Mutex(false)
    /// Counts the events that may end a wait: an item arrives, an input is added or removed, or the inputs are checked.
    let events = Monitor<UInt64>(0)

    func countEvent() { events.change { $0 &+= 1 } }
}
