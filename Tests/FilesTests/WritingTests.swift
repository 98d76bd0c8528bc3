// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("Writing files")
struct WritingTests {
    private let folder: TemporaryFolder
    private let outside: TemporaryFolder

    init() throws { (folder, outside) = (try TemporaryFolder(), try TemporaryFolder()) }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    private func cause(_ body: () throws(FileError) -> Void) -> FileError.Cause? {
        #expect(throws: FileError.self) { try body() }?.cause
    }

    @Test("A file is made, for its owner or as the process makes files, and replaced with its mode")
    func modes() throws {
        let mask = umask(0)
        umask(mask)
        try replaceFile(folder.file("private"), with: [1])
        #expect(mode(folder.file("private")) == S_IFREG | 0o600)
        try replaceFile(folder.file("usual"), with: [1], isPrivate: false)
        #expect(mode(folder.file("usual")) == S_IFREG | (0o666 & ~mask))
        for mode in [0o604, 0o640, 0o777] as [mode_t] {
            chmod(folder.file("usual"), mode)
            try replaceFile(folder.file("usual"), with: [2, 3])
            #expect(self.mode(folder.file("usual")) == S_IFREG | mode)
        }
        #expect(try contents(of: folder.file("usual")) == [2, 3])
        #expect(folder.names == ["private", "usual"])
    }

    @Test("Nothing but a regular file is replaced", arguments: [true, false])
    func noFile(_ followsLinks: Bool) throws {
        let (pipe, file) = (folder.file("pipe"), try folder.write([1], "file"))
        #expect(mkfifo(pipe, 0o600) == 0)
        func replace(_ path: String) -> FileError.Cause? {
            cause { () throws(FileError) in try replaceFile(path, with: [2], followsLinks: followsLinks) }
        }
        #expect(replace(pipe) == .notRegular)
        #expect(mode(pipe).map { $0 & S_IFMT } == S_IFIFO)
        #expect(replace(folder.path) == .folder)
        #expect(replace(folder.path + "/") == .folder)
        #expect(replace(file + "/x") != nil)
        #expect(replace(folder.file("none/x")) == .failed)
        #expect(replace("\(file)\0") == .failed)
        #expect(replace(folder.file(String(repeating: "x", count: 256))) == .failed)
        #expect(try contents(of: file) == [1])
        #expect(folder.names == ["file", "pipe"])
    }

    // MARK: - Links

    @Test("A link stays, also one of several that leads nowhere yet; or it is replaced itself")
    func links() throws {
        #expect(symlink("second", folder.file("first")) == 0)
        #expect(symlink(outside.file("target"), folder.file("second")) == 0)
        try replaceFile(folder.file("first"), with: [1])
        #expect(try contents(of: outside.file("target")) == [1])
        #expect(mode(folder.file("first")).map { $0 & S_IFMT } == S_IFLNK)
        try replaceFile(folder.file("first"), with: [2], followsLinks: false)
        #expect(try contents(of: outside.file("target")) == [1])
        #expect(mode(folder.file("first")) == S_IFREG | 0o600)
        #expect(symlink("loop", folder.file("loop")) == 0)
        #expect(cause { () throws(FileError) in try replaceFile(folder.file("loop"), with: [1]) } == .failed)
    }

    /// In such a folder, any user can create a link with the name that another user is going to use.
    @Test("A link that another user has made in a folder of everybody is not followed", .enabled(if: geteuid() == 0))
    func shared() throws {
        chmod(folder.path, 0o1777)
        let victim = try outside.write([1], "victim")
        #expect(symlink(victim, folder.file("link")) == 0)
        try replaceFile(folder.file("link"), with: [2])
        #expect(try contents(of: victim) == [2])
        #expect(lchown(folder.file("link"), 12345, 12345) == 0)
        let error = #expect(throws: FileError.self) { try replaceFile(folder.file("link"), with: [3]) }
        #expect(error?.description.contains("another user") == true)
        #expect(try contents(of: victim) == [2])
    }

    // MARK: - New files

    @Test("A new file takes nobody's name: no file's, no folder's, and no link's that leads nowhere")
    func new() throws {
        try folder.write([1], "file")
        #expect(symlink(outside.file("nowhere"), folder.file("link")) == 0)
        #expect(mkdir(folder.file("folder"), 0o700) == 0)
        for name in ["file", "link", "folder"] {
            #expect(cause { () throws(FileError) in try createFile(folder.file(name), with: [2]) } == .exists)
            #expect(cause { () throws(FileError) in try reserveFile(folder.file(name)) } == .exists)
        }
        #expect(outside.names.isEmpty)
        try createFile(folder.file("new"), with: [3])
        #expect(try contents(of: folder.file("new")) == [3])
        #expect(cause { () throws(FileError) in try createFile(folder.file("none/new"), with: [3]) } == .failed)
        #expect(folder.names == ["file", "folder", "link", "new"])
        rmdir(folder.file("folder"))
    }

