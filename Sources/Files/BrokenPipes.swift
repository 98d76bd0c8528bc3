// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Synchronization

/// Restores the process's action for SIGPIPE after a library call that sets the action to ignore. SwiftNIO does this
/// with its first socket, and libmosquitto with each client. Child processes would inherit the ignored signal. SIGPIPE
/// goes to the writing thread, so blocking the signal in the library's thread is enough.
package struct BrokenPipes: ~Copyable {
    /// `count`: the number of instances in use. `before`: the action before the first of these instances. A second
    /// instance must not save the ignored signal as the action of the process.
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

    /// Restores the action at the time of `init`.
    package func restore() {
        Self.open.withLock {
            $0.count -= 1
            sigaction(SIGPIPE, &$0.before, nil)
        }
    }
}
