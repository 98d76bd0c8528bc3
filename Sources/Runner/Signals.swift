// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Synchronization

/// Handles the signals that end the stream. After the first signal, the runner ends the stream with an end-of-stream
/// event. The second signal ends the process immediately.
struct Signals {
    /// A file descriptor that becomes readable after the first signal.
    let file: Int32

    /// Global variables, because signal handlers cannot use local variables or properties.
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
        // If nohup started the process, SIGHUP is ignored and must stay ignored.
        let before = signal(SIGHUP, Self.handler)
        if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(SIGHUP, SIG_IGN) }
    }

    private static let handler: @convention(c) (Int32) -> Void = { number in
        guard Signals.count.add(1, ordering: .relaxed).oldValue == 0 else { _exit(128 + number) }
        var byte = UInt8(truncatingIfNeeded: number)
        _ = Glibc.write(Signals.output.load(ordering: .relaxed), &byte, 1)
    }

    func hasCome() -> Bool {
        var byte: UInt8 = 0
        return read(file, &byte, 1) == 1
    }

    /// Ends the process with status 1 if it still runs after this number of seconds. An element may block while it
    /// stops.
    static func endProcess(after seconds: UInt32) {
        signal(SIGALRM) { _ in _exit(1) }
        alarm(seconds)
    }
}
