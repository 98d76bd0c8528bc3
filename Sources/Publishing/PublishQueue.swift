// SPDX-License-Identifier: LGPL-2.1-or-later
import CBrokers
import Glibc
import Synchronization
import Waiting

/// A message in the queue or in flight (sent, but not acknowledged).
package struct Record: Sendable, Equatable {
    /// The number of the message. Each message has a greater number than the message before.
    package let number: UInt64
    package let payload: [UInt8]
    /// True if the message was sent, but the connection was lost before the receiver acknowledged it.
    package var wasSent = false

    package init(number: UInt64, payload: [UInt8]) {
        (self.number, self.payload) = (number, payload)
    }
}

/// What the queue does with a new message if the queue is full.
package enum Overflow: Sendable {
    case dropOldest, dropNewest, block
}

/// The maximum size of a queue, and what the full queue does with a new message.
package struct QueueLimits: Sendable {
    package var messages: Int
    package var bytes: Int
    package var overflow: Overflow

    package init(messages: Int, bytes: Int, overflow: Overflow = .dropOldest) {
        (self.messages, self.bytes, self.overflow) = (max(1, messages), bytes, overflow)
    }
}

/// A queue with the waiting messages and the messages in flight (sent, but not acknowledged). Any thread may append
/// messages, but only one thread sends the messages.
package final class PublishQueue: Sendable {
    package enum Outcome: Sendable, Equatable {
        case queued
        /// The queue has dropped this number of older messages to get space.
        case displaced(Int)
        /// The queue has no space for the message.
        case full
    }

    private struct Content: Sendable {
        var waiting = RecordLine()
        /// Messages that were sent but not acknowledged, sorted by number.
        var inFlight: [Record] = []
        /// The total payload size of all messages, in bytes.
        var bytes = 0
        var next: UInt64 = 1
        var isClosed = false

        var count: Int { waiting.count + inFlight.count }
    }

    private let limits: QueueLimits
    private let content = Monitor(Content())
    /// Wakes the thread that sends the messages.
    package let wakeup: Wakeup

    /// Returns nil if the process has no free file descriptor.
    package init?(_ limits: QueueLimits) {
        guard let wakeup = Wakeup() else { return nil }
        (self.limits, self.wakeup) = (limits, wakeup)
    }

    // MARK: - For any thread

    /// The number of messages that are waiting or in flight.
    package var count: Int { content.withLock { $0.count } }

    /// The total payload size of the messages that are waiting or in flight, in bytes.
    package var bytes: Int { content.withLock { $0.bytes } }

    /// Appends a message. With `Overflow.block`, waits for space. The wait ends with the result `full` when
    /// `interruption` begins. If the message is larger than the limit of the queue, this method does not wait.
    package func append(_ payload: [UInt8], unless interruption: Interruption? = nil) -> Outcome {
        if limits.overflow == .block, payload.count <= limits.bytes {
            let outcome = content.wait(unless: interruption) { content -> Outcome? in
                put(payload, into: &content) ? .queued : content.isClosed ? .full : nil
            }
            if outcome != nil { wakeup.wake() }
            return outcome ?? .full
        }
        var displaced = 0
        let isQueued = content.withLock { content in
            if limits.overflow == .dropOldest, payload.count <= limits.bytes {
                while !hasRoom(for: payload, content), let oldest = content.waiting.removeFirst() {
                    content.bytes -= oldest.payload.count
                    displaced += 1
                }
            }
            return put(payload, into: &content)
        }
        guard isQueued else {
            // The queue never drops messages in flight. So the new message may not fit even after the queue has dropped
            // all waiting messages. In this case, count the new message as dropped, too.
            return displaced == 0 ? .full : .displaced(displaced + 1)
        }
        wakeup.wake()
        return displaced == 0 ? .queued : .displaced(displaced)
    }

    private func put(_ payload: [UInt8], into content: inout Content) -> Bool {
        guard hasRoom(for: payload, content) else { return false }
        content.waiting.append(Record(number: content.next, payload: payload))
        content.next += 1
        content.bytes += payload.count
        return true
    }

    private func hasRoom(for payload: [UInt8], _ content: Content) -> Bool {
        content.count < limits.messages && payload.count <= limits.bytes - content.bytes
    }

    /// Waits until no message is waiting or in flight, or the sending thread has ended.
    /// - Returns: false if messages are still waiting or in flight.
    func drain(until deadline: Deadline, unless interruption: Interruption?) -> Bool {
        content.wait(until: deadline, unless: interruption) { $0.count == 0 || $0.isClosed } && count == 0
    }

    func waitUntilClosed(until deadline: Deadline) { content.wait(until: deadline) { $0.isClosed } }

    // MARK: - For the thread that sends

    func close() { content.change { $0.isClosed = true } }

    /// Inserts the messages of an earlier process at the front. If the queue has too little space for all of these
    /// messages, the queue takes the newest ones.
    /// - Returns: the number of messages that the queue did not take.
    package func restore(_ records: [Record]) -> Int {
        content.withLock { content in
            var (first, bytes, room) = (records.endIndex, 0, limits.bytes - content.bytes)
            while first > 0, records.count - first < limits.messages, records[first - 1].payload.count <= room {
                first -= 1
                room -= records[first].payload.count
                bytes += records[first].payload.count
            }
            content.waiting.prepend(Array(records[first...]))
            content.bytes += bytes
            content.next = max(content.next, (records.last?.number ?? 0) &+ 1)
            return first
        }
    }

    func waiting(after number: UInt64) -> [Record] { content.withLock { $0.waiting.after(number) } }

    /// Returns the messages in flight and then the waiting messages, in order of their numbers.
    func all() -> [Record] { content.withLock { $0.inFlight + $0.waiting.after(0) } }

    /// All messages up to this number are done: acknowledged, refused or dropped.
    var doneThrough: UInt64 {
        content.withLock { content in
            let first = min(content.inFlight.first?.number ?? .max, content.waiting.first?.number ?? .max)
            return (first == .max ? content.next : first) &- 1
        }
    }

    var countInFlight: Int { content.withLock { $0.inFlight.count } }

    /// Moves the oldest waiting message to the messages in flight, and returns the message. Returns nil if no message
    /// is waiting, or if the number of the oldest message is greater than `last`.
    func next(through last: UInt64) -> Record? {
        content.withLock { content in
            guard let first = content.waiting.first, first.number <= last, let record = content.waiting.removeFirst()
            else { return nil }
            content.inFlight.append(record)
            return record
        }
    }

    /// Removes a message from the messages in flight and returns the message. Returns nil if the message is not in
    /// flight.
    /// - Parameter count: a closure that counts the message. The queue calls the closure before `drain` can return, so
    ///   that the counts are correct after `drain`.
    @discardableResult
    func finish(_ number: UInt64, _ count: (Record) -> Void = { _ in }) -> Record? {
        content.change { content in
            guard let index = content.inFlight.firstIndex(where: { $0.number == number }) else { return nil }
            let record = content.inFlight.remove(at: index)
            content.bytes -= record.payload.count
            count(record)
            return record
        }
    }

    /// Moves the newest message in flight back to the waiting messages, because the link did not accept the message.
    func takeBack(_ number: UInt64) {
        content.withLock { content in
            guard content.inFlight.last?.number == number, let record = content.inFlight.popLast() else { return }
            content.waiting.prepend([record])
        }
    }

    /// Moves all messages in flight back to the waiting messages.
    func takeBackAll() {
        content.withLock { content in
            for index in content.inFlight.indices { content.inFlight[index].wasSent = true }
            content.waiting.prepend(content.inFlight)
            content.inFlight = []
        }
    }
}

