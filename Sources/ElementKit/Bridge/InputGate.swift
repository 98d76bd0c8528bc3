// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization
import Waiting

/// Synchronizes the threads of a mixer's inputs with the mixer's streaming thread.
final class InputGate: Sendable {
    /// True while the streaming thread takes frames from the queues of the inputs. Other threads must not remove items
    /// from the queues at that time. The base class expects that the first item of each queue stays until the base
    /// class takes it.
    let isTaking = Mutex(false)
    /// Counts the events that may end a wait of the mixer: an item arrives, an input is added or removed, or
    /// `InputAttendant` checks the inputs.
    let events = Monitor<UInt64>(0)

    func countEvent() { events.change { $0 &+= 1 } }
}
