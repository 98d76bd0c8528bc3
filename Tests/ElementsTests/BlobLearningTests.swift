// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Glibc
import Imaging
import Scenes
import TestSupport
import Testing

@Suite("svblobclassify: training and learning")
struct BlobLearningTests {
    // MARK: - Invalid training sets

    private static let wrong: [(file: String, words: [String])] = [
        ("", ["training list", "property list"]), ("nonsense", ["not a training list", "labelDescriptions"]),
        ("{}", ["labelDescriptions"]),
        (#"{"labelDescriptions": ["?", "a"], "blobs": []}"#, ["blobs"]),
        (
            #"{"labelDescriptions": ["?", "a"], "blobs": [{"imageFilename": "silver-coin.png", "label": 7}]}"#,
            ["blobs[0]", "7"]
        ),
        (
            #"{"labelDescriptions": ["?", "a"], "blobs": [{"imageFilename": "silver-coin.png", "label": "1"}]}"#,
            ["blobs[0].label"]
        ),
        (#"{"labelDescriptions": ["?", "a"], "blobs": [{"label": 1}]}"#, ["imageFilename"]),
        (#"{"labelDescriptions": ["?", "a"], "blobs": [{"imageFilename": "no.png", "label": 1}]}"#, ["none of the 1"]),
    ]

    @Test("An error at the start names the file and what is wrong in it", arguments: wrong.indices)
    func wrongList(_ index: Int) throws {
        let training = try DrawnTraining.shared
        let path = try training.folder.write(Array(Self.wrong[index].file.utf8), "wrong-\(index).plist")
        try expectError(path, [path] + Self.wrong[index].words)
    }

    @Test("So does one for a path that leads nowhere, or to a folder without pictures")
    func nowhere() throws {
        try expectError("/no/such.plist", ["/no/such.plist", "no such file"])
        let folder = try TemporaryFolder()
        try expectError(
            folder.path, [folder.path, "no training.plist", "no subfolder with images"])
    }

    private func expectError(_ training: String, _ words: [String]) throws {
        let line = try pipeline(
            "videotestsrc num-buffers=3 ! svblobdetect ! svblobclassify training=\(training) ! fakesink")
        #expect(line.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
        let error = try #require(line.bus.wait(GST_MESSAGE_ERROR))
        for word in words { #expect(error.text.contains(word), "\(error.text)") }
    }

    @Test("A missing picture is a warning with its name; the others are used")
    func missingPicture() throws {
        let training = try DrawnTraining()
        unlink(training.folder.file("gold-coin.png"))
        let coins = try DrawnCoins.of(6)
        let (picture, actors) = (coins.picture, coins.actors)
        let chain = try BlobChain([], [("training", training.list)], like: picture)
        let warnings = chain.classify.bus.pending(GST_MESSAGE_WARNING)
        #expect(warnings.count == 1)
        #expect(warnings.first?.text.contains("gold-coin.png") == true)
        #expect(try chain.names(picture).right(actors.filter { $0.object != .goldCoin }) == 5)
    }

    @Test("In PLAYING a broken list is a warning, and what was known stays")
    func brokenInPlaying() throws {
        let training = try DrawnTraining.shared
        let coins = try DrawnCoins.of(2)
        let (picture, actors) = (coins.picture, coins.actors)
        let chain = try BlobChain([], [("training", training.list)], like: picture)
        chain.classify.element.set("training", "/no/such.plist")
        _ = try chain.names(picture)
        let warning = try #require(chain.classify.bus.wait(GST_MESSAGE_WARNING))
        #expect(warning.text.contains("/no/such.plist"))
        #expect(try chain.names(picture, at: 40_000_000).right(actors) == 2)
    }

    // MARK: - Learning

    @Test("learn, know, save, read again, forget", arguments: ["sync", "async"])
    func learn(_ mode: String) throws {
        let folder = try TemporaryFolder()
        let coins = try DrawnCoins.of(1)
        let (picture, actors) = (coins.picture, coins.actors)
        let chain = try BlobChain([], [("mode", mode)], like: picture)
        let element = chain.classify.element
        // No frame has arrived yet.
        #expect(element.ask("learn", "medal", as: Bool.self) == false)
        #expect(element.ask("save-training", folder.file("none"), as: Bool.self) == false)
        #expect(try chain.names(picture).count == actors.count)
        #expect(element.ask("learn", "medal", as: Bool.self) == true)
        #expect(
            try eventually { number in
                try chain.names(picture, at: UInt64(number + 1) * 40_000_000).first?.name == "medal"
            })
        let messages = chain.classify.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }
        let learned = try #require(messages.first { $0.text("event") == "learned" })
        #expect(learned.text("label") == "medal" && learned.int("label_id") == 1 && learned.int("pictures") == 1)
        #expect(learned.bool("recognised") == true && learned.text("advice") == nil)

        #expect(element.ask("save-training", folder.file("set"), as: Bool.self) == true)
        let other = try BlobChain([], [("training", folder.file("set/training.plist"))], like: picture)
        #expect(try other.names(picture).first?.name == "medal")
        #expect(element.ask("forget", "medal", as: UInt32.self) == 1)
        #expect(element.ask("forget", "medal", as: UInt32.self) == 0)
        #expect(
            try eventually { number in
                try chain.names(picture, at: 9_000_000_000_000 + UInt64(number) * 40_000_000).first?.name == nil
            })
    }

    /// Returns the elements after they have learned the same object with two labels.
    private func twice() throws -> BlobChain {
        let picture = try DrawnCoins.of(1).picture
        let chain = try BlobChain([], [("learn-label", "none")], like: picture)
        _ = chain.classify.bus.pending(GST_MESSAGE_WARNING)
        for (number, label) in ["medal", "coin"].enumerated() {
            _ = try chain.names(picture, at: UInt64(number) * 80_000_000)
            #expect(chain.classify.element.ask("learn", label, as: Bool.self) == true)
            _ = try chain.names(picture, at: UInt64(number) * 80_000_000 + 40_000_000)
        }
        return chain
    }

    @Test("What looks like another label is said to, with what would help")
    func alike() throws {
        let learned = try twice().classify.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }
            .filter { $0.text("event") == "learned" }
        #expect(learned.map { $0.bool("recognised") } == [true, false])
        #expect(learned.map { $0.text("taken-for") } == [nil, "medal"])
        let advice = try #require(learned.last?.text("advice"))
        #expect(advice.hasPrefix("learned coin, but coin looks like medal. ") && advice.contains("another image"))
        #expect(try twice().classify.bus.pending(GST_MESSAGE_WARNING).map(\.text) == [advice])
    }

