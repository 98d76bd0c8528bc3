// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport
import Testing
import Vision

@Suite("Model files") struct ModelFileTests {
    private let folder: TemporaryFolder
    private var path: String { file("family.yml") }
    private func file(_ name: String) -> String { "\(folder.path)/\(name)" }

    init() throws { folder = try TemporaryFolder() }

    private static let model: ModelFile = {
        var gallery = Gallery()
        gallery.add(.made(1), of: "Ada")
        gallery.add(.made(2), of: "Ada")
        gallery.add(.made(3), of: "\"Ben\": \\ # – 王")
        return ModelFile(gallery: gallery, algorithm: .eigenfaces)
    }()

    @Test("What is saved is read again; a new file is for its owner, an old one keeps its mode")
    func roundTrip() throws {
        try Self.model.save(to: path)
        #expect(try ModelFile(path: path) == Self.model)
        func mode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode() == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try ModelFile(gallery: Gallery(), algorithm: .lbph).save(to: path)
        #expect(try mode() == 0o640)
        #expect(try ModelFile(path: path).gallery.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["family.yml"])
    }

    @Test("A link stays a link")
    func link() throws {
        let link = file("link.yml")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "family.yml")
        try Self.model.save(to: path)
        try ModelFile(gallery: Gallery(), algorithm: .lbph).save(to: link)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "family.yml")
        #expect(try ModelFile(path: path).gallery.isEmpty)
    }

    @Test("Edits by hand: comments, empty lines, names without quotes, other ends of lines")
    func edits() throws {
        let text = Self.model.text.replacing("\"Ada\"", with: "Ada Lovelace")
            .replacing("people:", with: "\n# all\npeople:").replacing("\n", with: "\r\n")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(try ModelFile(path: path).gallery.people.map(\.name) == ["Ada Lovelace", "\"Ben\": \\ # – 王"])
    }

    private func message(_ bytes: some Sequence<UInt8>) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        do {
            _ = try ModelFile(path: path)
            return "nothing is wrong"
        } catch {
            #expect("\(error)".hasPrefix("cannot read \"\(path)\": "))
            return "\(error)"
        }
    }

    @Test(
        "What is wrong is told, with the line",
        arguments: [
            ("version: 1", "version: 3", "version 3"), ("kind: swiftvision-faces", "kind: other", "line 3"),
            ("algorithm: eigenfaces", "algorithm: magic", "line 5"), ("side: 70", "side: 64", "64"),
            ("side: 70", "side: many", "line 6"), ("people:", "persons:", "line 7"),
            ("  - name: \"Ada\"", "  - name: \"Ada", "line 9"), ("  - name: \"Ada\"", "  - name:", "line 9"),
            ("    faces:", "    pictures:", "line 9"), ("      - ", "      - !", "line 10"),
            ("...\n", "", "unexpected end of file"),
            ("...\n", "...\nmore\n", "line 16"), ("\n  - name: \"Ada\"\n    faces:", "", "line 8"),
        ])
    func malformed(_ old: String, _ new: String, _ reason: String) throws {
        let text = Self.model.text.replacing(old, with: new, maxReplacements: 1)
        #expect(text != Self.model.text)
        #expect(try message(text.utf8).contains(reason))
    }

    private static let vectors: ModelFile = {
        var gallery = Gallery()
        gallery.add(.embedding(.made(1)), of: "Ada")
        gallery.add(.embedding(.made(2)), of: "Ada")
        gallery.add(.embedding(.made(3)), of: "Ben")
        // A file of embeddings contains no images.
        gallery.add(.made(4), of: "Cleo")
        return ModelFile(gallery: gallery, algorithm: .embedding, network: .network)
    }()

    @Test("Vectors are read as they were saved, with their network, and without images")
    func vectors() throws {
        #expect(Self.vectors.gallery.people.map(\.name) == ["Ada", "Ben"])
        try Self.vectors.save(to: path)
        let file = try ModelFile(path: path)
        #expect(file == Self.vectors && file.kind == .embedding(network: .network))
        var empty = file
        empty.gallery = Gallery()
        try empty.save(to: path)
        #expect(try ModelFile(path: path) == empty)
    }

    @Test(
        "What is wrong in a file with vectors is told, with the line",
        arguments: [
            ("dimension: 128", "dimension: 127", "line 11"), ("dimension: 128", "dimension: 1", "1 values"),
            ("dimension: 128", "dimension: 99999999999", "99999999999 values"),
            ("dimension: 128", "side: 70", "line 6"),
            ("network: \"0123", "network: \"012", "line 7"), ("network: \"0123", "network: \"012G", "line 7"),
            ("network: ", "net: ", "line 7"), ("      - ", "      - AAAA", "line 11"),
            ("algorithm: embedding", "algorithm: lbph", "line 6"),
        ])
    func malformedVectors(_ old: String, _ new: String, _ reason: String) throws {
        let text = Self.vectors.text.replacing(old, with: new, maxReplacements: 1)
        #expect(text != Self.vectors.text)
        #expect(try message(text.utf8).contains(reason))
    }

    @Test("Vectors that are not of length 1 are refused", arguments: [Float.nan, .infinity, 1, 0, 1e30])
    func otherLengths(_ value: Float) throws {
        let bytes = (0..<128).flatMap { _ in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) } }
        let line = try #require(Self.vectors.text.split(separator: "\n").first { $0.hasPrefix("      - ") })
        let text = Self.vectors.text.replacing(line, with: "      - \(Data(bytes).base64EncodedString())")
        #expect(try message(text.utf8).contains("length 1"))
    }

    @Test("A name that comes twice is refused")
    func twice() throws {
        let person = Self.model.text.split(separator: "\n").dropFirst(7).prefix(4).joined(separator: "\n")
        #expect(try message(Self.model.text.replacing("...", with: person + "\n...").utf8).contains("not unique"))
    }

    @Test("Cut off anywhere, it is refused; so is what is no text, and what is no file")
    func truncated() throws {
        let bytes = Array(Self.model.text.utf8)
        for count in stride(from: 0, to: bytes.count - 1, by: 731) {
            #expect(try message(bytes[..<count]) != "nothing is wrong")
        }
        #expect(try message([UInt8](0...255)).contains("svfacerecognize"))
        for (path, reason) in [(file("none.yml"), "no such"), (folder.path, "folder"), ("/dev/zero", "regular")] {
            let error = #expect(throws: ModelFileError.self) { try ModelFile(path: path) }
            #expect(error?.description.contains(reason) == true)
        }
        let error = #expect(throws: ModelFileError.self) { try Self.model.save(to: file("none/family.yml")) }
        #expect(error?.reason == .unwritable)
    }

    @Test("A file of larger than 64 MB is refused, and none is written that could not be read again")
    func tooLarge() throws {
        try Self.model.save(to: path)
        #expect(truncate(path, 64 << 20 + 1) == 0)
        let error = #expect(throws: ModelFileError.self) { try ModelFile(path: path) }
        #expect(error?.reason == .unreadable && error?.description.contains("larger than 64 MB") == true)
        var gallery = Gallery()
        var pixels = [UInt8](repeating: 0, count: FaceSample.pixelCount)
        for number in 0..<10_300 {
            pixels[0] = UInt8(number & 255)
            pixels[1] = UInt8(number >> 8)
            gallery.add(try #require(FaceSample(pixels: pixels)), of: "\(number % 103)")
        }
        let large = ModelFile(gallery: gallery, algorithm: .lbph)
        let refusal = #expect(throws: ModelFileError.self) { try large.save(to: path) }
        #expect(refusal?.reason == .unwritable && refusal?.description.contains("10300") == true)
        #expect(folder.names == ["family.yml"])
    }

    @Test("What is no file is not replaced")
    func device() throws {
        #expect(mkfifo(path, 0o600) == 0)
        let error = #expect(throws: ModelFileError.self) { try Self.model.save(to: path) }
        #expect(error?.reason == .unwritable)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType != .typeRegular)
    }

    @Test("Leftovers of saves that were killed are removed, those of processes that live are not")
    func leftovers() throws {
        // The kernel does not use process ids this high.
        let dead = file(".family.yml.4194399-1.saving")
        let living = file(".family.yml.1-1.saving")
        for path in [dead, living] { try Data().write(to: URL(fileURLWithPath: path)) }
        try Self.model.save(to: path)
        #expect(!FileManager.default.fileExists(atPath: dead))
        #expect(FileManager.default.fileExists(atPath: living))
    }

    @Test("Killed 100 times while it saves, a program never leaves a file that cannot be read", .timeLimit(.minutes(2)))
    func killed() throws {
        let saver = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("modelsaver")
        try #require(FileManager.default.isExecutableFile(atPath: saver.path))
        try ModelFile(gallery: Gallery(), algorithm: .lbph).save(to: path)
        var random = Random(seed: 7)
        var seen = Set<Int>()
        var leftovers = 0
        for round in 0..<100 {
            let process = Process()
            process.executableURL = saver
            process.arguments = [path]
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            try process.run()
            // After its first save, the program only saves.
            let hasBegun = try eventually { try Data(contentsOf: URL(fileURLWithPath: path)) != before }
            #expect(hasBegun)
            if round.isMultiple(of: 2) {
                _ = eventually { folder.names.contains { $0.hasSuffix(".saving") } }
            } else {
                usleep(UInt32(random.next() % 8000))
            }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            seen.insert(try ModelFile(path: path).gallery.faceCount)
            leftovers += folder.names.count { $0.hasSuffix(".saving") }
        }
        #expect(seen == [3, 9])
        // The program was killed at least once during a save.
        #expect(leftovers > 0)
    }
}
