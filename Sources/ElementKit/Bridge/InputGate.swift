// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization
import Waiting

/// Where the threads of a mixer's inputs meet its streaming thread.
final class InputGate: Sendable {
    /// Whether the streaming thread takes frames out of the queues. Nobody else may do so meanwhile: what the base class
    /// has seen at the head of a queue must stay there until it takes it.
    let isTaking = Mutex(false)
    /// How often something has happened: anything has arrived at an input, inputs have come or gone, or time has passed for
    /// them.
    let events = Monitor<UInt64>(0)

    func countEvent() { events.change { $0 &+= 1 } }
}
