// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc
import Synchronization
import Waiting

/// Something about the way of messages that users want to know.
package enum PublisherEvent: Sendable, Equatable {
    case connected
    /// Messages do not arrive. `isNew` is true at the beginning of an outage, and false if only the reason has changed.
    case lost(String, isNew: Bool)
    /// How many messages were dropped so far, because the queue was full.
    case dropped(UInt64)
    /// Messages that the receiver does not take were dropped, `count` so far: the size and the reason of the last one.
    case refused(count: UInt64, bytes: Int, reason: String)
    /// The receiver cannot do all that users may expect.
    case limited(String)
    /// Messages are kept in memory alone.
    case spoolFailed(String)
    case spoolRestored
    /// Some of what an earlier process has left could not be read.
    case spoolDamaged(SpoolDamage)
    /// The notes about the state cannot be written.
    case statusFailed(String)
}

/// What became of messages so far.
package struct PublishCounts: Sendable, Equatable {
    package var frames: UInt64 = 0
    package var messages: UInt64 = 0
    /// What the receiver has confirmed. MQTT with a quality of 0 confirms nothing.
    package var acknowledged: UInt64 = 0
    package var dropped: UInt64 = 0
    package var refused: UInt64 = 0
    /// Messages that were sent again after a connection was lost, and may have arrived twice.
    package var repeated: UInt64 = 0
    package var bytes: UInt64 = 0
    package var connections: UInt64 = 0
    package var isConnected = false
    package var waiting = 0
}

/// Where messages go.
package enum Destination: Sendable {
    case file(path: String, format: FileFormat)
    case mqtt(MQTTSettings)
    case kafka(KafkaSettings)

    /// The file that messages go to, if it is one.
    var path: String? {
        if case .file(let path, _) = self { path } else { nil }
    }

    func makeLink() throws(LinkFailure) -> any Link {
        switch self {
        case .file(let path, let format): FileLink(path: path, format: format)
        case .mqtt(let settings): try MQTTLink(settings)
        case .kafka(let settings): try KafkaLink(settings)
        }
    }
}

/// How messages get to where they go. Times are in milliseconds.
package struct PublisherSettings: Sendable {
    package var limits: QueueLimits
    package var spoolPath: String?
    package var reconnectInterval: UInt64 = 1000
    package var maximumReconnectInterval: UInt64 = 30_000
    /// How long a broker may take to answer when a connection begins.
    package var connectTimeout: UInt64 = 10_000
    /// The time between two notes about the state of the stream; 0: none.
    package var statusInterval: UInt64 = 0
    package var statusPath: String?
    package var feedsWatchdog = false
    /// Who sends, for those notes.
    package var source = ""
    /// Asked by the publisher's thread: false while the stream is paused.
    package var expectsFrames: @Sendable () -> Bool = { true }

    package init(limits: QueueLimits) { self.limits = limits }
}

/// Sends messages in a thread of its own, and connects again as often as it takes. Whoever publishes waits for nothing.
package final class Publisher: Sendable {
    private let queue: PublishQueue
    private let core: PublisherCore

    /// - Parameter events: called in the publisher's thread, until `stop` returns.
    /// - Throws: what is wrong with the settings.
    package init(
        to destination: Destination, _ settings: PublisherSettings,
        events: @escaping @Sendable (PublisherEvent) -> Void
    ) throws(LinkFailure) {
        guard let queue = PublishQueue(settings.limits) else {
            throw LinkFailure("cannot open more files. Raise the limit of open files (ulimit -n).")
        }
        self.queue = queue
        core = PublisherCore(queue, settings, events)
        let thread = try PublisherThread(core, destination)
        try thread.start()
    }

    deinit {
        core.progress.withLock { $0.stop(at: now()) }
        core.abandon()
    }

    // MARK: - From any thread

    /// Notes that a frame has come, published or not.
    /// - Parameter rate: frames a second, as the stream states; nil if it states no rate.
    package func countFrame(rate: Double? = nil) { core.progress.withLock { $0.addFrame(at: now(), rate: rate) } }

    /// Notes that nothing more is done with that frame.
    package func releaseFrame() { core.progress.withLock { $0.releaseFrame(at: now()) } }

    /// Notes the end of the stream; a frame may come after it all the same.
    package func endStream() { core.progress.withLock { $0.end() } }

    /// Notes that an element of the pipeline has posted an error.
    package func failStream() { core.progress.withLock { $0.fail(at: now()) } }

    /// Appends a message to the queue. With `Overflow.block`, waits for room.
    /// - Parameter interruption: what ends the wait.
    /// - Returns: false if the message is dropped.
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

    package var counts: PublishCounts { core.counts }

    /// What the notes about the state say, as JSON.
    package var status: [UInt8] { core.status }

    /// True if what is not sent is kept beyond the end of the process.
    package var isSpooled: Bool { core.isSpooled.load(ordering: .acquiring) }

    /// Waits until everything is sent and acknowledged.
    /// - Returns: false if something is left.
    @discardableResult
    package func drain(until deadline: Deadline, unless interruption: Interruption? = nil) -> Bool {
        queue.drain(until: deadline, unless: interruption)
    }

    /// Ends the thread, within about a second. What is left is lost, unless there is a spool.
    /// - Returns: the number of messages that were not sent, and whether they are kept.
    package func stop() -> (left: Int, areKept: Bool) {
        core.progress.withLock { $0.stop(at: now()) }
        core.end(at: .after(milliseconds: 800))
        queue.wakeup.wake()
        // A library that looks up a name may take longer: the thread then ends by itself later.
        queue.waitUntilClosed(until: .after(milliseconds: 1000))
        core.abandon()
        return (queue.count, isSpooled)
    }
}

/// Milliseconds of a clock that never goes back.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1000 &+ UInt64(time.tv_nsec) / 1_000_000
}

/// What the publisher and its thread share.
final class PublisherCore: Sendable {
    let queue: PublishQueue
    let settings: PublisherSettings

    private struct Receiver: Sendable {
        var events: (@Sendable (PublisherEvent) -> Void)?
        var isCalled = false
    }

    private let receiver: Monitor<Receiver>

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

    /// Called by the publisher's thread alone.
    func report(_ event: PublisherEvent) {
        let events = receiver.withLock { receiver in
            receiver.isCalled = receiver.events != nil
            return receiver.events
        }
        guard let events else { return }
        events(event)
        receiver.change { $0.isCalled = false }
    }

    /// Has the thread end at this time at the latest.
    func end(at deadline: Deadline) { self.deadline.withLock { $0 = deadline } }

    /// Nobody wants to know any more. Returns when nobody is being told.
    func abandon() {
        receiver.withLock { $0.events = nil }
        receiver.wait { !$0.isCalled }
        if end == nil { end(at: .now) }
        queue.wakeup.wake()
    }

    /// When the thread has to end; nil if it goes on.
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

    /// The note about the state of the stream, as JSON on one line.
    var status: [UInt8] {
        let now = now()
        let (state, age) = progress.withLock { ($0.state(at: now), $0.frameAge(at: now)) }
        return StateNote.note(
            settings.source, state, time: Int(time(nil)), interval: (settings.statusInterval + 999) / 1000,
            uptime: (now - beginning) / 1000, frameAge: age, counts)
    }
}