    @Test("A new file that cannot be written leaves no empty one")
    func failure() throws {
        let folder = try DeepFolder()
        #expect(cause { () throws(FileError) in try createFile(folder.path + "/a", with: [1]) } == .failed)
        #expect(folder.names.isEmpty)
        try reserveFile(folder.path + "/a")
        #expect(folder.names == ["a"])
    }

    // MARK: - Intermediate states

    @Test("Names of any length, and none that could be foreseen")
    func temporary() throws {
        let long = String(repeating: "\u{1F642}", count: 63)
        for name in [long, "a"] { try replaceFile(folder.file(name), with: [1]) }
        #expect(folder.names == ["a", long])
        // An observer sees each name only once.
        let seen = Names()
        let path = folder.path
        let watch = BackgroundThread { _ in
            guard let directory = opendir(path) else { return }
            defer { closedir(directory) }
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name.hasSuffix(".saving") { seen.add(name) }
            }
        }
        for round in 0..<2000 where seen.count < 3 {
            try replaceFile(folder.file("a"), with: [UInt8](repeating: UInt8(round % 256), count: 100_000))
        }
        watch.stop()
        #expect(seen.count >= 3)
        #expect(
            seen.all.allSatisfy { $0.hasPrefix(".a.\(getpid())-") && $0.count > ".a.\(getpid())-.saving".count + 8 })
    }

    @Test("Leftovers of processes that ended are removed, of names of any length; others are not")
    func leftovers() throws {
        let long = String(repeating: "ä", count: 120)
        // This process ID is above the limit of the kernel, so no process has it.
        try folder.write([], ".a.4194399-1.saving")
        for name in [".a.1-1.saving", ".a.4194399-1.sav", ".ab.4194399-1.saving", ".a.x-1.saving"] {
            try folder.write([], name)
        }
        try replaceFile(folder.file("a"), with: [1])
        #expect(folder.names == [".a.1-1.saving", ".a.4194399-1.sav", ".a.x-1.saving", ".ab.4194399-1.saving", "a"])
        let cut = ".\(String(repeating: "ä", count: 90)).4194399-1.saving"
        try folder.write([], cut)
        try replaceFile(folder.file(long), with: [1])
        #expect(!folder.names.contains(cut))
    }
}

/// The names that a thread has seen.
private final class Names: Sendable {
    private let names = Mutex(Set<String>())

    var all: Set<String> { names.withLock { $0 } }
    var count: Int { all.count }

    func add(_ name: String) { names.withLock { _ = $0.insert(name) } }
}

@Suite("Names of files")
struct FileNameTests {
    @Test("Cut by bytes, between characters; a character that is longer by itself, between its scalars")
    func cut() {
        #expect("abc".cut(toBytes: 3) == "abc")
        #expect("abc".cut(toBytes: 2) == "ab")
        #expect("äöü".cut(toBytes: 5) == "äö")
        #expect(String(repeating: "\u{1F642}", count: 60).cut(toBytes: 10) == "\u{1F642}\u{1F642}")
        #expect("e\u{301}e\u{301}".cut(toBytes: 5) == "e\u{301}")
        let accents = "e" + String(repeating: "\u{301}", count: 50)
        #expect(accents.cut(toBytes: 10).utf8.count == 9)
        #expect("ä".cut(toBytes: 1) == "")
    }

    @Test(
        "Nothing leads elsewhere, is hidden or an option, or cannot be seen",
        arguments: [
            ("cup", "cup"), ("a/../../b", "a_.._.._b"), ("..", "_.."), (".hidden", "_.hidden"), ("-rf", "_-rf"),
            ("", "_"), ("x\u{1}\u{2}y\n\0", "x__y__"), ("\u{202E}gnp", "_gnp"), ("\u{FEFF}.a", "_.a"),
            ("a\u{2028}b", "a_b"), ("pinto bean", "pinto bean"), ("王", "王"), (".\u{301}a", "_.\u{301}a"),
        ])
    func fileName(_ text: String, _ name: String) {
        #expect(text.fileName(atMost: 100) == name)
        #expect(text.fileName(atMost: 2).utf8.count <= 2)
    }
}
