// SPDX-License-Identifier: LGPL-2.1-or-later
import Testing

@testable import Waiting

@Suite("Waiting for a value")
struct MonitorTests {
    @Test("A thread that waits gets what another one puts in")
    func gets() throws {
        let numbers = Monitor([Int]())
        let answer = InThread { numbers.wait { $0.popLast() } }
        numbers.change { $0.append(7) }
        #expect(try answer.value() == 7)
        #expect(numbers.withLock { $0.isEmpty })
    }

    @Test("What is there already is taken at once, even after the deadline and though the wait is interrupted")
    func takesAtOnce() {
        let interruption = Interruption()
        interruption.set(.stop)
        let number = Monitor(7)
        #expect(number.wait(until: .now, unless: interruption) { $0 } == 7)
    }

    @Test("A wait ends at its deadline and not before")
    func deadline() {
        let deadline = Deadline.after(milliseconds: 20)
        let isOpen = Monitor(false)
        #expect(!isOpen.wait(until: deadline) { $0 })
        #expect(deadline.hasPassed)
        #expect(!isOpen.wait(until: .now) { $0 })
    }

    @Test("An interruption ends a wait under way, and those that begin until it is taken back")
    func interruption() throws {
        let interruption = Interruption()
        let isOpen = Monitor(false)
        let answer = InThread { isOpen.wait(unless: interruption) { $0 } }
        try interruption.untilSomebodyWaits()
        interruption.set(.flush)
        #expect(try !answer.value())
        #expect(!interruption.hasWaiters)
        #expect(!isOpen.wait(unless: interruption) { $0 })

        interruption.clear(.flush)
        let second = InThread { isOpen.wait(unless: interruption) { $0 } }
        isOpen.change { $0 = true }
        #expect(try second.value())
    }

    @Test("Each reason for an interruption has to be cleared; one that comes twice counts once")
    func reasons() {
        let interruption = Interruption()
        interruption.set(.flush)
        interruption.set(.flush)
        interruption.set(.pause)
        interruption.clear(.flush)
        #expect(interruption.isSet)
        interruption.clear(.pause)
        #expect(!interruption.isSet)
        for reason in Interruption.Reason.allCases { interruption.set(reason) }
        interruption.clear()
        #expect(!interruption.isSet)
    }

    @Test("Of many threads that wait, each one takes a number of its own")
    func many() throws {
        let numbers = Monitor([Int]())
        let tasks = (0..<4).map { _ in InThread { numbers.wait { $0.popLast() } } }
        for number in 0..<4 { numbers.change { $0.append(number) } }
        var taken: [Int] = []
        for task in tasks { if let number = try task.value() { taken.append(number) } }
        #expect(taken.sorted() == [0, 1, 2, 3])
    }

    @Test("Times that are too long for a clock are never")
    func overflow() {
        #expect(Deadline.after(milliseconds: .max) == .never)
        #expect(Deadline.after(nanoseconds: .max) == .never)
        #expect(!Deadline.never.hasPassed)
        #expect(Deadline.never.milliseconds == .max)
        #expect(Deadline.now.milliseconds == 0)
        #expect(Deadline.after(milliseconds: 60_000).milliseconds > 30_000)
    }
}
