// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Foundation
import TestSupport
import Testing

@testable import Elements

@Suite("The names of clips")
struct ClipNameTests {
    init() throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
    }

    private static let match = TriggerRule.Match(label: "Ann/../B", zone: "", event: "enter")
    /// 2026-11-26 19:05:09 local time.
    private static let time: time_t = {
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (126, 10, 26)
        (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (19, 5, 9, -1)
        return mktime(&parts)
    }()

    @Test("A pattern is filled with time and names, and names stay inside the folder")
    func paths() throws {
        let name = try ClipName("/var/clips/%Y/%m-%d/%H%M%S-{label}-{zone}-{event}.mp4", of: "location")
        #expect(name.folder == "/var/clips" && name.container == .mp4)
        let (folders, stem) = name.path(for: Self.match, at: Self.time)
        #expect(folders == ["2026", "11-26"])
        #expect(stem == "190509-Ann_.._B-none-enter")
        #expect(name.matches("2026/11-26/190509-Ann_.._B-none-enter.mp4"))
        #expect(name.matches("2026/11-26/190509-Ann_.._B-none-enter-2.jpg"))
    }

    @Test(
        "The fixed folder ends before the first part of the time",
        arguments: [
            ("a.mkv", "."), ("/a.mkv", "/"), ("x/y/a.webm", "x/y"), ("x/{label}/a.mkv", "x"), ("%Y/a.mkv", "."),
        ])
    func folders(_ pattern: String, _ folder: String) throws {
        #expect(try ClipName(pattern, of: "location").folder == folder)
    }

    @Test(
        "Only names of the pattern match",
        arguments: [
            "clip-2026.mkv", "clip-20261126.avi", "clip-20261126x.mkv", "other-20261126.mkv", "a/clip-20261126.mkv",
            "clip-20261126-.mkv", "clip-20261126-x.mkv", "clip-2026112a.mkv",
        ])
    func others(_ path: String) throws {
        let name = try ClipName("clip-%Y%m%d.mkv", of: "location")
        #expect(name.matches("clip-20261126.mkv") && name.matches("clip-20261126-12.mkv"))
        #expect(!name.matches(path))
    }

    @Test(
        "A pattern whose names would be changed is an error",
        arguments: [
            ".clip-%H.mkv", "-%H.mkv", ".mkv", "%Y//a.mkv", "%Y/../a.mkv", "%Y/.a/b.mkv", "a\u{7}-%H.mkv",
            "{label}{zone}{event}{label}.mkv", String(repeating: "a", count: 201) + ".mkv",
        ])
    func changedNames(_ pattern: String) {
        #expect(throws: ElementError.self) { try ClipName(pattern, of: "location") }
    }

    @Test(
        "All names of a pattern match the pattern",
        arguments: ["a.b-%H.mkv", "{label}-{zone}.mp4", "%Y-{event}/{label}.webm", "../x/a-%S.mkv", "./.hidden/a.mkv"])
    func names(_ pattern: String) throws {
        let name = try ClipName(pattern, of: "location")
        for label in ["cat", "-x", "..", String(repeating: "ä", count: 100), "a\u{7}"] {
            let match = TriggerRule.Match(label: label, zone: label, event: label)
            let (folders, stem) = name.path(for: match, at: Self.time)
            #expect(name.matches((folders + ["\(stem).\(name.container.rawValue)"]).joined(separator: "/")))
        }
    }

    @Test(
        "An error names the position of the wrong character",
        arguments: [
            ("%Q.mkv", 1), ("a-%", 3), ("a-{name}.mkv", 3), ("a-{label.mkv", 3), ("a.avi", 5), ("a-%H", 4),
        ])
    func errors(_ pattern: String, _ position: Int) {
        let error = #expect(throws: ElementError.self) { try ClipName(pattern, of: "location") }
        #expect(error?.message.hasPrefix("location, at character \(position): ") == true)
    }
}

@Suite("The limits of svevents")
struct ClipStoreTests {
    private let folder: TemporaryFolder
    private let name: ClipName

    init() throws {
        folder = try TemporaryFolder()
        name = try ClipName("\(folder.path)/clip-%H%M%S.mkv", of: "location")
    }

