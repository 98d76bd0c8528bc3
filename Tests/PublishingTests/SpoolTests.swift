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
        var (before, small) = (rlimit(), rlimit())
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
        small = before
        let handler = signal(SIGXFSZ, SIG_IGN)
        defer { signal(SIGXFSZ, handler) }
        let spool = try Spool(path)
        try spool.append(records(1...2))
        let size = try contents(of: path).count
        // Other tests write files at the same time, larger ones than this only.
        small.rlim_cur = rlim_t(4 << 20)
        let large = Record(number: 3, payload: [UInt8](repeating: 7, count: 5 << 20))
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
        #expect(throws: LinkFailure.self) { try spool.append([large]) }
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
        #expect(spool.isBroken)
        #expect(try contents(of: path).count == size)
        try spool.rewrite(records(1...2) + [large])
        #expect(!spool.isBroken)
        #expect(try contents(of: path).count > 5 << 20)
    }
}
