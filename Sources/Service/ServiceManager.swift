// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// The service manager that has started this process, such as systemd (sd_notify(3)).
package struct ServiceManager: Sendable {
    private let path: String

    /// Returns nil if no service manager listens.
    package init?() {
        guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), ["/", "@"].contains(path.prefix(1))
        else { return nil }
        self.path = path
    }

    /// Sends assignments such as `READY=1`, one per line. Never waits.
    package func notify(_ text: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: bytes)
            // A name in the abstract namespace begins with a zero.
            if bytes.first == UInt8(ascii: "@") { place[0] = 0 }
        }
        let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return }
        defer { close(file) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
                _ = sendto(file, text, text.utf8.count, flags, address, size)
            }
        }
    }

    /// Milliseconds after which the service manager restarts a process that has sent no `WATCHDOG=1` (sd_watchdog_enabled(3)).
    /// - Returns: nil if it does not.
    package static var watchdogTimeout: UInt64? {
        func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
        guard let microseconds = number("WATCHDOG_USEC"), microseconds > 0 else { return nil }
        // Without an identifier it is for any process of the service.
        if let process = number("WATCHDOG_PID"), process != UInt64(clamping: getpid()) { return nil }
        return max(1, microseconds / 1000)
    }
}

/// Whether the standard error goes to the journal, which reads priorities such as `<4>` (sd-daemon(3)).
package func logsToJournal() -> Bool {
    guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
    var status = stat()
    return fstat(STDERR_FILENO, &status) == 0 && stream == "\(status.st_dev):\(status.st_ino)"
}
