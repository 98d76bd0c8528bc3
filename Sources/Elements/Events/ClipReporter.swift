// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization
import Waiting

/// Posts the messages about clips, and applies the limits of the folder. The work runs on the element's worker.
final class ClipReporter: Sendable {
    /// Nil when the element has stopped.
    private let host: Mutex<Host<Events.Settings>?>
    private let store: ClipStore?

    init(_ host: Host<Events.Settings>, _ store: ClipStore?) {
        self.host = Mutex(host)
        self.store = store
        guard let store else { return }
        host.worker.run {
            host.warning {
                try store.open()
                Self.post(try store.add([]), host)
            }
        }
    }

    /// Reports a change. Any thread may call this method.
    func report(_ report: ClipReport) {
        // The lock ensures that the element still exists when the worker takes the job.
        host.withLock { host in
            guard let host else { return }
            host.worker.run { [store] in Self.post(report, host, store) }
        }
    }

    /// Waits until all earlier messages are posted.
    func wait(unless interruption: Interruption?) {
        let isDone = Monitor(false)
        let isQueued = host.withLock { host in
            host?.worker.run { isDone.change { $0 = true } }
            return host != nil
        }
        if isQueued { isDone.wait(unless: interruption) { $0 } }
    }

    /// Ends the reports. Call this method before the element has stopped.
    func close() { host.withLock { $0 = nil } }

    private static func post(_ report: ClipReport, _ host: Host<Events.Settings>, _ store: ClipStore?) {
        switch report {
        case .started(let info):
            host.log(.info, "clip \(info.path)")
            host.post(event: "clip-started") { $0.set(info) }
        case .finished(let info):
            host.post(event: "clip-finished") { message in
                message.set(info)
                message.set("duration", info.duration)
                message.set("events", info.events)
                message.set("bytes", UInt64(clamping: info.bytes))
                if let snapshot = info.snapshot { message.set("snapshot", snapshot) }
            }
            host.warning {
                guard let store else { return }
                // The folder may be new.
                try store.open()
                post(try store.add([info.path, info.snapshot].compactMap { $0 }), host)
            }
        case .failed(let info, let error):
            host.post(warning: error)
            host.post(event: "clip-failed") { message in
                message.set(info)
                message.set("reason", error.message)
            }
        case .warning(let error): host.post(warning: error)
        }
    }

    /// Reports deleted files.
    private static func post(_ deleted: [String], _ host: Host<Events.Settings>) {
        for path in deleted { host.post(event: "clip-deleted") { $0.set("location", path) } }
    }
}

extension Structure {
    fileprivate mutating func set(_ info: ClipInfo) {
        set("location", info.path)
        set("label", info.match.label)
        set("zone", info.match.zone)
        set("trigger", info.match.event)
    }
}
