// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import Publishing
import Synchronization
import TestSupport
import Testing
import Waiting

@Suite("The queue of messages")
struct QueueTests {
    private func queue(_ messages: Int, bytes: Int = 1000, _ overflow: Overflow) throws -> PublishQueue {
        try #require(PublishQueue(limits(messages, bytes: bytes, overflow)))
    }

    private func numbers(_ queue: PublishQueue) -> [UInt64] { queue.all().map(\.number) }

    @Test("A full queue drops the oldest that wait, never what is in flight")
    func oldest() throws {
        let queue = try queue(3, .dropOldest)
        #expect((0..<3).map { _ in queue.append([1]) } == [.queued, .queued, .queued])
        #expect(queue.next(through: .max)?.number == 1)
        #expect(queue.append([1]) == .displaced(1))
        #expect(numbers(queue) == [1, 3, 4])
        #expect(queue.doneThrough == 0)
        queue.finish(1)
        #expect(queue.doneThrough == 2)
        #expect(queue.count == 2 && queue.bytes == 2)
    }

    @Test("A full queue drops the new message, or waits until it is interrupted")
    func newest() throws {
        for overflow in [Overflow.dropNewest, .block] {
            let queue = try queue(2, overflow)
            let interruption = Interruption()
            interruption.set(.stop)
            #expect((0..<3).map { _ in queue.append([1], unless: interruption) } == [.queued, .queued, .full])
            #expect(numbers(queue) == [1, 2])
        }
    }

    @Test("A message that waits for room is queued when there is some, and given up when nobody sends any more")
    func waits() throws {
        let queue = try queue(1, .block)
        #expect(queue.append([1]) == .queued)
        let outcomes = Mutex<[PublishQueue.Outcome]>([])
        let thread = BackgroundThread { _ in
            let outcome = queue.append([2])
            outcomes.withLock { $0.append(outcome) }
        }
        defer { thread.stop() }
        #expect(queue.next(through: .max)?.number == 1)
        queue.finish(1)
        #expect(eventually { outcomes.withLock { $0.first == .queued } })
        queue.close()
        #expect(eventually { outcomes.withLock { $0.contains(.full) } })
    }

    @Test("Whoever waits for the end is woken when all is acknowledged, and when nobody sends any more")
    func drained() throws {
        let queue = try queue(2, .dropOldest)
        #expect(queue.drain(until: .now, unless: nil))
        _ = queue.append([1])
        #expect(!queue.drain(until: .now, unless: nil))
        let thread = BackgroundThread { _ in
            if let record = queue.next(through: .max) { queue.finish(record.number) }
        }
        defer { thread.stop() }
        #expect(queue.drain(until: patience(), unless: nil))
        queue.close()
        _ = queue.append([1])
        queue.waitUntilClosed(until: patience())
    }

    @Test("Bytes count, too, and what could never fit displaces nothing")
    func bytes() throws {
        let queue = try queue(100, bytes: 10, .dropOldest)
        #expect(queue.append([UInt8](repeating: 0, count: 6)) == .queued)
        #expect(queue.append([UInt8](repeating: 0, count: 6)) == .displaced(1))
        #expect(queue.append([UInt8](repeating: 0, count: 11)) == .full)
        #expect(numbers(queue) == [2] && queue.bytes == 6)
    }

    @Test("What was in flight waits again before all others, in order")
    func takenBack() throws {
        let queue = try queue(100, .dropOldest)
        for _ in 0..<5 { _ = queue.append([1]) }
        for _ in 0..<3 { _ = queue.next(through: .max) }
        queue.finish(2)
        queue.takeBackAll()
        #expect(numbers(queue) == [1, 3, 4, 5])
        #expect(queue.next(through: .max)?.wasSent == true)
        #expect(queue.next(through: 2) == nil)
    }

    @Test("Of what an earlier process has left, the newest that have room come first")
    func restored() throws {
        let queue = try queue(3, .dropOldest)
        let left = (5...9).map { Record(number: UInt64($0), payload: [1]) }
        #expect(queue.restore(left) == 2)
        #expect(numbers(queue) == [7, 8, 9])
        #expect(queue.append([1]) == .displaced(1))
        #expect(numbers(queue) == [8, 9, 10])
    }

    @Test("A long queue stays in order while both ends move")
    func long() throws {
        let queue = try queue(1000, bytes: .max, .dropNewest)
        var next = UInt64(1)
        for round in 0..<5000 {
            _ = queue.append([UInt8(truncatingIfNeeded: round)])
            guard round % 3 != 0, let record = queue.next(through: .max) else { continue }
            #expect(record.number == next)
            next += 1
            queue.finish(record.number)
        }
    }
}
