// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Synchronization

/// Keeps the action of the process for SIGPIPE while a library is called that has the process ignore it, as SwiftNIO does with its
/// first socket and libmosquitto with each client: programs that this one starts would inherit that. The signal goes to the
/// thread that writes, so it is enough if the library's thread blocks it.
package struct BrokenPipes: ~Copyable {
    /// How many are being made, and what the process did before the first of them: one that begins while the signal is ignored for
    /// another must not take that for the action of the process.
    private static let open = Mutex((count: 0, before: sigaction()))

    package init() {
        Self.open.withLock {
            if $0.count == 0 { sigaction(SIGPIPE, nil, &$0.before) }
            $0.count += 1
        }
    }

    /// Blocks the signal on the calling thread.
    package static func block() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Sets what the process did when this was made.
    package func restore() {
        Self.open.withLock {
            $0.count -= 1
            sigaction(SIGPIPE, &$0.before, nil)
        }
    }
}
