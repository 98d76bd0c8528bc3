// SPDX-License-Identifier: LGPL-2.1-or-later
import Synchronization

/// Passes requests from actions and key presses to the streaming thread. The mailbox also contains the status that the
/// streaming thread publishes. Any thread may add requests. With the status, the mailbox can accept or refuse a request
/// immediately.
///
/// The closure of `request` gets the waiting requests and the last status, and may change both. The closure runs while
/// the lock is held. The next `take` returns all waiting requests.
package final class Mailbox<Requests: Mail, Status: Mail>: Sendable {
    private struct Content {
        var requests = Requests()
        var status = Status()
    }

    private let content = Mutex(Content())

    package init() {}

    /// Adds a request, or refuses it, depending on the status and the other requests.
    @discardableResult
    package func request<Output: Sendable>(
        _ change: (inout Requests, inout Status) -> Output
    ) -> Output {
        content.withLock { change(&$0.requests, &$0.status) }
    }

    /// Removes and returns the requests since the last call. Only the streaming thread may call this function.
    package func take() -> Requests {
        content.withLock { content in
            defer { content.requests = Requests() }
            return content.requests
        }
    }

    /// Replaces the status. Only the streaming thread may call this function.
    package func publish(_ status: Status) { content.withLock { $0.status = status } }

    /// Removes all requests and the status.
    package func clear() { content.withLock { $0 = Content() } }
}

/// The content of a `Mailbox`: requests or a status. `init` creates the empty content.
package protocol Mail: Sendable {
    init()
}

/// The status of a mailbox that never refuses requests.
package struct NoStatus: Mail {
    package init() {}
}
