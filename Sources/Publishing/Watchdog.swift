// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Tells systemd that the stream goes on (sd_notify(3)), which restarts the unit when it does not.
struct Watchdog {
    private let path: String
    private var isReady = false

    /// Returns nil if no service manager listens.
    init?() {
        guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), ["/", "@"].contains(path.prefix(1))
        else { return nil }
        self.path = path
    }

    /// Called when frames have come since the last call.
    mutating func frameHasCome() {
        send(isReady ? "WATCHDOG=1" : "READY=1\nWATCHDOG=1")
        isReady = true
    }

    private func send(_ text: String) {
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
}
