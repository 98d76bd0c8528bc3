// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Foundation
import Imaging
import TestSupport
import Testing

/// Tests of `save-training` in folders that already contain files.
@Suite("svblobclassify: saving among other files")
struct BlobSavingTests {
    private let folder: TemporaryFolder
    private let outside: TemporaryFolder

    init() throws { (folder, outside) = (try TemporaryFolder(), try TemporaryFolder()) }

    /// Returns an element that has learned the coin of an image with each label.
    private func learned(_ labels: [String], _ properties: [(String, String)] = []) throws -> BlobChain {
        let picture = try DrawnCoins.of(1).picture
        let chain = try BlobChain([], properties + [("learn-label", "none")], like: picture)
        var time: UInt64 = 0
        _ = try chain.names(picture)
        for label in labels {
            #expect(chain.classify.element.ask("learn", label, as: Bool.self) == true)
            time += 40_000_000
            _ = try chain.names(picture, at: time)
        }
        return chain
    }

    private func save(_ chain: BlobChain) -> Bool? {
        chain.classify.element.ask("save-training", folder.path, as: Bool.self)
    }

    /// Returns the names of the images in the saved list.
    private func listed() throws -> [String] {
        let data = try Data(contentsOf: URL(fileURLWithPath: folder.file("training.plist")))
        let list = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        return try #require(list?["blobs"] as? [[String: Any]]).compactMap { $0["imageFilename"] as? String }
    }

