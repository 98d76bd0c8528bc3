// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// The service manager of this process, such as systemd (sd_notify(3)).
package struct ServiceManager: Sendable {
    private let path: String

    /// Returns nil if NOTIFY_SOCKET is not set to the name of a socket.
    package init?() {
        guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), ["/", "@"].contains(path.prefix(1))
        else { return nil }
        self.path = path
    }

    /// Sends assignments such as `READY=1` (one per line) to the service manager. Never blocks.
    package func notify(_ text: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            target.copyBytes(from: bytes)
            // Socket names in the abstract namespace begin with a zero byte.
            if bytes.first == UInt8(ascii: "@") { target[0] = 0 }
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

    /// The watchdog timeout in milliseconds; nil if the watchdog is off. If the process sends no `WATCHDOG=1` within
    /// this time, the service manager restarts the process (sd_watchdog_enabled(3)).
    package static var watchdogTimeout: UInt64? {
        func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
        guard let microseconds = number("WATCHDOG_USEC"), microseconds > 0 else { return nil }
        // If WATCHDOG_PID is not set, the timeout applies to all processes of the service.
        if let process = number("WATCHDOG_PID"), process != UInt64(clamping: getpid()) { return nil }
        return max(1, microseconds / 1000)
    }
}

/// Returns true if the standard error goes to the journal. The journal understands priorities such as `<4>`
/// (sd-daemon(3)).
package func logsToJournal() -> Bool {
    guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
    var status = stat()
    return fstat(STDERR_FILENO, &status) == 0 && stream == "\(status.st_dev):\(status.st_ino)"
}
