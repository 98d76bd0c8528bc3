// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("Worker")
struct WorkerTests {
    @Test("Jobs run one after another, in order, and finish waits for them")
    func order() {
        let worker = Worker()
        let shared = Shared()
        for index in 0..<200 { worker.run { shared.values.withLock { $0.append(index) } } }
        worker.finish()
        #expect(shared.values.withLock { $0 } == Array(0..<200))
    }

    @Test("After finish it can be used again, and finish twice does no harm")
    func again() {
        let worker = Worker()
        let shared = Shared()
        worker.finish()
        for round in 0..<5 {
            worker.run { shared.values.withLock { $0.append(round) } }
            worker.finish()
            worker.finish()
            #expect(shared.values.withLock { $0 } == Array(0...round))
        }
    }

    @Test("Jobs of many threads all run, each thread's in order")
    func manyThreads() {
        let worker = Worker()
        let shared = Shared()
        let threads = (0..<4).map { thread in
            BackgroundThread { round in
                guard round < 100 else { return }
                worker.run { shared.values.withLock { $0.append(thread * 1000 + round) } }
            }
        }
        #expect(eventually { threads.allSatisfy { $0.rounds >= 100 } })
        for thread in threads { thread.stop() }
        worker.finish()
        let done = shared.values.withLock { $0 }
        #expect(done.count == 400)
        for thread in 0..<4 {
            #expect(done.filter { $0 / 1000 == thread } == (0..<100).map { thread * 1000 + $0 })
        }
    }

    @Test("A job that is given while another thread finishes still runs")
    func raceWithFinish() {
        let worker = Worker()
        let shared = Shared()
        let finisher = BackgroundThread { _ in worker.finish() }
        for index in 0..<500 { worker.run { shared.values.withLock { $0.append(index) } } }
        finisher.stop()
        worker.finish()
        #expect(shared.values.withLock { $0.sorted() } == Array(0..<500))
    }

    @Test("Jobs are done after the last reference to their worker is gone, which may be their own")
    func release() {
        let shared = Shared()
        for _ in 0..<20 {
            let worker = Worker()
            worker.run { [worker] in
                shared.values.withLock { $0.append(worker.isEnding ? 0 : 1) }
            }
        }
        #expect(eventually { shared.values.withLock { $0.count } == 20 })
        #expect(shared.values.withLock { $0.allSatisfy { $0 == 1 } })
    }

    @Test("A job that finishes its own worker does those that are waiting, in order, and comes back")
    func finishWithin() {
        let worker = Worker()
        let shared = Shared()
        let isReady = Atomic(false)
        worker.run {
            _ = eventually { isReady.load(ordering: .acquiring) }
            worker.finish()
            worker.finish()
            shared.values.withLock { $0.append(-1) }
        }
        for index in 0..<5 { worker.run { shared.values.withLock { $0.append(worker.isEnding ? index : 9) } } }
        isReady.store(true, ordering: .releasing)
        #expect(eventually { shared.values.withLock { $0.last } == -1 })
        worker.run { shared.values.withLock { $0.append(7) } }
        worker.finish()
        #expect(shared.values.withLock { $0 } == [0, 1, 2, 3, 4, -1, 7])
    }

    private final class Shared: Sendable {
        let values = Mutex<[Int]>([])
    }
}

@Suite("Timer")
struct TimerTests {
    private func due(_ times: [UInt64], every period: UInt64) -> [Bool] {
        var timer = Timer()
        return times.map { timer.isDue(at: ClockTime(nanoseconds: $0), every: ClockTime(nanoseconds: period)) }
    }

    @Test("The first frame is due, and one after each period")
    func periods() {
        #expect(due([0, 5, 10, 15, 20, 29, 30], every: 10) == [true, false, true, false, true, false, true])
        #expect(due([7, 16, 17], every: 10) == [true, false, true])
    }

    @Test("The beat is kept where frames come late, and begun anew after a gap")
    func beat() {
        // Due times are 0, 10 and 20. 13 is late for 10, but 20 is on time.
        #expect(due([0, 13, 19, 20, 21], every: 10) == [true, true, false, true, false])
        #expect(due([0, 95, 100, 104, 105], every: 10) == [true, true, false, false, true])
    }

