// SPDX-License-Identifier: LGPL-2.1-or-later
import Service
import Waiting

/// Reports to the service manager that the stream has started, that it makes progress, and that it ends.
struct Keepalive {
    private let manager: ServiceManager?
    /// The interval between two checks of the progress, in milliseconds. Nil if this process does not send
    /// `WATCHDOG=1`.
    private let interval: UInt64?
    private var lastCount = 0
    private var isReady = false
    private var isStopping = false
    private(set) var next = Deadline.never

    /// - Parameter feedsWatchdog: false if an element of the pipeline sends `WATCHDOG=1`.
    init(feedsWatchdog: Bool) {
        manager = ServiceManager()
        // Check the progress eight times per watchdog timeout, so that `WATCHDOG=1` is sent long before the timeout.
        interval = manager == nil || !feedsWatchdog ? nil : ServiceManager.watchdogTimeout.map { max(1, $0 / 8) }
    }

    /// Reports that the pipeline plays, only once.
    mutating func started() {
        guard !isReady else { return }
        isReady = true
        manager?.notify("READY=1\nSTATUS=Playing")
        if let interval { next = .after(milliseconds: interval) }
    }

    /// Reports that the stream ends, only once.
    mutating func stopping() {
        guard !isStopping else { return }
        isStopping = true
        manager?.notify("STOPPING=1\nSTATUS=Ending the stream")
    }

    /// Sends `WATCHDOG=1` if buffers have reached the sinks since the last check, or if a source waits for its camera.
    /// - Parameters:
    ///   - count: the total number of buffers that have reached the sinks.
    ///   - isWaiting: true if a source has reported that it waits for its camera.
    mutating func look(count: Int, isWaiting: Bool) {
        guard let interval, next.hasPassed else { return }
        if count != lastCount || isWaiting { manager?.notify("WATCHDOG=1") }
        lastCount = count
        next = .after(milliseconds: interval)
    }
}
