// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc
import Synchronization
import Waiting

/// An event that the publisher reports to users.
package enum PublisherEvent: Sendable, Equatable {
    case connected
    /// The connection is lost. `isNew` is false if an earlier event has already reported the loss and only the reason
    /// is new.
    case lost(String, isNew: Bool)
    /// The queue was full and has dropped messages. The value is the total number of dropped messages.
    case dropped(UInt64)
    /// The receiver has refused messages. `count` is the total number of refused messages. `bytes` and `reason`
    /// describe the last refused message: its size and the reason for the refusal.
    case refused(count: UInt64, bytes: Int, reason: String)
    /// The receiver does not support a feature. The text is for users.
    case limited(String)
    /// The publisher cannot write the spool file, so the queued messages are only in memory.
    case spoolFailed(String)
    case spoolRestored
    /// The spool file of an earlier process was damaged.
    case spoolDamaged(SpoolDamage)
    /// The broker has refused the announcement for Home Assistant. The value is the reason.
    case announcementRefused(String)
    /// The publisher cannot write the status file.
    case statusFailed(String)
}

/// Delivery statistics.
package struct PublishCounts: Sendable, Equatable {
    package var frames: UInt64 = 0
    package var messages: UInt64 = 0
    /// Number of messages that the receiver has acknowledged. With MQTT and QoS 0, brokers do not acknowledge messages.
    package var acknowledged: UInt64 = 0
    package var dropped: UInt64 = 0
    package var refused: UInt64 = 0
    /// Number of messages that were sent again after a lost connection. Such messages may have arrived twice.
    package var repeated: UInt64 = 0
    package var bytes: UInt64 = 0
    package var connections: UInt64 = 0
    package var isConnected = false
    package var waiting = 0
}

/// The file or broker that receives the messages.
package enum Destination: Sendable {
    case file(path: String, format: FileFormat)
    case mqtt(MQTTSettings)
    case kafka(KafkaSettings)

    /// The path of the file to which messages are written; nil for a broker.
    var path: String? {
        if case .file(let path, _) = self { path } else { nil }
    }

    /// The device in Home Assistant; nil if there is no device.
    var homeAssistant: HomeAssistant? {
        if case .mqtt(let settings) = self { settings.homeAssistant } else { nil }
    }

    func makeLink() throws(LinkFailure) -> any Link {
        switch self {
        case .file(let path, let format): FileLink(path: path, format: format)
        case .mqtt(let settings): try MQTTLink(settings)
        case .kafka(let settings): try KafkaLink(settings)
        }
    }
}

/// Settings of the publisher. Times are in milliseconds.
package struct PublisherSettings: Sendable {
    package var limits: QueueLimits
    package var spoolPath: String?
    package var reconnectInterval: UInt64 = 1000
    package var maximumReconnectInterval: UInt64 = 30_000
    /// If a broker does not answer a connection attempt within this time, the attempt fails.
    package var connectTimeout: UInt64 = 10_000
    /// The interval between two status messages, in milliseconds; 0 for no status messages.
    package var statusInterval: UInt64 = 0
    /// True if status messages are only for Home Assistant. If the broker closes the connection because of messages for
    /// Home Assistant, the publisher then also stops sending status messages.
    package var isStatusForHomeAssistant = false
    package var statusPath: String?
    /// Returns the content of the file at `statusPath`. The parameter is the status message. If this closure is nil,
    /// the file contains the status message. The publisher's thread calls this closure.
    package var statusText: (@Sendable ([UInt8]) -> [UInt8])?
    package var feedsWatchdog = false
    /// The name of the sender in status messages.
    package var source = ""
    /// Returns false while the stream is paused. The publisher's thread calls this closure.
    package var expectsFrames: @Sendable () -> Bool = { true }

    package init(limits: QueueLimits) { self.limits = limits }
}

