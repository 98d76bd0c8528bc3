// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc
import TestSupport
import Testing

@Suite("Reading files")
struct ReadingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func cause(_ path: String, atMost limit: Int = 100) -> FileError.Cause? {
        #expect(throws: FileError.self) { try readFile(path, atMost: limit) }?.cause
    }

    @Test("All bytes, also of a file whose size the system does not tell")
    func whole() throws {
        for count in [0, 1, 65535, 65536, 200_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let path = try folder.write(bytes, "a")
            #expect(try readFile(path, atMost: count) == bytes)
            #expect(try readHead(path, count: 70_000) == Array(bytes.prefix(70_000)))
        }
        #expect(try String(decoding: readFile("/proc/self/status", atMost: 1 << 20), as: UTF8.self).contains("VmSize"))
    }

    @Test("Larger files are refused, with the limit in the text; the system's files that tell no size, too")
    func limit() throws {
        let path = try folder.write([1, 2, 3], "a")
        #expect(try readFile(path, atMost: 3) == [1, 2, 3])
        let error = #expect(throws: FileError.self) { try readFile(path, atMost: 2) }
        #expect(error?.cause == .tooLarge && error?.description.contains("larger than 2 bytes") == true)
        #expect(cause("/proc/self/status", atMost: 10) == .tooLarge)
        #expect(truncate(path, 1 << 40) == 0)
        let large = #expect(throws: FileError.self) { try readFile(path, atMost: 5 << 20) }
        #expect(large?.description.contains("larger than 5 MB") == true)
        #expect(try readHead(path, count: 4) == [1, 2, 3, 0])
    }

    @Test("What is no regular file is refused, and not waited for", .timeLimit(.minutes(1)))
    func noFile() throws {
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        #expect(symlink("pipe", folder.file("link")) == 0)
        #expect(cause(folder.file("pipe")) == .notRegular)
        #expect(cause(folder.file("link")) == .notRegular)
        #expect(cause("/dev/zero") == .notRegular)
        #expect(cause(folder.path) == .folder)
        #expect(cause(folder.file("none")) == .missing)
        #expect(cause(folder.file("pipe/none")) == .missing)
        let file = try folder.write([1], "a")
        #expect(cause("\(file)\0.cube") == .missing)
        #expect(symlink("loop", folder.file("loop")) == 0)
        #expect(cause(folder.file("loop")) == .unopened)
    }

    @Test("A file that may not be read", .enabled(if: geteuid() != 0, "root may read everything"))
    func unreadable() throws {
        let path = try folder.write([1], "a")
        chmod(path, 0)
        let error = #expect(throws: FileError.self) { try readFile(path, atMost: 9) }
        #expect(error?.cause == .unopened && error?.description == "permission denied")
    }

    /// If a pipe replaced the file after a check of its type, a blocking reader would wait.
    @Test("A path that is a file and a pipe in turns is never waited for", .timeLimit(.minutes(1)))
    func exchanged() throws {
        let (path, pipe, file) = (folder.file("a"), folder.file("pipe"), folder.file("file"))
        let exchange = BackgroundThread { _ in
            mkfifo(pipe, 0o600)
            rename(pipe, path)
            if let new = fopen(file, "w") { fclose(new) }
            rename(file, path)
        }
        defer { exchange.stop() }
        var read = 0
        for _ in 0..<5000 where (try? readFile(path, atMost: 9)) != nil { read += 1 }
        #expect(read > 0)
    }
}
