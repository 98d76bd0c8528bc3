// SPDX-License-Identifier: LGPL-2.1-or-later
@testable import Publishing
import Testing

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

    @Test("Or the newest, or none")
    func newest() throws {
        for overflow in [Overflow.dropNewest, .block] {
            let queue = try queue(2, overflow)
            #expect((0..<3).map { _ in queue.append([1]) } == [.queued, .queued, .full])
            #expect(numbers(queue) == [1, 2])
        }
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
