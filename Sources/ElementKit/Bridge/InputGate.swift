// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization
import Waiting

/// Synchronizes the threads of a mixer's inputs with the mixer's streaming thread.
final class InputGate: Sendable {
    /// True while the streaming thread takes frames from the queues. Other threads must not remove items meanwhile,
    /// because the base class expects the first item of each queue to stay there until the base class takes the item.
    let isTaking = Mutex(false)
    /// The number of events so far: an item has arrived at an input, an input was added or removed, or time has passed.
    let events = Monitor<UInt64>(0)

    func countEvent() { events.change { $0 &+= 1 } }
}
