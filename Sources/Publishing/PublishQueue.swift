// SPDX-License-Identifier: LGPL-2.1-or-later
import CBrokers
import Glibc
import Synchronization
import Waiting

/// A message in the queue or in flight.
package struct Record: Sendable, Equatable {
    /// The number of the message. Numbers increase from message to message.
    package let number: UInt64
    package let payload: [UInt8]
    /// True if the message was sent over a connection that was lost before the receiver acknowledged the message.
    package var wasSent = false

    package init(number: UInt64, payload: [UInt8]) {
        (self.number, self.payload) = (number, payload)
    }
}

/// The action if the queue has no room for a message.
package enum Overflow: Sendable {
    case dropOldest, dropNewest, block
}

/// The maximum size of the queue.
package struct QueueLimits: Sendable {
    package var messages: Int
    package var bytes: Int
    package var overflow: Overflow

    package init(messages: Int, bytes: Int, overflow: Overflow = .dropOldest) {
        (self.messages, self.bytes, self.overflow) = (max(1, messages), bytes, overflow)
    }
}

/// The queue of waiting messages and of sent messages without an acknowledgement. Any thread may append; one thread
/// sends.
package final class PublishQueue: Sendable {
    package enum Outcome: Sendable, Equatable {
        case queued
        /// The queue dropped this number of older messages to make room.
        case displaced(Int)
        /// The queue has no room for the message.
        case full
    }

    private struct Content: Sendable {
        var waiting = RecordLine()
        /// Sent messages without an acknowledgement, sorted by number.
        var inFlight: [Record] = []
        /// The payload size of the waiting messages and of the messages in flight.
        var bytes = 0
        var next: UInt64 = 1
        /// True after the sending thread has ended.
        var isClosed = false

        var count: Int { waiting.count + inFlight.count }
    }

    private let limits: QueueLimits
    private let content = Monitor(Content())
    /// Wakes the sending thread.
    package let wakeup: Wakeup

    /// Returns nil if the process has no free file descriptor.
    package init?(_ limits: QueueLimits) {
        guard let wakeup = Wakeup() else { return nil }
        (self.limits, self.wakeup) = (limits, wakeup)
    }

    // MARK: - For any thread

    /// The number of messages without an acknowledgement, sent or not.
    package var count: Int { content.withLock { $0.count } }

    /// The payload size of these messages, in bytes.
    package var bytes: Int { content.withLock { $0.bytes } }

    /// Appends a message. With `Overflow.block`, waits for room, until `interruption`, unless the message exceeds the
    /// limit.
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
            // The queue may have dropped older messages without success, because the messages in flight leave too
            // little room.
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

    /// Waits until the receiver has acknowledged all messages, or until the sending thread has ended.
    /// - Returns: false if messages are left.
    func drain(until deadline: Deadline, unless interruption: Interruption?) -> Bool {
        content.wait(until: deadline, unless: interruption) { $0.count == 0 || $0.isClosed } && count == 0
    }

    /// Waits until the sending thread has ended.
    func waitUntilClosed(until deadline: Deadline) { content.wait(until: deadline) { $0.isClosed } }

    // MARK: - For the thread that sends

    /// Marks the end of the sending thread.
    func close() { content.change { $0.isClosed = true } }

    /// Prepends the messages of an earlier process. If the queue has no room for all, it keeps the newest.
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

    /// Returns the waiting messages with a number above `number`.
    func waiting(after number: UInt64) -> [Record] { content.withLock { $0.waiting.after(number) } }

    /// Returns all messages in flight and waiting messages, in order.
    func all() -> [Record] { content.withLock { $0.inFlight + $0.waiting.after(0) } }

    /// All messages with numbers up to this number are done: none of them is waiting or in flight.
    var doneThrough: UInt64 {
        content.withLock { content in
            let first = min(content.inFlight.first?.number ?? .max, content.waiting.first?.number ?? .max)
            return (first == .max ? content.next : first) &- 1
        }
    }

    /// The number of messages in flight.
    var countInFlight: Int { content.withLock { $0.inFlight.count } }

    /// Takes the oldest waiting message and marks the message as in flight. Returns nil if its number is above `last`.
    func next(through last: UInt64) -> Record? {
        content.withLock { content in
            guard let first = content.waiting.first, first.number <= last, let record = content.waiting.removeFirst()
            else { return nil }
            content.inFlight.append(record)
            return record
        }
    }

    /// Removes a message in flight. Returns the message; nil if the message is no longer in flight.
    /// - Parameter count: counts the message before `drain` can return.
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

    /// Moves the newest message in flight back to the waiting messages, because the connection did not take it.
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

/// A first-in, first-out queue of records.
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

/// An event file descriptor that wakes a polling thread.
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

    /// Resets the event. The thread calls this function before it looks for work.
    func clear() {
        var number: UInt64 = 0
        _ = read(file, &number, 8)
        isSet.store(false, ordering: .sequentiallyConsistent)
    }
}
