// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization
import Waiting

/// Posts the messages about clips on the element's worker thread, and applies the limits of disk space and age.
final class ClipReporter: Sendable {
    /// Nil when the element has stopped.
    private let host: Mutex<Host<Events.Settings>?>
    private let store: ClipStore?
    /// Runs the jobs of `store`. If the disk hangs, this delays neither the messages nor the stop of the element.
    private let disk = Worker()

    init(_ host: Host<Events.Settings>, _ store: ClipStore?) {
        self.host = Mutex(host)
        self.store = store
        keep([])
    }

    /// Posts the messages about a report. Any thread may call this method.
    func report(_ report: ClipReport) {
        post { Self.post(report, $0) }
        switch report {
        case .finished(let info), .failed(let info, _): keep(info.files)
        case .started, .warning: break
        }
    }

    private func post(_ job: @escaping @Sendable (Host<Events.Settings>) -> Void) {
        // While the lock is held, the element cannot be released, so the worker thread still exists.
        host.withLock { host in
            guard let host else { return }
            host.worker.run { job(host) }
        }
    }

    /// Adds files to the index, applies the limits of disk space and age, and reports deleted files.
    private func keep(_ files: [String]) {
        guard let store else { return }
        disk.run { [self] in
            let outcome = store.add(files)
            for path in outcome.deleted {
                post { host in host.post(event: "clip-deleted") { $0.set("location", path) } }
            }
            if let problem = outcome.problem { post { $0.post(warning: problem) } }
        }
    }

    /// Waits until the limits of disk space and age are applied. A stopping element must not also wait for the
    /// messages: the application can stop the pipeline in the thread that posts them, and the wait would never end.
    func waitForDisk(until deadline: Deadline, unless interruption: Interruption?) {
        let isDone = Monitor(false)
        disk.run { isDone.change { $0 = true } }
        isDone.wait(until: deadline, unless: interruption) { $0 }
    }

    /// Waits until all earlier messages are posted, or until the element stops.
    func waitForMessages(unless interruption: Interruption) {
        let isDone = Monitor(false)
        let isQueued = host.withLock { host in
            host?.worker.run { isDone.change { $0 = true } }
            return host != nil
        }
        if isQueued { isDone.wait(unless: interruption) { $0 } }
    }

    /// Stops posting messages. Call this method before the element has stopped.
    func close() { host.withLock { $0 = nil } }

    private static func post(_ report: ClipReport, _ host: Host<Events.Settings>) {
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
        case .failed(let info, let error):
            host.post(warning: error)
            host.post(event: "clip-failed") { message in
                message.set(info)
                message.set("reason", error.message)
            }
        case .warning(let error): host.post(warning: error)
        }
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
