// SPDX-License-Identifier: LGPL-2.1-or-later
import Service
import Waiting

/// Reports to the service manager that the stream starts, goes on and stops.
struct Keepalive {
    private let manager: ServiceManager?
    /// Interval between two looks at the progress; nil if no `WATCHDOG=1` is wanted from here.
    private let interval: UInt64?
    private var lastCount = 0
    private var isReady = false
    private var isStopping = false
    private(set) var next = Deadline.never

    /// - Parameter feedsWatchdog: false if an element of the pipeline reports that frames come.
    init(feedsWatchdog: Bool) {
        manager = ServiceManager()
        // Eight looks, so that a frame is reported long before the time is over.
        interval = manager == nil || !feedsWatchdog ? nil : ServiceManager.watchdogTimeout.map { max(1, $0 / 8) }
    }

    /// Reports that the pipeline has started, once.
    mutating func started() {
        guard !isReady else { return }
        isReady = true
        manager?.notify("READY=1\nSTATUS=Playing")
        if let interval { next = .after(milliseconds: interval) }
    }

    /// Reports that the stream ends, once.
    mutating func stopping() {
        guard !isStopping else { return }
        isStopping = true
        manager?.notify("STOPPING=1\nSTATUS=Ending the stream")
    }

    /// Reports a sign of life if there was one since the last look.
    /// - Parameters:
    ///   - count: buffers that have reached sinks.
    ///   - isWaiting: whether a source waits for its camera, as it has announced.
    mutating func look(count: Int, isWaiting: Bool) {
        guard let interval, next.hasPassed else { return }
        if count != lastCount || isWaiting { manager?.notify("WATCHDOG=1") }
        lastCount = count
        next = .after(milliseconds: interval)
    }
}
