// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization

/// Requests to the streaming thread, which actions and keys make in any thread, and what the streaming thread publishes
/// so that they can be answered at once.
///
/// Each request sees the status of the last `publish`, together with all requests since then, and is in the next
/// `take` as a whole. No callback runs under the lock but the one that makes the request.
package final class Mailbox<Requests: Mail, Status: Mail>: Sendable {
    private struct Content {
        var requests = Requests()
        var status = Status()
    }

    private let content = Mutex(Content())

    package init() {}

    /// Makes a request, or refuses it, by what is known.
    @discardableResult
    package func request<Answer: Sendable>(
        _ change: (inout Requests, inout Status) -> Answer
    ) -> Answer {
        content.withLock { change(&$0.requests, &$0.status) }
    }

    /// Takes the requests since the last time; for the streaming thread.
    package func take() -> Requests {
        content.withLock { content in
            defer { content.requests = Requests() }
            return content.requests
        }
    }

    /// Replaces the status; for the streaming thread.
    package func publish(_ status: Status) { content.withLock { $0.status = status } }

    /// Forgets everything.
    package func clear() { content.withLock { $0 = Content() } }
}

/// What is in a `Mailbox`: it begins empty.
package protocol Mail: Sendable {
    init()
}

/// The status of a mailbox whose requests are never refused.
package struct NoStatus: Mail {
    package init() {}
}