    /// Writes a file of 100 bytes.
    private func file(_ file: String) throws -> String { try folder.write([UInt8](repeating: 1, count: 100), file) }

    private func store(bytes: UInt64 = 0, age: ClockTime = .zero) -> ClipStore {
        ClipStore(name, ClipStore.Limits(bytes: bytes, age: age))
    }

    private var clips: [String] { folder.names.filter { !$0.hasPrefix(".") } }

    /// Sets the time of the last change, so that the order of files is certain.
    private func age(_ path: String, seconds: Double) throws {
        let date = Date(timeIntervalSinceNow: -seconds)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    @Test("The oldest clips are deleted, and files of others stay")
    func space() throws {
        let stranger = try file("clip-000000.mkv")
        _ = try file("holiday.mkv")
        let store = store(bytes: 250)
        for (index, name) in ["clip-000001.mkv", "clip-000002.mkv", "clip-000003.mkv"].enumerated() {
            let path = try file(name)
            try age(path, seconds: Double(100 - index * 10))
            #expect(store.add([path]).deleted == (index == 2 ? [folder.file("clip-000001.mkv")] : []))
        }
        #expect(clips == ["clip-000000.mkv", "clip-000002.mkv", "clip-000003.mkv", "holiday.mkv"])
        #expect(FileManager.default.fileExists(atPath: stranger))
    }

    @Test("The index survives a restart")
    func restart() throws {
        let path = try file("clip-000001.mkv")
        do { _ = store(bytes: 1000).add([path]) }
        #expect(store(bytes: 50).add([]).deleted == [path])
        #expect(clips.isEmpty)
    }

    @Test("Old clips are deleted")
    func oldClips() throws {
        let store = store(age: 3600 * .second)
        let (old, new) = (try file("clip-000001.mkv"), try file("clip-000002.mkv"))
        try age(old, seconds: 4000)
        #expect(store.add([old, new]).deleted == [old])
        #expect(clips == ["clip-000002.mkv"])
    }

    @Test("A changed, replaced or linked file is kept")
    func changes() throws {
        for change in ["append", "replace", "link", "hard link"] {
            let path = try file("clip-000001.mkv")
            do { _ = store(bytes: 1000).add([path]) }
            switch change {
            case "append": try Data([1]).append(to: path)
            case "replace":
                try FileManager.default.moveItem(atPath: try file("other"), toPath: path + ".new")
                try #require(rename(path + ".new", path) == 0)
            case "link":
                try FileManager.default.moveItem(atPath: path, toPath: folder.file("real"))
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("real"))
            default: try FileManager.default.linkItem(atPath: path, toPath: folder.file("second"))
            }
            let outcome = store(bytes: 50).add([])
            #expect(outcome.deleted.isEmpty && outcome.problem?.message.contains("not delete") == true, "\(change)")
            #expect(clips.contains("clip-000001.mkv"), "\(change)")
            for name in folder.names { try FileManager.default.removeItem(atPath: folder.file(name)) }
        }
    }

    @Test("A folder that became a link is not followed")
    func linkedFolder() throws {
        let name = try ClipName("\(folder.path)/%H/clip.mkv", of: "location")
        try FileManager.default.createDirectory(atPath: folder.file("10"), withIntermediateDirectories: false)
        let path = try file("10/clip.mkv")
        let first = ClipStore(name, ClipStore.Limits(bytes: 1000))
        _ = first.add([path])
        try FileManager.default.moveItem(atPath: folder.file("10"), toPath: folder.file("elsewhere"))
        try FileManager.default.createSymbolicLink(atPath: folder.file("10"), withDestinationPath: "elsewhere")
        #expect(first.add([]).deleted.isEmpty)
        #expect(FileManager.default.fileExists(atPath: folder.file("elsewhere/clip.mkv")))
    }

