// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Synchronization

/// The signals that end the stream. The first signal ends the stream in order. The second signal ends the process
/// immediately.
struct Signals {
    /// Becomes readable after the first signal.
    let file: Int32

    /// A signal handler can use only global variables.
    private static let output = Atomic<Int32>(-1)
    private static let count = Atomic<Int>(0)

    /// Installs the signal handlers. Returns nil if the process has no free file descriptor.
    init?() {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        file = ends[0]
        Self.output.store(ends[1], ordering: .relaxed)
        _ = Self.count.load(ordering: .relaxed)
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGINT, SIGTERM] { signal(number, Self.handler) }
        // nohup ignores SIGHUP, so the handler must not replace SIG_IGN.
        let before = signal(SIGHUP, Self.handler)
        if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(SIGHUP, SIG_IGN) }
    }

    private static let handler: @convention(c) (Int32) -> Void = { number in
        guard Signals.count.add(1, ordering: .relaxed).oldValue == 0 else { _exit(128 + number) }
        var byte = UInt8(truncatingIfNeeded: number)
        _ = Glibc.write(Signals.output.load(ordering: .relaxed), &byte, 1)
    }

    /// Returns true if a signal has arrived since the last call.
    func hasCome() -> Bool {
        var byte: UInt8 = 0
        return read(file, &byte, 1) == 1
    }

    /// Ends the process with status 1 if it still runs after this number of seconds, because an element may block while
    /// it stops.
    static func endProcess(after seconds: UInt32) {
        signal(SIGALRM) { _ in _exit(1) }
        alarm(seconds)
    }
}