    /// Returns true if an element can read all saved images.
    private func isReadAgain(_ count: Int) throws -> Bool {
        let picture = try DrawnCoins.of(1).picture
        let chain = try BlobChain([], [("training", folder.file("training.plist"))], like: picture)
        _ = try chain.names(picture)
        let labels = try Set(listed())
        return chain.classify.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).isEmpty && labels.count == count
    }

    @Test("A file of the user's that is in no list stays as it is, a link too")
    func unrelated() throws {
        try folder.write(Array("my only holiday picture".utf8), "holiday.png")
        let victim = try outside.write(Array("victim".utf8), "victim.txt")
        #expect(symlink(victim, folder.file("bean.png")) == 0)
        #expect(symlink(outside.file("nowhere"), folder.file("pea.png")) == 0)
        #expect(save(try learned(["holiday", "bean", "pea"])) == true)
        #expect(try contents(of: folder.file("holiday.png")) == Array("my only holiday picture".utf8))
        #expect(try contents(of: victim) == Array("victim".utf8))
        #expect(outside.names == ["victim.txt"])
        #expect(try listed() == ["holiday_1.png", "bean_1.png", "pea_1.png"])
        #expect(try isReadAgain(3))
    }

    @Test("A folder with a list is that list, a property list before JSON, whatever else is there")
    func folderOfAList() throws {
        #expect(save(try learned(["medal"])) == true)
        let others = folder.file("others")
        try Folder.make(others)
        defer {
            unlink("\(others)/a.png")
            rmdir(others)
        }
        try FileManager.default.copyItem(atPath: folder.file("medal.png"), toPath: "\(others)/a.png")
        let picture = try DrawnCoins.of(1).picture
        func names() throws -> [String?] {
            let chain = try BlobChain([], [("training", folder.path)], like: picture)
            let names = try chain.names(picture).map(\.name)
            #expect(chain.classify.bus.pending(GST_MESSAGE_WARNING, GST_MESSAGE_ERROR).isEmpty)
            return names
        }
        #expect(try names() == ["medal"])
        let json = #"{"labelDescriptions": ["?", "token"], "blobs": [{"imageFilename": "medal.png", "label": 1}]}"#
        try folder.write(Array(json.utf8), "training.json")
        #expect(try names() == ["medal"])
        unlink(folder.file("training.plist"))
        #expect(try names() == ["token"])
        unlink(folder.file("training.json"))
        #expect(try names() == ["others"])
    }

    @Test("What is learned from a picture of 16 bits is saved in its colours")
    func deepPicture() throws {
        // A red object on white.
        let bytes = deepPNG(60, 60) { x, y in
            (15..<45).contains(x) && (10..<50).contains(y) ? [60000, 8000, 8000] : [65535, 65535, 65535]
        }
        try outside.write(bytes, "red.png")
        let json = #"{"labelDescriptions": ["?", "red"], "blobs": [{"imageFilename": "red.png", "label": 1}]}"#
        try outside.write(Array(json.utf8), "training.json")
        let chain = try BlobChain([], [("training", outside.path)], like: try DrawnCoins.of(1).picture)
        #expect(save(chain) == true)
        let saved = try decodePNG(folder.file("red.png"), as: .rgb)
        let middle = saved.color(saved.width / 2, saved.height / 2)
        #expect(middle.red > 220 && middle.green < 45 && middle.blue < 45, "\(middle)")
    }

    @Test("A link that was laid where the picture is made is not followed")
    func planted() throws {
        let victim = try outside.write(Array("victim".utf8), "victim.txt")
        for name in [".bean.png.unfinished", ".bean.png.saving", ".training.plist.saving"] {
            #expect(symlink(victim, folder.file(name)) == 0)
        }
        #expect(save(try learned(["bean"])) == true)
        #expect(try contents(of: victim) == Array("victim".utf8))
        var status = stat()
        #expect(lstat(folder.file("bean.png"), &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
    }

    @Test("What is in the list there is replaced, again and again, and nothing is left behind")
    func again() throws {
        let chain = try learned(["cup", "cup", "spoon"])
        for _ in 0..<3 { #expect(save(chain) == true) }
        #expect(folder.names == ["cup.png", "cup_1.png", "spoon.png", "training.plist"])
        // A symbolic link with the name of an image in the list is replaced. Its target does not change.
        let victim = try outside.write(Array("victim".utf8), "victim.txt")
        unlink(folder.file("cup.png"))
        #expect(symlink(victim, folder.file("cup.png")) == 0)
        #expect(save(try learned(["cup"])) == true)
        #expect(try contents(of: victim) == Array("victim".utf8))
        #expect(try listed() == ["cup.png"])
        #expect(try isReadAgain(1))
    }

    @Test("Names of any kind and length are names of files, and are read again")
    func names() throws {
        let labels = [
            String(repeating: "\u{1F642}", count: 60), String(repeating: "ä", count: 300), "..", ".hidden", "-rf",
            "a/../../b", "x\u{1}\u{2}y", "a\nb", "\u{202E}gnp", "e" + String(repeating: "\u{301}", count: 300), "CON",
            "a.b", "<&>\"'", "  ",
        ]
        let chain = try learned(labels)
        #expect(save(chain) == true)
        let names = try listed()
        #expect(names.count == labels.count && Set(names).count == labels.count)
        for name in names {
            #expect(name.utf8.count <= 128 && !name.hasPrefix(".") && !name.hasPrefix("-") && !name.contains("/"))
            #expect(name.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
        }
        #expect(names.first?.hasPrefix("\u{1F642}\u{1F642}") == true)
        #expect(Set(folder.names) == Set(names + ["training.plist"]))
        #expect(try isReadAgain(labels.count))
    }

    @Test("A training.plist that is no training list is not replaced; one that is a pipe neither")
    func otherList() throws {
        let mine = Array("my plans for the training of my dog".utf8)
        try folder.write(mine, "training.plist")
        let chain = try learned(["cup"])
        #expect(save(chain) == false)
        #expect(try contents(of: folder.file("training.plist")) == mine)
        #expect(folder.names == ["training.plist"])
        let warning = chain.classify.bus.pending(GST_MESSAGE_WARNING).last
        #expect(warning?.text.contains(folder.file("training.plist")) == true)
        unlink(folder.file("training.plist"))
        #expect(mkfifo(folder.file("training.plist"), 0o600) == 0)
        #expect(save(chain) == false)
    }

    @Test("The pictures of svtestscene give way to files that are there, too")
    func scene() throws {
        try folder.write([1], "silver-coin.png")
        let line = try pipeline("videotestsrc num-buffers=1 ! svtestscene training-location=\(folder.path) ! fakesink")
        for _ in 0..<2 {
            try line.play()
            try line.finish()
            try line.reach(GST_STATE_NULL)
        }
        #expect(try contents(of: folder.file("silver-coin.png")) == [1])
        #expect(folder.names.count { $0.hasPrefix("silver-coin") } == 2)
    }

    // MARK: - Reading

    @Test(
        "A training set that is a pipe or too large is an error at the start, and at once", .timeLimit(.minutes(1)))
    func noFile() throws {
        let pipe = folder.file("pipe.plist")
        #expect(mkfifo(pipe, 0o600) == 0)
        let large = try folder.write(Array("bplist00".utf8), "large.plist")
        #expect(truncate(large, 4 << 20 + 1) == 0)
        for (path, words) in [(pipe, "not a regular file"), (large, "larger than 4 MB")] {
            let line = try pipeline("videotestsrc num-buffers=1 ! svblobclassify training=\(path) ! fakesink")
            #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
            let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
            #expect(error.text.contains("cannot read \"\(path)\": ") && error.text.contains(words), "\(error.text)")
        }
    }
}
