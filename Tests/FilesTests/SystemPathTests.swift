// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc
import TestSupport
import Testing

@Suite("Names that are not UTF-8")
struct SystemPathTests {
    @Test(
        "Bytes that are not UTF-8 are escaped; a backslash only where it would be mistaken for an escape",
        arguments: [
            (Array("Zo".utf8) + [0xE9], #"Zo\xE9"#), (Array(#"Zo\xE9"#.utf8), #"Zo\x5CxE9"#),
            (Array(#"Zo\x5CxE9"#.utf8), #"Zo\x5Cx5CxE9"#), (Array("Zoë 王".utf8), "Zoë 王"),
            (Array(#"a\b\\c"#.utf8), #"a\b\\c"#),
            (Array(#"\x41 \xe9 \xE \x"#.utf8), #"\x41 \xe9 \xE \x"#), ([0x5C, 0xE9], #"\\xE9"#),
            ([0x5C, 0x78, 0xE9], #"\x\xE9"#),
            ([0xE2, 0x82, 0x2F, 0xE2, 0x82, 0xAC], #"\xE2\x82/€"#), ([0xED, 0xA0, 0x80], #"\xED\xA0\x80"#),
            ([0xFF], #"\xFF"#),
            ([], ""),
        ] as [([UInt8], String)])
    func text(_ name: [UInt8], _ text: String) {
        #expect(String(systemPath: name) == text)
        #expect(text.systemPath == (name + [0]).map { CChar(bitPattern: $0) })
    }

    @Test("Each name has a text of its own, and is what its text stands for")
    func unique() {
        var random = Random(seed: 3)
        let letters = Array(#"\\\xxE9E95C"#.utf8) + [0xE9, 0xC3, 0xA9, 0x80, 0xFF]
        let names = Set(
            (0..<20_000).map { _ in
                (0..<random.next() % 9).map { _ in letters[Int(random.next() % UInt64(letters.count))] }
            })
        for name in names {
            #expect(String(systemPath: name).systemPath.dropLast().map { UInt8(bitPattern: $0) } == name)
        }
        #expect(Set(names.map { Array(String(systemPath: $0).utf8) }).count == names.count)
    }

    @Test("A text that a user gives stands for itself; bytes that are not UTF-8 are escaped")
    func given() {
        #expect(String(givenPath: #"a\xE9"#) == #"a\xE9"#)
        #expect(String(givenPath: [0x61, CChar(bitPattern: 0xE9), 0]) == #"a\xE9"#)
    }

    @Test("Paths are divided at slashes, whatever follows them")
    func parts() {
        for (path, folder, name) in [
            ("a", ".", "a"), ("/a", "/", "a"), ("a/b/c", "a/b", "c"), ("a/\u{301}b", "a", "\u{301}b"), ("a/", "a", ""),
        ] {
            #expect(path.pathParts.folder == folder && path.pathParts.name == name, "\(path)")
        }
        #expect("/a/b//".lastPathComponent == "b" && "b".lastPathComponent == "b")
        #expect("a/\u{301}b".lastPathComponent == "\u{301}b")
    }

    @Test("Files are created, replaced, read and linked by their bytes; none is taken for another")
    func files() throws {
        let folder = try TemporaryFolder()
        let names = [#"a\xE9"#, #"a\x5CxE9"#, "aé", #"a\x5Cx5CxE9"#]
        for (number, name) in names.enumerated() { try createFile(folder.file(name), with: [UInt8(number)]) }
        for (number, name) in names.enumerated() {
            #expect(try readFile(folder.file(name), atMost: 9) == [UInt8(number)])
            #expect(throws: FileError.self) { try createFile(folder.file(name), with: [9]) }
            try replaceFile(folder.file(name), with: [UInt8(number), 1])
        }
        let found = try contents(of: Array(folder.path.utf8CString), [0x61, 0xE9])
        #expect(found == [0, 1])
        // A symbolic link can refer to such a name.
        #expect(symlink([0x61, CChar(bitPattern: 0xE9), 0], folder.file("link")) == 0)
        try replaceFile(folder.file("link"), with: [7])
        #expect(try readFile(folder.file(names[0]), atMost: 9) == [7])
        #expect(FileStamp(folder.file(names[0])) == FileStamp(folder.file("link")))
    }

    /// Reads a file with the given bytes as its name.
    private func contents(of folder: [CChar], _ name: [UInt8]) throws -> [UInt8] {
        let path = folder.dropLast() + [CChar(UInt8(ascii: "/"))] + name.map { CChar(bitPattern: $0) } + [0]
        let file = try required(fopen(Array(path), "rb"), "no such file")
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 10)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }
}
