// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// What the process does about SIGPIPE, which NIO has it ignore when its first socket is made: programs that this one starts
/// would inherit that. The signal goes to the thread that writes, so that it is enough if the server's own blocks it.
struct BrokenPipes: ~Copyable {
    private var before = sigaction()

    init() { sigaction(SIGPIPE, nil, &before) }

    /// Blocks the signal on the calling thread.
    static func block() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Sets what the process did when this was made.
    func restore() {
        var before = before
        sigaction(SIGPIPE, &before, nil)
    }
}