/// Sends messages in a separate thread, and reconnects after each lost connection. `publish` does not wait for the
/// receiver.
package final class Publisher: Sendable {
    private let queue: PublishQueue
    private let core: PublisherCore

    /// - Parameter events: called in the publisher's thread until `stop` returns.
    /// - Throws: an error in the settings.
    package init(
        to destination: Destination, _ settings: PublisherSettings,
        events: @escaping @Sendable (PublisherEvent) -> Void
    ) throws(LinkFailure) {
        guard let queue = PublishQueue(settings.limits) else {
            throw LinkFailure("cannot open more files. Raise the limit of open files (ulimit -n).")
        }
        self.queue = queue
        core = PublisherCore(queue, settings, events)
        if destination.homeAssistant != nil { core.announcement.withLock { $0 = .pending } }
        let thread = try PublisherThread(core, destination)
        try thread.start()
    }

    deinit {
        core.progress.withLock { $0.stop(at: now()) }
        core.abandon()
    }

    // MARK: - From any thread

    /// Records that a frame has arrived. Call this method for frames without messages, too.
    /// - Parameter rate: the frame rate of the stream, in frames per second; nil if it is not known.
    package func countFrame(rate: Double? = nil) { core.progress.withLock { $0.addFrame(at: now(), rate: rate) } }

    /// Records that svpublish has finished its work on the current frame.
    package func releaseFrame() { core.progress.withLock { $0.releaseFrame(at: now()) } }

    /// Records that the stream has ended. Frames may still follow.
    package func endStream() { core.progress.withLock { $0.end() } }

    /// Records that an element of the pipeline has posted an error.
    package func failStream() { core.progress.withLock { $0.fail(at: now()) } }

    /// Appends a message to the queue. With `Overflow.block`, waits for space in the queue.
    /// - Parameter interruption: ends the wait for space.
    /// - Returns: false if the message was dropped.
    @discardableResult
    package func publish(_ payload: [UInt8], unless interruption: Interruption? = nil) -> Bool {
        defer { core.messages.add(1, ordering: .relaxed) }
        switch queue.append(payload, unless: interruption) {
        case .queued: return true
        case .displaced(let count):
            core.countDropped(count)
            return true
        case .full:
            core.countDropped(1)
            return false
        }
    }

    /// Sets the state of the device in Home Assistant. The publisher sends at most one state per 250 ms and skips older
    /// states, but it always sends the newest state. After each new connection, it sends the state again.
    package func setDeviceState(_ state: [UInt8]) {
        core.deviceState.withLock { $0 = state }
        queue.wakeup.wake()
    }

    /// Waits until the broker has answered the announcement for Home Assistant.
    /// - Returns: false if the broker has not answered.
    package func waitForAnnouncement(until deadline: Deadline, unless interruption: Interruption? = nil) -> Bool {
        core.announcement.wait(until: deadline, unless: interruption) { $0 == .answered }
    }

    /// True if the broker has not answered the announcement for Home Assistant.
    package var isAnnouncementPending: Bool { core.isAnnouncementPending }

    package var counts: PublishCounts { core.counts }

    /// The status message, as JSON.
    package var status: [UInt8] { core.status }

    /// True if the spool file contains all messages that are not acknowledged. The next process can then send these
    /// messages.
    package var isSpooled: Bool { core.isSpooled.load(ordering: .acquiring) }

    /// Waits until the receiver has acknowledged or refused all messages. With MQTT and QoS 0, waits until all messages
    /// are sent.
    /// - Returns: false if messages remain.
    @discardableResult
    package func drain(until deadline: Deadline, unless interruption: Interruption? = nil) -> Bool {
        queue.drain(until: deadline, unless: interruption)
    }

    /// Ends the thread within about one second. Without a spool file, the remaining messages are lost.
    /// - Returns: `left`: the number of messages that are not acknowledged. `areKept`: true if the spool file contains
    ///   these messages.
    package func stop() -> (left: Int, areKept: Bool) {
        core.progress.withLock { $0.stop(at: now()) }
        core.end(at: .after(milliseconds: 800))
        queue.wakeup.wake()
        // The thread may end later, because a library may still be looking up a host name. `stop` does not wait for
        // this.
        queue.waitUntilClosed(until: .after(milliseconds: 1000))
        core.abandon()
        return (queue.count, isSpooled)
    }
}

