// SPDX-License-Identifier: LGPL-2.1-or-later
import CBrokers
import Glibc
import Synchronization
import Waiting

/// A message on its way.
package struct Record: Sendable, Equatable {
    /// Numbers grow from message to message.
    package let number: UInt64
    package let payload: [UInt8]
    /// True if it was handed to a connection that was lost before it was acknowledged.
    package var wasSent = false

    package init(number: UInt64, payload: [UInt8]) {
        (self.number, self.payload) = (number, payload)
    }
}

/// What happens to a message that has no place in the queue.
package enum Overflow: Sendable {
    case dropOldest, dropNewest, block
}

/// How much waits at most.
package struct QueueLimits: Sendable {
    package var messages: Int
    package var bytes: Int
    package var overflow: Overflow

    package init(messages: Int, bytes: Int, overflow: Overflow = .dropOldest) {
        (self.messages, self.bytes, self.overflow) = (max(1, messages), bytes, overflow)
    }
}

/// Messages that wait, and those that were sent and are not acknowledged. Any thread appends; one thread sends.
package final class PublishQueue: Sendable {
    package enum Outcome: Sendable, Equatable {
        case queued
        /// It took the place of this many older ones.
        case displaced(Int)
        /// There is no room for it.
        case full
    }

    private struct Content: Sendable {
        var waiting = RecordLine()
        /// In the order of their numbers.
        var inFlight: [Record] = []
        /// Of both.
        var bytes = 0
        var next: UInt64 = 1
        /// True when nobody sends any more.
        var isClosed = false

        var count: Int { waiting.count + inFlight.count }
    }

    private let limits: QueueLimits
    private let content = Monitor(Content())
    /// Wakes the thread that sends.
    package let wakeup: Wakeup

    /// Returns nil if the system has no more descriptors.
    package init?(_ limits: QueueLimits) {
        guard let wakeup = Wakeup() else { return nil }
        (self.limits, self.wakeup) = (limits, wakeup)
    }

    // MARK: - For any thread

    /// The number of messages that are not acknowledged.
    package var count: Int { content.withLock { $0.count } }

    /// The bytes of those.
    package var bytes: Int { content.withLock { $0.bytes } }

    /// Appends a message. With `block`, waits for room, unless the message is too large or it is interrupted.
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
            // A message that was too large for what is in flight may have displaced others in vain.
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

    /// Waits until all messages are acknowledged, or nobody sends any more.
    /// - Returns: false if some are left.
    func drain(until deadline: Deadline, unless interruption: Interruption?) -> Bool {
        content.wait(until: deadline, unless: interruption) { $0.count == 0 || $0.isClosed } && count == 0
    }

    /// Waits until nobody sends any more.
    func waitUntilClosed(until deadline: Deadline) { content.wait(until: deadline) { $0.isClosed } }

    // MARK: - For the thread that sends

    /// Notes that nobody sends any more.
    func close() { content.change { $0.isClosed = true } }

    /// Puts back what an earlier process has left. As much of it as there is room for, the newest.
    /// - Returns: how many were left out.
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

    /// Returns those that wait whose number is larger.
    func waiting(after number: UInt64) -> [Record] { content.withLock { $0.waiting.after(number) } }

    /// Returns all, in order.
    func all() -> [Record] { content.withLock { $0.inFlight + $0.waiting.after(0) } }

    /// The largest number up to which nothing is on its way any more.
    var doneThrough: UInt64 {
        content.withLock { content in
            let first = min(content.inFlight.first?.number ?? .max, content.waiting.first?.number ?? .max)
            return (first == .max ? content.next : first) &- 1
        }
    }

    /// The number of those that were sent.
    var countInFlight: Int { content.withLock { $0.inFlight.count } }

    /// Returns the oldest of those that wait, which is in flight from now on; nil if its number is larger than this.
    func next(through last: UInt64) -> Record? {
        content.withLock { content in
            guard let first = content.waiting.first, first.number <= last, let record = content.waiting.removeFirst()
            else { return nil }
            content.inFlight.append(record)
            return record
        }
    }

    /// Ends the way of a message. Returns it; nil if it has ended already.
    /// - Parameter count: counts it, before those who wait for the end of all messages know of it.
    @discardableResult
    func finish(_ number: UInt64, _ count: (Record) -> Void = { _ in }) -> Record? {
        content.change { content in
            guard let place = content.inFlight.firstIndex(where: { $0.number == number }) else { return nil }
            let record = content.inFlight.remove(at: place)
            content.bytes -= record.payload.count
            count(record)
            return record
        }
    }

    /// Lets the newest of those in flight wait again: the connection did not take it.
    func takeBack(_ number: UInt64) {
        content.withLock { content in
            guard content.inFlight.last?.number == number, let record = content.inFlight.popLast() else { return }
            content.waiting.prepend([record])
        }
    }

    /// Lets all that are in flight wait again.
    func takeBackAll() {
        content.withLock { content in
            for place in content.inFlight.indices { content.inFlight[place].wasSent = true }
            content.waiting.prepend(content.inFlight)
            content.inFlight = []
        }
    }
}

/// Records one behind the other: taken from the front, appended at the end.
private struct RecordLine: Sendable {
    private var places: [Record?] = []
    private var start = 0

    var count: Int { places.count - start }
    var first: Record? { start < places.count ? places[start] : nil }

    mutating func append(_ record: Record) { places.append(record) }

    mutating func removeFirst() -> Record? {
        guard start < places.count else { return nil }
        let first = places[start]
        places[start] = nil
        start += 1
        if start == places.count || (start >= 64 && start * 2 > places.count) {
            places.removeFirst(start)
            start = 0
        }
        return first
    }

    mutating func prepend(_ records: [Record]) {
        places.replaceSubrange(..<start, with: records)
        start = 0
    }

    func after(_ number: UInt64) -> [Record] {
        var first = places.endIndex
        while first > start, let record = places[first - 1], record.number > number { first -= 1 }
        return places[first...].compactMap { $0 }
    }
}

/// Wakes a thread that polls a descriptor.
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

    /// Called by the thread before it looks for what there is to do.
    func clear() {
        var number: UInt64 = 0
        _ = read(file, &number, 8)
        isSet.store(false, ordering: .sequentiallyConsistent)
    }
}
