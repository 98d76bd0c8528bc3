// SPDX-License-Identifier: LGPL-2.1-or-later
import Service

/// Reports to systemd that frames arrive. If the reports stop, systemd restarts the service.
struct Watchdog {
    private let manager: ServiceManager
    private var isReady = false

    /// Returns nil if the process has no service manager.
    init?() {
        guard let manager = ServiceManager() else { return nil }
        self.manager = manager
    }

    /// Reports to systemd that frames arrive. Call this method only if frames have arrived since the last call.
    mutating func frameHasCome() {
        manager.notify(isReady ? "WATCHDOG=1" : "READY=1\nWATCHDOG=1")
        isReady = true
    }
}
