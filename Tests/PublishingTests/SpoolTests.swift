// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
@testable import Publishing
import Synchronization
import TestSupport
import Testing

@Suite("The file that keeps messages", .serialized)
struct SpoolTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("spool") }

    init() throws { folder = try TemporaryFolder() }

    private func records(_ numbers: ClosedRange<UInt64>) -> [Record] {
        numbers.map { Record(number: $0, payload: message(Int($0))) }
    }

    private func left() throws -> [UInt64] { try Spool(path).restore().map(\.number) }

    @Test("Messages that are not done are there in the next process")
    func kept() throws {
        do {
            let spool = try Spool(path)
            #expect(try spool.restore().isEmpty)
            try spool.append(records(1...5))
            try spool.setDone(through: 2) { [] }
        }
        let found = try Spool(path).restore()
        #expect(found.map(\.number) == [3, 4, 5])
        #expect(found.map(\.payload) == (3...5).map { message($0) })
    }

    @Test("When all are done, the file is empty")
    func empty() throws {
        let spool = try Spool(path)
        try spool.append(records(1...5))
        try spool.setDone(through: 5) { [] }
        #expect(try contents(of: path).isEmpty)
    }

    @Test("Wherever the file is cut off, whole messages before that are found, and it goes on")
    func torn() throws {
        do {
            let spool = try Spool(path)
            try spool.append(records(1...3))
        }
        let bytes = try contents(of: path)
        let one = bytes.count / 3
        for end in stride(from: 0, to: bytes.count, by: 5) {
            try folder.write(Array(bytes[..<end]), "spool")
            do {
                let spool = try Spool(path)
                let found = try spool.restore()
                #expect(found.count == end / one, "cut at \(end)")
                try spool.append(records(10...10))
            }
            #expect(try left().last == 10)
        }
    }

    @Test("Whatever byte of the file is wrong, all messages but the damaged one are found, and the file is kept")
    func damaged() throws {
        var random = Random(seed: 4)
        do {
            let spool = try Spool(path)
            try spool.append(records(1...4))
        }
        let bytes = try contents(of: path)
        let size = bytes.count / 4
        for _ in 0..<200 {
            var broken = bytes
            let place = Int(random.next() % UInt64(bytes.count))
            broken[place] ^= random.byte() | 1
            try folder.write(broken, "spool")
            let spool = try Spool(path)
            let found = try spool.restore()
            #expect(found.map(\.number) == (1...4).filter { $0 != place / size + 1 }, "byte \(place)")
            #expect(found.allSatisfy { $0.payload == message(Int($0.number)) })
            // The damaged last entry may look like an incomplete entry.
            guard spool.isBroken else {
                #expect(place / size == 3)
                #expect(spool.takeDamage()?.count == 1)
                continue
            }
            #expect(try contents(of: path) == broken)
            try spool.rewrite(found)
            let damage = try #require(spool.takeDamage())
            #expect(damage.count == 1 && spool.takeDamage() == nil)
            let copy = try #require(damage.copy)
            #expect(try contents(of: copy) == broken)
            unlink(copy)
        }
        #expect(folder.names == ["spool"])
    }

    @Test("Damaged messages are counted one by one, and copies get names of their own")
    func manyDamaged() throws {
        for round in 1...3 {
            unlink(path)
            do {
                let spool = try Spool(path)
                try spool.append(records(1...1000))
                try spool.setDone(through: 10) { [] }
            }
            var bytes = try contents(of: path)
            func start(of number: Int) -> Int {
                (1..<number).reduce(0) { $0 + SpoolEntry.headSize + message($1).count }
            }
            // The changed bytes are in the kind of an entry, in the payloads of two consecutive messages, and in a
            // length.
            for place in [0, start(of: 20) + 25, start(of: 21) + 25, start(of: 997) + 4] { bytes[place] ^= 1 }
            try folder.write(bytes, "spool")
            let spool = try Spool(path)
            let found = try spool.restore()
            #expect(found.count == 990 - 3)
            #expect(found.first?.number == 11 && found.last?.number == 1000)
            try spool.rewrite(found)
            let damage = try #require(spool.takeDamage())
            #expect(damage.damaged == 4)
            #expect(damage.copy == path + ".damaged" + (round == 1 ? "" : "-\(round)"))
        }
    }

    @Test("A file that is no queue is refused, and stays as it is")
    func foreign() throws {
        let texts = ["S", "SVQ", "precious\n", String(repeating: "{\"n\":1}\n", count: 100_000)]
        for bytes in texts.map({ Array($0.utf8) }) + [[UInt8](repeating: 0, count: 5000)] {
            try folder.write(bytes, "spool")
            do {
                let spool = try Spool(path)
                #expect(throws: LinkFailure.self) { try spool.restore() }
            }
            #expect(try contents(of: path) == bytes)
            #expect(folder.names == ["spool"])
        }
    }

    @Test("Folders, links, pipes and devices are refused, and stay as they are")
    func otherKinds() throws {
        try folder.write(Array("precious".utf8), "target")
        mkdir(folder.file("folder"), 0o700)
        symlink(folder.file("target"), folder.file("link"))
        symlink(folder.file("nowhere"), folder.file("dangling"))
        mkfifo(folder.file("pipe"), 0o600)
        let names = folder.names
        for (name, word) in [("folder", "folder"), ("link", "link"), ("dangling", "link"), ("pipe", "regular")] {
            do {
                _ = try Spool(folder.file(name))
                Issue.record("\(name) is taken")
            } catch {
                #expect("\(error)".contains(word) && "\(error)".contains(name))
            }
        }
        #expect(throws: LinkFailure.self) { try Spool("/dev/null") }
        #expect(throws: LinkFailure.self) { try Spool(folder.file("none/spool")) }
        #expect(folder.names == names)
        #expect(try contents(of: folder.file("target")) == Array("precious".utf8))
    }

    @Test("The queue's file is not also the file of the messages or of the state")
    func sameFile() throws {
        var settings = quick(spool: path)
        #expect(throws: LinkFailure.self) {
            try Publisher(to: .file(path: path, format: .jsonLines), settings) { _ in }
        }
        settings.statusPath = path
        #expect(throws: LinkFailure.self) {
            try Publisher(to: .file(path: "/dev/null", format: .jsonLines), settings) { _ in }
        }
    }

    @Test("Two queues in one file come one behind the other")
    func joined() throws {
        do {
            let spool = try Spool(path)
            try spool.append(records(1...5))
            try spool.setDone(through: 3) { [] }
        }
        let bytes = try contents(of: path)
        try folder.write(bytes + bytes, "spool")
        let spool = try Spool(path)
        let found = try spool.restore()
        #expect(found.map(\.payload) == [4, 5, 4, 5].map { message($0) })
        #expect(found.map(\.number) == [1, 2, 3, 4])
        try spool.rewrite(found)
        #expect(spool.takeDamage() == nil && folder.names == ["spool"])
    }

    @Test("A file that claims long messages everywhere is given up in time")
    func hostile() throws {
        var bytes: [UInt8] = []
        // Each entry has a length that reaches nearly to the end of the file.
        let all = 1 << 20
        while bytes.count < all {
            withUnsafeBytes(of: SpoolEntry.Kind.message.rawValue) { bytes += $0 }
            withUnsafeBytes(of: UInt32(max(0, all - bytes.count - 100))) { bytes += $0 }
            withUnsafeBytes(of: UInt64(1)) { bytes += $0 }
        }
        try folder.write(bytes, "spool")
        let spool = try Spool(path)
        #expect(try spool.restore().isEmpty)
        #expect(spool.isBroken)
    }

    @Test("What a damaged queue still has is sent, and the damage is reported with the name of the copy")
    func reported() throws {
        do {
            let spool = try Spool(path)
            try spool.append(records(1...20))
        }
        var bytes = try contents(of: path)
        bytes[26] ^= 1
        try folder.write(bytes, "spool")
        let events = Events()
        let destination = Destination.file(path: folder.file("out"), format: .jsonLines)
        let publisher = try Publisher(to: destination, quick(spool: path)) { events.add($0) }
        #expect(publisher.drain(until: patience()))
        #expect(publisher.stop().left == 0)
        let out = String(decoding: try contents(of: folder.file("out")), as: UTF8.self)
        #expect(numbers(in: out) == Array(2...20))
        let copy = path + ".damaged"
        #expect(events.damages == [SpoolDamage(path: path, damaged: 1, isCutOff: false, copy: copy)])
        #expect(try contents(of: copy) == bytes)
        #expect(try contents(of: path).isEmpty)
    }

    @Test("Two elements cannot have the same file")
    func locked() throws {
        let first = try Spool(path)
        #expect(throws: LinkFailure.self) { try Spool(path) }
        withExtendedLifetime(first) {}
    }

    /// Between fork(2) and exec(2), a child has a second descriptor for the same open file. This is the same case.
    @Test("The file is free at once, even if a child of the process still has it")
    func freed() throws {
        var spool: Spool? = try Spool(path)
        let shared = (0..<1024).first { descriptor in
            var (own, named) = (stat(), stat())
            return fstat(Int32(descriptor), &own) == 0 && stat(path, &named) == 0
                && own.st_ino == named.st_ino && own.st_dev == named.st_dev
        }
        let child = dup(Int32(try #require(shared)))
        defer { close(child) }
        #expect(child >= 0)
        try spool?.append(records(1...1))
        spool = nil
        #expect(try left() == [1])
    }

    @Test("A file that was written anew holds what is left, and is locked")
    func rewritten() throws {
        do {
            let spool = try Spool(path)
            try spool.append(records(1...9))
            try spool.rewrite(records(8...9))
            #expect(throws: LinkFailure.self) { try Spool(path) }
            try spool.append(records(10...10))
        }
        #expect(try left() == [8, 9, 10])
        #expect(folder.names == ["spool"])
    }

    /// A limit of the file size replaces a full disk.
    @Test("On a full disk messages are missing as a whole, and are there again once there is room")
    func full() throws {
        let spool = try Spool(path)
        try spool.append(records(1...2))
        let size = try contents(of: path).count
        withFullDisk {
            #expect(throws: LinkFailure.self) { try spool.append([large]) }
        }
        #expect(spool.isBroken)
        #expect(try contents(of: path).count == size)
        try spool.rewrite(records(1...2) + [large])
        #expect(!spool.isBroken)
        #expect(try contents(of: path).count > 5 << 20)
    }

    private let large = Record(number: 3, payload: [UInt8](repeating: 7, count: 5 << 20))

    /// Limits and signal handlers belong to the process, so only one test at a time may change them.
    private static let disk = Mutex(())

    /// Other tests write files at the same time. These files are smaller than the limit.
    private func withFullDisk(_ body: () -> Void) { Self.disk.withLock { _ in limitFiles(body) } }

    private func limitFiles(_ body: () -> Void) {
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
        var small = before
        small.rlim_cur = rlim_t(4 << 20)
        // The handler stays: if a write of another test reaches the limit, this must not end the process.
        signal(SIGXFSZ, SIG_IGN)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
        body()
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
    }

    @Test("A file that cannot be written anew stays as it is, and is complete")
    func notRewritten() throws {
        let spool = try Spool(path)
        try spool.append(records(1...2))
        withFullDisk {
            #expect(throws: LinkFailure.self) { try spool.rewrite([large]) }
        }
        #expect(!spool.isBroken)
        #expect(folder.names == ["spool"])
        try spool.append(records(4...4))
        #expect(try contents(of: path).count > 0)
    }

    @Test("A long file is written anew as messages are done, without looking at all of them each time")
    func shrinks() throws {
        let spool = try Spool(path)
        let payload = [UInt8](repeating: 7, count: 4000)
        let all = (1...1300).map { Record(number: $0, payload: payload) }
        try spool.append(all)
        var looks = 0
        for done in 1..<1300 {
            try spool.setDone(through: UInt64(done)) {
                looks += 1
                return Array(all[done...])
            }
        }
        #expect(try contents(of: path).count < 2 << 20)
        #expect(looks < 20)
    }

    @Test("A list on a full disk keeps its end, and goes on once there is room")
    func fullList() throws {
        let link = FileLink(path: path, format: .json)
        let text = { String(decoding: try contents(of: path), as: UTF8.self) }
        try link.connect()
        #expect(try link.send(Record(number: 1, payload: message(1))))
        withFullDisk {
            #expect(throws: LinkFailure.self) { try link.send(large) }
        }
        #expect(try text() == "[\n\(String(decoding: message(1), as: UTF8.self))\n]\n")
        try link.connect()
        #expect(try link.send(Record(number: 2, payload: message(2))))
        #expect(try text().hasSuffix("},\n\(String(decoding: message(2), as: UTF8.self))\n]\n"))
    }
}
