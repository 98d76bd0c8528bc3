// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Synchronization

/// Restores the process's action for the signal SIGPIPE. Some libraries set this action to "ignore": SwiftNIO with its
/// first socket, and libmosquitto with each client. Child processes would inherit "ignore". After the action is
/// restored, a write to a closed socket raises SIGPIPE in the thread that writes, and would end the process. So the
/// threads of these libraries must block the signal (see `block`).
package struct BrokenPipes: ~Copyable {
    /// `count`: the number of instances whose `restore` was not called yet. `before`: the action for SIGPIPE before the
    /// first of these instances. Later instances must not save the action, because a library may already have changed
    /// it.
    private static let open = Mutex((count: 0, before: sigaction()))

    package init() {
        Self.open.withLock {
            if $0.count == 0 { sigaction(SIGPIPE, nil, &$0.before) }
            $0.count += 1
        }
    }

    /// Blocks SIGPIPE on the calling thread.
    package static func block() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Restores the action for SIGPIPE that was set before the first `init`.
    package func restore() {
        Self.open.withLock {
            $0.count -= 1
            sigaction(SIGPIPE, &$0.before, nil)
        }
    }
}
