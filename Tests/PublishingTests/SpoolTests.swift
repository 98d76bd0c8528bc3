// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
@testable import Publishing
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
            #expect(spool.restore().isEmpty)
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
                let found = spool.restore()
                #expect(found.count == end / one, "cut at \(end)")
                try spool.append(records(10...10))
            }
            #expect(try left().last == 10)
        }
    }

    @Test("A damaged message ends the file; nothing that was not written comes out")
    func damaged() throws {
        var random = Random(seed: 4)
        do {
            let spool = try Spool(path)
            try spool.append(records(1...4))
        }
        let bytes = try contents(of: path)
        for _ in 0..<200 {
            var broken = bytes
            broken[Int(random.next() % UInt64(bytes.count))] ^= random.byte() | 1
            try folder.write(broken, "spool")
            for record in try Spool(path).restore() {
                #expect(record.payload == message(Int(record.number)))
            }
        }
    }

    @Test("Two elements cannot have the same file")
    func locked() throws {
        let first = try Spool(path)
        #expect(throws: LinkFailure.self) { try Spool(path) }
        withExtendedLifetime(first) {}
    }

    /// As a child has it between fork(2) and exec(2): a second descriptor of the same open file.
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

    /// With a limit of the file's size as the full disk.
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

    /// Other tests write files at the same time, which are smaller than this limit.
    private func withFullDisk(_ body: () -> Void) {
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
        var small = before
        small.rlim_cur = rlim_t(4 << 20)
        let handler = signal(SIGXFSZ, SIG_IGN)
        defer { signal(SIGXFSZ, handler) }
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