/// Returns the time of a monotonic clock, in milliseconds.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1000 &+ UInt64(time.tv_nsec) / 1_000_000
}

/// State that the publisher shares with its thread.
final class PublisherCore: Sendable {
    let queue: PublishQueue
    let settings: PublisherSettings

    private struct Receiver: Sendable {
        var events: (@Sendable (PublisherEvent) -> Void)?
        var isCalled = false
    }

    private let receiver: Monitor<Receiver>

    enum AnnouncementState: Sendable { case pending, answered }

    let announcement = Monitor(AnnouncementState.answered)
    var isAnnouncementPending: Bool { announcement.withLock { $0 == .pending } }
    /// The state of the device in Home Assistant; nil before the first frame.
    let deviceState = Mutex<[UInt8]?>(nil)
    let progress = Mutex(StreamProgress(at: now()))
    let messages = Atomic<UInt64>(0)
    let dropped = Atomic<UInt64>(0)
    let acknowledged = Atomic<UInt64>(0)
    let refused = Atomic<UInt64>(0)
    let repeated = Atomic<UInt64>(0)
    let bytes = Atomic<UInt64>(0)
    let connections = Atomic<UInt64>(0)
    let isConnected = Atomic(false)
    let isSpooled = Atomic(false)
    private let deadline = Mutex<Deadline?>(nil)
    private let beginning = now()

    init(_ queue: PublishQueue, _ settings: PublisherSettings, _ events: @escaping @Sendable (PublisherEvent) -> Void) {
        (self.queue, self.settings) = (queue, settings)
        receiver = Monitor(Receiver(events: events))
    }

    func countDropped(_ count: Int) { dropped.add(UInt64(count), ordering: .relaxed) }

    /// Calls the event handler. Only the publisher's thread may call this method.
    func report(_ event: PublisherEvent) {
        let events = receiver.withLock { receiver in
            receiver.isCalled = receiver.events != nil
            return receiver.events
        }
        guard let events else { return }
        events(event)
        receiver.change { $0.isCalled = false }
    }

    /// Sets the time at which the thread must end.
    func end(at deadline: Deadline) { self.deadline.withLock { $0 = deadline } }

    /// Removes the event handler. If a call of the handler is running, waits until it returns.
    func abandon() {
        receiver.withLock { $0.events = nil }
        receiver.wait { !$0.isCalled }
        if end == nil { end(at: .now) }
        queue.wakeup.wake()
    }

    /// The time at which the thread must end; nil if it need not end.
    var end: Deadline? { deadline.withLock { $0 } }

    var counts: PublishCounts {
        PublishCounts(
            frames: progress.withLock { $0.frames }, messages: messages.load(ordering: .relaxed),
            acknowledged: acknowledged.load(ordering: .relaxed), dropped: dropped.load(ordering: .relaxed),
            refused: refused.load(ordering: .relaxed), repeated: repeated.load(ordering: .relaxed),
            bytes: bytes.load(ordering: .relaxed), connections: connections.load(ordering: .relaxed),
            isConnected: isConnected.load(ordering: .relaxed), waiting: queue.count)
    }

    var streamState: StreamState { progress.withLock { $0.state(at: now()) } }

    /// The status message, as JSON on one line.
    var status: [UInt8] {
        let now = now()
        let (state, age) = progress.withLock { ($0.state(at: now), $0.frameAge(at: now)) }
        return StateNote.note(
            settings.source, state, time: Int(time(nil)), interval: (settings.statusInterval + 999) / 1000,
            uptime: (now - beginning) / 1000, frameAge: age, counts)
    }
}
