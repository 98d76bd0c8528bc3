// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Glibc
@testable import Publishing
import TestSupport
import Testing
import Waiting

@Suite("Messages in files", .serialized)
struct FileTests {
    private let folder: TemporaryFolder
    private let events = Events()

    init() throws { folder = try TemporaryFolder() }

    private func publisher(_ path: String, _ format: FileFormat = .jsonLines, _ settings: PublisherSettings = quick())
        throws -> Publisher
    {
        let events = events
        return try Publisher(to: .file(path: path, format: format), settings) { events.add($0) }
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try contents(of: folder.file(name)), as: UTF8.self)
    }

    @Test("Lines come in order, and are appended the next time")
    func lines() throws {
        for round in 0..<2 {
            let publisher = try publisher(folder.file("a"))
            for number in 0..<500 { #expect(publisher.publish(message(round * 500 + number))) }
            #expect(publisher.drain(until: patience()))
            #expect(publisher.stop().left == 0)
        }
        #expect(numbers(in: try text("a")) == Array(0..<1000))
    }

    @Test("The rest of a line that was cut off stays alone")
    func cutLine() throws {
        try folder.write(Array("{\"n\":7".utf8), "a")
        let publisher = try publisher(folder.file("a"))
        #expect(publisher.publish(message(1)))
        #expect(publisher.drain(until: patience()))
        _ = publisher.stop()
        #expect(numbers(in: try text("a")) == [-1, 1])
    }

    @Test("A list is whole after each message, and goes on the next time")
    func list() throws {
        var expected: [Int] = []
        for round in 0..<3 {
            let publisher = try publisher(folder.file("a"), .json)
            for number in 0..<3 {
                expected.append(round * 3 + number)
                #expect(publisher.publish(message(round * 3 + number)))
                #expect(publisher.drain(until: patience()))
                let list = try JSONSerialization.jsonObject(with: Data(try contents(of: folder.file("a"))))
                #expect((list as? [[String: Any]])?.compactMap { $0["n"] as? Int } == expected)
            }
            _ = publisher.stop()
        }
    }

    @Test("What is no list is left alone")
    func otherFile() throws {
        try folder.write(Array("precious\n".utf8), "a")
        #expect(throws: LinkFailure.self) { try publisher(folder.file("a"), .json) }
        #expect(try text("a") == "precious\n")
        #expect(throws: LinkFailure.self) { try publisher(folder.file("none/a")) }
    }

    @Test("A pipe needs no reader; a full queue drops the oldest, and nobody waits")
    func pipe() throws {
        let path = folder.file("pipe")
        mkfifo(path, 0o600)
        let publisher = try publisher(path, .jsonLines, quick(limits(10)))
        for number in 0..<3000 { #expect(publisher.publish(message(number, padding: 100))) }
        #expect(publisher.counts.dropped > 0)
        let file = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(file) }
        var bytes: [UInt8] = []
        let end = patience()
        while !(String(decoding: bytes, as: UTF8.self).contains("\"n\":2999")), !end.hasPassed {
            var part = [UInt8](repeating: 0, count: 65536)
            let count = read(file, &part, part.count)
            if count > 0 { bytes += part[..<count] } else { usleep(1000) }
        }
        let found = numbers(in: String(decoding: bytes, as: UTF8.self))
        #expect(found == found.sorted() && found.last == 2999 && Set(found).count == found.count)
        #expect(UInt64(found.count) + publisher.counts.dropped == 3000)
        _ = publisher.stop()
    }

    @Test("A full device is told, and a stop does not wait for it")
    func fullDevice() throws {
        let publisher = try publisher("/dev/full")
        for number in 0..<10 { #expect(publisher.publish(message(number))) }
        #expect(eventually { !events.losses.isEmpty })
        #expect(events.losses.first?.contains("No space left") == true)
        #expect(publisher.stop().left == 10)
    }

    @Test("With a spool, what was not sent is sent by the next one, once, in order")
    func spooled() throws {
        let settings = quick(spool: folder.file("spool"))
        let first = try publisher("/dev/full", .jsonLines, settings)
        for number in 0..<50 { #expect(first.publish(message(number))) }
        let (left, areKept) = first.stop()
        #expect(left == 50 && areKept)
        let second = try publisher(folder.file("a"), .jsonLines, settings)
        for number in 50..<60 { #expect(second.publish(message(number))) }
        #expect(second.drain(until: patience()))
        _ = second.stop()
        #expect(numbers(in: try text("a")) == Array(0..<60))
        #expect(try contents(of: folder.file("spool")).isEmpty)
    }

    @Test("What failed is not tried before the next attempt, nor written twice")
    func failedOnce() throws {
        let link = FileLink(path: "/dev/full", format: .jsonLines)
        let wakeup = try #require(Wakeup())
        try link.connect()
        #expect(throws: LinkFailure.self) { try link.send(Record(number: 1, payload: message(1))) }
        for event in link.wait(for: wakeup.file, milliseconds: 0) {
            guard case .connected = event else {
                Issue.record("\(event)")
                continue
            }
        }
        #expect(link.wait(for: wakeup.file, milliseconds: 0).isEmpty)
        #expect(try !link.send(Record(number: 1, payload: message(1))))
    }

    @Test("Attempts that may follow at once do not")
    func attempts() throws {
        var settings = quick()
        (settings.reconnectInterval, settings.maximumReconnectInterval) = (0, 0)
        let publisher = try publisher("/dev/full", .jsonLines, settings)
        #expect(publisher.publish(message(1)))
        #expect(eventually { publisher.counts.connections > 10 })
        // In this time, a loop without pauses would make a million attempts.
        usleep(200_000)
        #expect(publisher.counts.connections < 20_000)
        #expect(publisher.counts.refused == 0)
        #expect(publisher.stop().left == 1)
    }

    @Test("A file for the state that cannot be written is told once, and is not taken for the queue's")
    func wrongStatus() throws {
        var settings = quick()
        (settings.statusInterval, settings.statusPath) = (1, folder.file("none/s"))
        let publisher = try publisher(folder.file("a"), .jsonLines, settings)
        #expect(eventually { !events.all.allSatisfy { $0 == .connected } })
        _ = publisher.stop()
        let failures = events.all.compactMap { if case .statusFailed(let reason) = $0 { reason } else { nil } }
        #expect(failures.count == 1 && failures[0].contains("none/s"))
    }

    @Test("Notes about the state are a table of JSON in a file")
    func status() throws {
        var settings = quick()
        (settings.statusInterval, settings.statusPath, settings.source) = (50, folder.file("s"), "cam \"1\"\n")
        let publisher = try publisher(folder.file("a"), .jsonLines, settings)
        publisher.countFrame()
        #expect(publisher.publish(message(1)))
        func note() -> [String: Any]? {
            guard let bytes = try? contents(of: folder.file("s")) else { return nil }
            return try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        }
        #expect(eventually { note()?["acknowledged"] as? Int == 1 })
        #expect(note()?["state"] as? String == "playing" && note()?["source"] as? String == "cam \"1\"\n")
        _ = publisher.stop()
        #expect(note()?["state"] as? String == "stopped")
    }

    @Test("Many threads lose nothing")
    func threads() async throws {
        let publisher = try publisher(folder.file("a"), .jsonLines, quick(limits(100, .block)))
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        while !publisher.publish(message(thread * 500 + number)) { usleep(100) }
                    }
                }
            }
        }
        #expect(publisher.drain(until: patience()))
        _ = publisher.stop()
        #expect(numbers(in: try text("a")).sorted() == Array(0..<2000))
        #expect(publisher.counts.dropped == 0)
    }
}