/// A first-in, first-out queue of messages.
private struct RecordLine: Sendable {
    private var records: [Record?] = []
    private var start = 0

    var count: Int { records.count - start }
    var first: Record? { start < records.count ? records[start] : nil }

    mutating func append(_ record: Record) { records.append(record) }

    mutating func removeFirst() -> Record? {
        guard start < records.count else { return nil }
        let first = records[start]
        records[start] = nil
        start += 1
        if start == records.count || (start >= 64 && start * 2 > records.count) {
            records.removeFirst(start)
            start = 0
        }
        return first
    }

    mutating func prepend(_ records: [Record]) {
        self.records.replaceSubrange(..<start, with: records)
        start = 0
    }

    func after(_ number: UInt64) -> [Record] {
        var first = records.endIndex
        while first > start, let record = records[first - 1], record.number > number { first -= 1 }
        return records[first...].compactMap { $0 }
    }
}

/// An event file descriptor that wakes a thread in poll(2).
package final class Wakeup: Sendable {
    package let file: Int32
    private let isSet = Atomic(false)

    init?() {
        file = sv_make_event_file()
        guard file >= 0 else { return nil }
    }

    deinit { close(file) }

    package func wake() {
        guard !isSet.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        _ = write(file, &one, 8)
    }

    /// Resets the event. After waking, the thread must call this method before it checks the queue. Otherwise, the
    /// reset could delete the event of a new message.
    func clear() {
        var number: UInt64 = 0
        _ = read(file, &number, 8)
        isSet.store(false, ordering: .sequentiallyConsistent)
    }
}
