// SPDX-License-Identifier: LGPL-2.1-or-later
import Service

/// Reports arriving frames to systemd. If the reports stop, systemd restarts the unit.
struct Watchdog {
    private let manager: ServiceManager
    private var isReady = false

    /// Returns nil if no service manager listens.
    init?() {
        guard let manager = ServiceManager() else { return nil }
        self.manager = manager
    }

    /// Called when frames have come since the last call.
    mutating func frameHasCome() {
        manager.notify(isReady ? "WATCHDOG=1" : "READY=1\nWATCHDOG=1")
        isReady = true
    }
}