    @Test("size-matters without a size is a warning; what is learned from the stream has one, and the list keeps it")
    func sizes() throws {
        let training = try DrawnTraining.shared
        let folder = try TemporaryFolder()
        let picture = try DrawnCoins.of(1).picture
        let chain = try BlobChain([], [("training", training.list), ("size-matters", "true")], like: picture)
        let warnings = chain.classify.bus.pending(GST_MESSAGE_WARNING)
        #expect(warnings.count == 1 && warnings.allSatisfy { $0.text.contains("size-matters has no effect") })
        let live = try BlobChain([], [("learn-label", "none"), ("size-matters", "true")], like: picture)
        _ = try live.names(picture)
        #expect(live.classify.element.ask("learn", "medal", as: Bool.self) == true)
        _ = try live.names(picture, at: 40_000_000)
        #expect(live.classify.element.ask("save-training", folder.path, as: Bool.self) == true)
        let list = try String(decoding: contents(of: folder.file("training.plist")), as: UTF8.self)
        #expect(list.contains("<key>sizePer10000</key>"))
    }

    @Test("learn-label waits until the largest blob stands still, learns once, and saves")
    func learnLabel() throws {
        let folder = try TemporaryFolder()
        let scene = DrawnFaces(.coins, count: 1, seed: 3, width: 240, height: 200)
        let still = try scene.frame().picture
        let chain = try BlobChain(
            [], [("learn-label", "medal"), ("save-location", folder.file("set"))], like: still)
        var time: UInt64 = 0
        // The object moves by several pixels per frame.
        for number in 0..<18 {
            let (picture, _) = try scene.frame(at: Double(number) / 2)
            #expect(try chain.names(picture, at: time).allSatisfy { $0.name == nil })
            time += 40_000_000
        }
        #expect(folder.names.isEmpty)
        var name: String?
        for _ in 0..<40 {
            name = try chain.names(still, at: time).first?.name
            time += 40_000_000
        }
        #expect(name == "medal")
        let learned = chain.classify.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }
            .filter { $0.text("event") == "learned" }
        #expect(learned.count == 1)
        let training = try Set(fileNames(in: folder.file("set")))
        #expect(training == ["medal.png", "training.plist"])
    }

    @Test(
        "Another run with the same save-location goes on with what the first has learned, and leaves its pictures alone"
    )
    func secondRun() throws {
        let folder = try TemporaryFolder()
        let set = folder.file("set")
        let coins = try DrawnCoins.of(2)
        let (picture, actors) = (coins.picture, coins.actors)
        for label in ["first", "second"] {
            let chain = try BlobChain([], [("which", "largest"), ("save-location", set)], like: picture)
            _ = try chain.names(picture)
            #expect(chain.classify.element.ask("learn", label, as: Bool.self) == true)
            #expect(try chain.names(picture, at: 40_000_000).count == actors.count)
            if label == "first" {
                // The changes of a user to an image are kept. Here, the image loses its colours.
                let path = set + "/first.png"
                let old = try decodePNG(path, as: .bgra)
                try encode(old.map { _, _, pixel in [pixel[1], pixel[1], pixel[1], 255] }, encoder: "pngenc", to: path)
            } else {
                let kept = try decodePNG(set + "/first.png", as: .bgra)
                #expect((0..<kept.width).allSatisfy { kept.color($0, 5).red == kept.color($0, 5).blue })
            }
        }
        #expect(try Set(fileNames(in: set)) == ["first.png", "second.png", "training.plist"])
        let list = try String(decoding: contents(of: set + "/training.plist"), as: UTF8.self)
        #expect(list.contains("<string>first</string>") && list.contains("<string>second</string>"))
    }

    @Test("After a training set that cannot be read other properties still count")
    func algorithmAfterBroken() throws {
        let training = try DrawnTraining.shared
        let picture = try DrawnCoins.of(2).picture
        let chain = try BlobChain([], [("training", training.list)], like: picture)
        let element = chain.classify.element
        element.set("training", "/no/such.plist")
        element.set("algorithm", "classic")
        #expect(
            try eventually { number in
                let blobs = try chain.push(picture, at: UInt64(number) * 40_000_000).detections(
                    picture.width, picture.height)
                return Set(blobs.flatMap(\.classifications).compactMap(\.modelName)) == ["classic"]
            })
        #expect(chain.classify.bus.pending(GST_MESSAGE_WARNING).count == 1)
    }

    @Test("The key l learns the largest blob, under a name of its own where there is none; keys=false does not")
    func key() throws {
        let picture = try DrawnCoins.of(1).picture
        let chain = try BlobChain([], [], like: picture)
        _ = try chain.names(picture)
        chain.classify.press("l")
        var name: String?
        for number in 1..<100 where name == nil {
            name = try chain.names(picture, at: UInt64(number) * 40_000_000).first?.name
        }
        #expect(name == "thing 1")
        chain.classify.element.set("keys", value: false)
        chain.classify.press("l")
        _ = try chain.names(picture, at: 9_000_000_000)
        let learned = chain.classify.bus.pending(GST_MESSAGE_ELEMENT).compactMap { Fields($0.structure) }
            .filter { $0.text("event") == "learned" }
        #expect(learned.map { $0.text("label") } == ["thing 1"])
    }

    @Test("Nothing to compare with is a warning at the start; with learn-label it is none")
    func nothing() throws {
        let picture = try DrawnCoins.of(1).picture
        #expect(try BlobChain([], [], like: picture).classify.bus.pending(GST_MESSAGE_WARNING).count == 1)
        let learning = try BlobChain([], [("learn-label", "a")], like: picture)
        #expect(learning.classify.bus.pending(GST_MESSAGE_WARNING).isEmpty)
    }

    @Test("A folder that cannot be made is a warning with its path")
    func unwritable() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write([1], "file")
        let picture = try DrawnCoins.of(1).picture
        let chain = try BlobChain([], [("learn-label", "a")], like: picture)
        _ = try chain.names(picture)
        #expect(chain.classify.element.ask("learn", "a", as: Bool.self) == true)
        _ = try chain.names(picture, at: 40_000_000)
        #expect(chain.classify.element.ask("save-training", file + "/set", as: Bool.self) == false)
        let warnings = chain.classify.bus.pending(GST_MESSAGE_WARNING)
        #expect(warnings.contains { $0.text.contains(file + "/set") })
    }
}

/// Returns the names of the files in a folder.
func fileNames(in path: String) throws -> [String] {
    try Folder(path).files.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
}