    @Test("Never with interval 0")
    func never() { #expect(due([0, 10, 20], every: 0) == [false, false, false]) }

    @Test("A time that goes back is due, and starts a new interval")
    func goingBack() { #expect(due([100, 3, 4, 12, 13], every: 10) == [true, true, false, false, true]) }

    @Test("An interval that changes counts from the frame that was due last")
    func change() {
        var timer = Timer()
        let due = [(0, 1000), (5, 1000), (10, 10), (15, 10), (20, 1000), (30, 10)].map { time, interval in
            timer.isDue(at: ClockTime(nanoseconds: time), every: ClockTime(nanoseconds: interval))
        }
        #expect(due == [true, false, true, false, false, true])
    }

    @Test("At the end of time nothing overflows")
    func overflow() {
        #expect(due([5, .max - 1, .max], every: .max) == [true, false, false])
        #expect(due([.max - 5, .max - 1, .max, .max], every: 5) == [true, false, true, false])
    }

    @Test("Forgotten, it begins anew")
    func reset() {
        var timer = Timer()
        let period = ClockTime(nanoseconds: 10)
        let first = timer.isDue(at: ClockTime(nanoseconds: 100), every: period)
        timer.reset()
        let again = [3, 4].map { timer.isDue(at: ClockTime(nanoseconds: $0), every: period) }
        #expect(first)
        #expect(again == [true, false])
    }
}

@Suite("Numbered files")
struct NumberedFilesTests {
    private func names(_ patterns: [String], in folder: TemporaryFolder) throws -> [String] {
        var files = NumberedFiles()
        return try patterns.map {
            String(try files.create(folder.file($0), with: [1]).dropFirst(folder.path.count + 1))
        }
    }

    @Test("Numbers go up, with leading zeros where asked")
    func numbers() throws {
        let folder = try TemporaryFolder()
        #expect(try names(["a-%d.png", "a-%d.png", "a-%03d.png"], in: folder) == ["a-0.png", "a-1.png", "a-000.png"])
        #expect(try names([String](repeating: "%03dx", count: 11), in: folder).last == "010x")
        for number in 11...998 { try folder.write([1], "\(number < 100 ? "0" : "")\(number)x") }
        #expect(try names(["%03dx", "%03dx"], in: folder) == ["999x", "1000x"])
    }

    @Test("Files that exist are left out")
    func existing() throws {
        let folder = try TemporaryFolder()
        for name in ["f00000.png", "f00001.png", "f00003.png"] { try folder.write([1], name) }
        #expect(try names(["f%05d.png", "f%05d.png"], in: folder) == ["f00002.png", "f00004.png"])
    }

    @Test(
        "A path without a number gets a number before its extension if the file exists",
        arguments: [
            ("plain.png", "plain-1.png"), ("100%.png", "100%-1.png"), ("%s.png", "%s-1.png"), ("%5d.png", "%5d-1.png"),
            ("plain", "plain-1"), (".png", ".png-1"), ("a.b.png", "a.b-1.png"), ("v1.0/a", "v1.0/a-1"),
        ])
    func plain(_ name: String, _ second: String) throws {
        let folder = try TemporaryFolder()
        if name.contains("/") { mkdir(folder.file("v1.0"), 0o700) }
        #expect(try names([name, name], in: folder) == [name, second])
        #expect(try contents(of: folder.file(name)) == [1])
    }

    @Test("A folder is an error, and no file appears beside it", arguments: ["pictures", "pictures/"])
    func folder(_ name: String) throws {
        let folder = try TemporaryFolder()
        mkdir(folder.file("pictures"), 0o700)
        var files = NumberedFiles()
        for _ in 0..<2 {
            let error = #expect(throws: ElementError.self) { try files.create(folder.file(name), with: [1]) }
            #expect(error?.message.contains("it is a folder") == true)
        }
        #expect(folder.names == ["pictures"])
    }

    @Test("A file that cannot be written leaves nothing behind")
    func failure() throws {
        let folder = try DeepFolder()
        var files = NumberedFiles()
        for _ in 0..<3 {
            #expect(throws: ElementError.self) { try files.create(folder.path + "/%d", with: [1]) }
        }
        #expect(folder.names.isEmpty)
    }
}
