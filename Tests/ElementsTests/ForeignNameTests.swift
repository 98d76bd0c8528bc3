// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Glibc
import Imaging
import Scenes
import TestSupport
import Testing
import Vision

/// Tests with names of folders and files and with property values that are not UTF-8, such as names in ISO 8859-1.
@Suite("Names that are not UTF-8, in elements")
struct ForeignNameTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let accented = Array("Zo".utf8) + [0xE9]
    private let lookalike = Array(#"Zo\xE9"#.utf8)

    private func path(_ names: [UInt8]...) -> [CChar] {
        let bytes = names.reduce(Array(folder.path.utf8)) { $0 + [UInt8(ascii: "/")] + $1 }
        return bytes.map { CChar(bitPattern: $0) } + [0]
    }

    /// Writes a frame as a PNG file with this name in this subfolder.
    private func write(_ frame: TestFrame, _ subfolder: [UInt8], _ name: [UInt8]) throws {
        mkdir(path(subfolder), 0o700)
        guard rename(try folder.write(frame, "picture.png"), path(subfolder, name)) == 0 else {
            throw TestFailure("a picture cannot be renamed")
        }
    }

    /// Sets a property to bytes.
    private func set(_ property: String, _ value: [CChar], of element: Handle) {
        // Pipeline descriptions must be UTF-8.
        var box = GValue()
        g_value_init(&box, String.valueType)
        g_value_set_string(&box, value)
        g_object_set_property(element.object, property, &box)
        g_value_unset(&box)
    }

    @Test("svfacerecognize learns people from such folders and pictures, and tells apart names that look alike")
    func people() throws {
        try write(MadeFaces.frame(of: "Ada"), accented, Array("p".utf8) + [0xE9] + Array(".png".utf8))
        try write(MadeFaces.frame(of: "Ben"), lookalike, Array("1.png".utf8))
        let model = folder.file("model.yml")
        let harness = try recognizeHarness(
            [
                ("people", folder.path), ("algorithm", "eigenfaces"), ("vote-frames", "1"), ("draw", "false"),
                ("save-location", model),
            ], like: MadeFaces.frame(of: "Ada"))
        func name(_ person: String) throws -> String? {
            #expect(harness.push(try MadeFaces.frame(of: person).buffer(marked: [])) == GST_FLOW_OK)
            return try harness.pull().detections(70, 70).first?.classifications.first?.label
        }
        #expect(try name("Ada") == #"Zo\xE9"#)
        #expect(try name("Ben") == #"Zo\x5CxE9"#)
        // Only the first person is forgotten. The folders belong to the user and do not change.
        #expect(harness.element.ask("forget", #"Zo\xE9"#, as: Bool.self) == true)
        #expect(try ModelFile(path: model).gallery.people.map(\.name) == [#"Zo\x5CxE9"#])
        let isForgotten = try eventually { try name("Ada") != #"Zo\xE9"# && name("Ben") == #"Zo\x5CxE9"# }
        #expect(isForgotten)
        #expect(harness.element.ask("forget", #"Zo\xE9"#, as: Bool.self) == false)
        #expect(access(path(accented), F_OK) == 0 && access(path(lookalike), F_OK) == 0)
    }

    @Test("svfacerecognize warns of a folder whose name cannot be one")
    func improperName() throws {
        try write(MadeFaces.frame(of: "Ada"), Array("Ada".utf8), Array("1.png".utf8))
        try write(MadeFaces.frame(of: "Ben"), [UInt8](repeating: 0xE9, count: 60), Array("1.png".utf8))
        let harness = try recognizeHarness([("people", folder.path)], like: MadeFaces.frame(of: "Ada"))
        let warnings = harness.bus.pending(GST_MESSAGE_WARNING).map(\.text)
        #expect(warnings.contains { $0.contains(#"\xE9\xE9"#) && $0.contains("Rename the folder") }, "\(warnings)")
    }

    @Test("svblobclassify learns labels from such folders, and writes lists that lead there again")
    func training() throws {
        let training = try DrawnTraining.shared
        for (label, picture) in [
            (accented, "silver-coin"), (lookalike, "gold-coin"), (Array("copper".utf8), "copper-coin"),
            (Array("ringed".utf8), "ringed-coin"), (Array("spotted".utf8), "spotted-bean"),
            (Array("brown".utf8), "brown-bean"),
        ] {
            try write(decodePNG(training.folder.file("\(picture).png"), as: .rgb), label, [0xE9] + Array(".png".utf8))
        }
        let coins = try DrawnCoins.of(6)
        let expected = coins.actors.map { actor -> String? in
            switch actor.object?.label {
            case "silver coin": #"Zo\xE9"#
            case "gold coin": #"Zo\x5CxE9"#
            case let label: label.map { String($0.prefix { $0 != " " }) }
            }
        }
        func expectNames(_ chain: BlobChain) throws {
            let names = try chain.names(coins.picture)
            for (actor, label) in zip(coins.actors, expected) {
                #expect(names.contains { overlap($0.box, actor.rectangle) > 0.5 && $0.name == label }, "\(label ?? "")")
            }
        }
        let chain = try BlobChain([], [("training", folder.path)], like: coins.picture)
        try expectNames(chain)
        #expect(chain.classify.element.ask("save-training", folder.path, as: Bool.self) == true)
        #expect(access(path(Array("training.plist".utf8)), F_OK) == 0)
        let again = try BlobChain([], [("training", folder.path)], like: coins.picture)
        #expect(again.classify.bus.pending(GST_MESSAGE_WARNING).isEmpty)
        try expectNames(again)
    }

    @Test("Properties take paths in bytes, give them as text, and take that text again")
    func properties() throws {
        let frame = TestFrame(.bgra, 8, 6, color: Color(gray: 40))
        try write(TestFrame(.bgra, 8, 6, color: Color(gray: 200)), accented, accented)
        let harness = try blendHarness(like: frame)
        for _ in 0..<2 {
            set("location", path(accented, accented), of: harness.element)
            let text = try #require(harness.element.text("location"))
            #expect(text == folder.file(#"Zo\xE9/Zo\xE9"#))
            let isShown = try eventually { try harness.process(frame).color(0, 0).red == 200 }
            #expect(isShown)
            harness.element.set("location", "none")
            harness.element.set("location", text)
        }
        set("snapshot-location", path(accented, accented + Array("-%d.png".utf8)), of: harness.element)
        harness.press("s")
        _ = try harness.process(frame)
        #expect(harness.message("saved")?.text("location") == folder.file(#"Zo\xE9/Zo\xE9-0.png"#))
        #expect(access(path(accented, accented + Array("-0.png".utf8)), F_OK) == 0)
    }

    @Test("Lines of messages go to such a file, and are UTF-8")
    func lines() throws {
        let coins = try DrawnCoins.of(1)
        let chain = try BlobChain([], [], like: coins.picture)
        set("message-location", path(accented), of: chain.classify.element)
        var (text, number) = ("", UInt64(0))
        // A background thread opens the file.
        let isWritten = try eventually {
            number += 1
            _ = try chain.names(coins.picture, at: number * 40_000_000)
            _ = chain.classify.element.ask("learn", #"Zo\xE9"#, as: Bool.self)
            let bytes = try? readFile(folder.file(#"Zo\xE9"#), as: "lines", atMost: 1 << 20)
            text = try bytes.map { try required(String(validating: $0, as: UTF8.self), "no UTF-8") } ?? ""
            return text.contains(#""Zo\\xE9""#)
        }
        #expect(isWritten, "\(text)")
    }
}