    @Test("With a malformed index or a second store, no file is deleted")
    func doubt() throws {
        let path = try file("clip-000001.mkv")
        let first = store(bytes: 1000)
        _ = first.add([path])
        let second = store(bytes: 50).add([])
        #expect(second.deleted.isEmpty && second.problem?.message.contains("another svevents") == true)
        withExtendedLifetime(first) {}
        for index in ["", "{", "{\"files\":[{\"file\":\"clip-000001.mkv\"}]}", "[]"] {
            let folder = try TemporaryFolder()
            let path = try folder.write([1], "clip-000001.mkv")
            try folder.write(Array(index.utf8), ClipStore.indexName)
            let store = ClipStore(
                try ClipName("\(folder.path)/clip-%H%M%S.mkv", of: "location"), ClipStore.Limits(bytes: 1))
            let outcome = store.add([path])
            #expect(outcome.deleted.isEmpty && outcome.problem != nil)
            #expect(folder.names == [ClipStore.indexName, "clip-000001.mkv"])
        }
    }

    @Test("Clips of an earlier location stay in the index, and are not deleted")
    func otherLocation() throws {
        let path = try file("clip-000001.mkv")
        do { _ = store(bytes: 1000).add([path]) }
        let other = try ClipName("\(folder.path)/event-%H.mkv", of: "location")
        let event = try file("event-10.mkv")
        do {
            let outcome = ClipStore(other, ClipStore.Limits(bytes: 1)).add([event])
            #expect(outcome.deleted == [event] && outcome.problem == nil)
        }
        #expect(clips == ["clip-000001.mkv"])
        #expect(store(bytes: 50).add([]).deleted == [path])
    }

    @Test("The index is independent of the number of the device")
    func device() throws {
        let path = try file("clip-000001.mkv")
        do { _ = store(bytes: 1000).add([path]) }
        let index = try String(contentsOfFile: folder.file(ClipStore.indexName), encoding: .utf8)
        #expect(index.contains("inode") && !index.contains("device"))
    }

    @Test("A file whose status is unknown stays in the index")
    func unknownStatus() throws {
        // A name that is too long for the system: the error is not "no such file".
        let long = String(repeating: "a", count: 300)
        try folder.write(
            Array("{\"files\":[{\"file\":\"\(long)\",\"inode\":1,\"size\":1,\"modified\":1}]}".utf8),
            ClipStore.indexName)
        let outcome = store(bytes: 1000).add([])
        #expect(outcome.deleted.isEmpty && outcome.problem?.message.contains("not delete") == true)
        let index = try String(contentsOfFile: folder.file(ClipStore.indexName), encoding: .utf8)
        #expect(index.contains(long))
    }

    @Test("A folder that is deleted and created again has limits, too")
    func newFolder() throws {
        let store = store(bytes: 150)
        _ = store.add([try file("clip-000001.mkv")])
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
        let (first, second) = (try file("clip-000002.mkv"), try file("clip-000003.mkv"))
        try age(first, seconds: 100)
        #expect(store.add([first, second]).deleted == [first])
        #expect(folder.names == [ClipStore.indexName, "clip-000003.mkv"])
    }

    @Test("Deleted files are reported even if there is a problem with another file")
    func deletionAndProblem() throws {
        let (old, changed) = (try file("clip-000001.mkv"), try file("clip-000002.mkv"))
        try age(old, seconds: 100)
        let store = store(bytes: 200)
        _ = store.add([old, changed])
        try Data([1]).append(to: changed)
        let outcome = store.add([try file("clip-000003.mkv"), try file("clip-000004.mkv")])
        #expect(outcome.deleted == [old] && outcome.problem?.message.contains("not delete") == true)
    }

    @Test("An index of another program names no file outside of the pattern")
    func hostileIndex() throws {
        let path = try file("holiday.mkv")
        var status = stat()
        try #require(stat(path, &status) == 0)
        let modified = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
        for name in ["holiday.mkv", "../\(URL(fileURLWithPath: folder.path).lastPathComponent)/holiday.mkv"] {
            let json =
                "{\"files\":[{\"file\":\"\(name)\",\"device\":\(status.st_dev),\"inode\":\(status.st_ino),"
                + "\"size\":100,\"modified\":\(modified)}]}"
            try folder.write(Array(json.utf8), ClipStore.indexName)
            _ = store(bytes: 1).add([])
            #expect(clips == ["holiday.mkv"])
        }
    }
}

extension Data {
    fileprivate func append(to path: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: self)
        try file.close()
    }
}
