// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Synchronization

/// What the process does about SIGPIPE, which NIO has it ignore when its first socket is made: programs that this one starts
/// would inherit that. The signal goes to the thread that writes, so that it is enough if the server's own blocks it.
struct BrokenPipes: ~Copyable {
    /// How many are being made, and what the process did before the first of them: one that begins while NIO has the signal
    /// ignored for another must not take that for what the process wants.
    private static let open = Mutex((count: 0, before: sigaction()))

    init() {
        Self.open.withLock {
            if $0.count == 0 { sigaction(SIGPIPE, nil, &$0.before) }
            $0.count += 1
        }
    }

    /// Blocks the signal on the calling thread.
    static func block() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Sets what the process did when this was made.
    func restore() {
        Self.open.withLock {
            $0.count -= 1
            sigaction(SIGPIPE, &$0.before, nil)
        }
    }
}
