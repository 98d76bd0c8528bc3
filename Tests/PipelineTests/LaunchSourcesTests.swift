// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of the pipelines with several sources: the keys `source2=` and `source3=` of `./launch`.
@Suite struct LaunchSourcesTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func launch(_ words: [String]) throws -> Outcome {
        try Program.run([Repository.root + "/launch"] + words + ["sink=null", "--print"], in: folder.path)
    }

    private func printed(_ words: [String]) throws -> String {
        let outcome = try launch(words)
        outcome.expectSuccess("\(words)")
        return outcome.output
    }

    /// Prints a pipeline file with these lines.
    private func printed(file lines: String..., keys: [String] = []) throws -> String {
        let files = FileManager.default
        try files.createDirectory(atPath: folder.path("clone"), withIntermediateDirectories: true)
        for name in ["launch", "scripts", "docs", "pipelines"] {
            try files.copyItem(atPath: Repository.root + "/" + name, toPath: folder.path("clone/\(name)"))
        }
        let text = "# Tests a file.\n" + lines.joined(separator: "\n") + "\n{source} ! {sink}\n"
        try text.write(toFile: folder.path("clone/pipelines/own.pipeline"), atomically: false, encoding: .utf8)
        let outcome = try Program.run([folder.path("clone/launch"), "own", "sink=null", "--print"] + keys)
        outcome.expectSuccess(text)
        return outcome.output
    }

    static let pipelines = ["blend-live", "green-screen", "switch"]

    @Test(arguments: pipelines) func eachSourceHasItsOwnKeys(_ name: String) throws {
        let line = try printed([
            name, "source=\(Repository.foreground)", "source2=/dev/video77", "camera2=focus_absolute=2", "flip2=mirror",
            "source3=/dev/video78", "camera3=focus_absolute=3", "flip3=180",
        ])
        #expect(line.contains("filesrc location=\(Repository.foreground) "), "\(line)")
        for (device, controls, flip) in [
            ("/dev/video77", "c,focus_absolute=2", "horiz"), ("/dev/video78", "c,focus_absolute=3", "180"),
        ] {
            let start = try #require(line.range(of: "v4l2src device=\(device) 'extra-controls=\"\(controls)\"' "))
            let end = try #require(line.range(of: " ! queue ! ", range: start.upperBound..<line.endIndex))
            let elements = line[start.upperBound..<end.lowerBound]
            #expect(elements.contains(" ! videoflip video-direction=\(flip) "), "\(line)")
        }
    }

    @Test(arguments: pipelines, ["test", "none"])
    func theThirdSourceIsOptional(_ name: String, _ source: String) throws {
        let line = try printed([name, "source3=\(source)", "frames=10", "size=160x90"])
        #expect(line.contains("sink_2") == (source == "test"), "\(line)")
        try Repository.requirePlugin()
        let outcome = try Program.shell(line, in: folder.path, limit: 60)
        outcome.expectSuccess(line)
        #expect(outcome.complaints.isEmpty, "\(outcome.errors)")
    }

    @Test func withoutTheKeyOnlySwitchHasAThirdSource() throws {
        for name in Self.pipelines {
            #expect(try printed([name]).contains("sink_2") == (name == "switch"), "\(name)")
        }
    }

    @Test(arguments: [("blend", "source"), ("blend-live", "source2"), ("switch", "source")])
    func otherSourcesAreNotOptional(_ name: String, _ key: String) throws {
        let outcome = try launch([name, "\(key)=none"])
        #expect(outcome.status == 2 && outcome.errorLines.count == 1)
        #expect(outcome.errors.contains("\(key)=none"), "\(outcome.errors)")
    }

    @Test func pipelinesWithOneSourceHaveNoKeysForOthers() throws {
        for key in ["source2=test", "source3=test", "flip2=mirror", "camera3=a=1"] {
            #expect(try launch(["blend", key]).status == 2, "\(key)")
        }
    }

    @Test func aDeclaredSourceNeedsNoPlaceholder() throws {
        #expect(try printed(file: "# key source2=test").contains("videotestsrc"))
    }

    @Test func aLineForASourceNeedsNoOtherPlaceholder() throws {
        let line = "{source3?} videotestsrc ! fakesink name=third"
        #expect(try printed(file: line).contains("name=third"))
    }

    @Test func withoutTheSourceItsLineIsNotUsed() throws {
        let line = "{source3?} videotestsrc ! fakesink name=third"
        #expect(try !printed(file: line, keys: ["source3=none"]).contains("name=third"))
    }

    @Test func aPipelineFileCanSetTheDefaultsOfASource() throws {
        let line = try printed(
            file: "# key source2=/dev/video77", "# key flip2=mirror", "# key camera2=focus_absolute=3",
            "{source2} ! fakesink")
        #expect(line.contains("v4l2src device=/dev/video77 'extra-controls=\"c,focus_absolute=3\"' "), "\(line)")
        #expect(line.contains("video-direction=horiz"), "\(line)")
    }

    @Test(arguments: [
        ["source=webcam", "source2=webcam"], ["source=/dev/video77", "source2=/dev/video77"],
        ["source2=/dev/video77", "source3=/dev/video77"], ["source=/dev/video77", "source3=/dev/video77"],
    ])
    func aCameraCannotBeTwoSources(_ sources: [String]) throws {
        let outcome = try launch(["blend-live"] + sources)
        #expect(outcome.status == 2 && outcome.errorLines.count == 1)
        let key = sources[0].prefix { $0 != "=" }
        #expect(
            outcome.errors.contains("\(sources[1]): \(key)= already uses the camera /dev/video"), "\(outcome.errors)")
    }

    @Test func aMissingFileIsReportedWithItsKey() throws {
        let outcome = try launch(["switch", "source3=missing.mp4"])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("source3=missing.mp4: no such file"), "\(outcome.errors)")
    }

    // MARK: - The mode for an image of the user

    @Test(arguments: ["blend", "camera", "record"]) func anImageOfTheUserIsAveraged(_ name: String) throws {
        let image = "foreground=\(Repository.foreground)"
        let usual = name == "record" ? "multiply" : "screen"
        for (keys, mode) in [
            ([], usual), ([image], "average"), ([image, "mode=difference"], "difference"),
            (["mode=\(usual)", image], usual),
        ] {
            let words = [name, "source=test"] + keys
            #expect(try printed(words).contains(" mode=\(mode) "), "\(keys)")
        }
    }
}
