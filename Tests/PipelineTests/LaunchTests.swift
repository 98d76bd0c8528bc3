// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of the `launch` script. They build nothing: the script prints a pipeline, and the tests run the printed line.
@Suite struct LaunchTests {
    private func launch(_ words: [String], in folder: ScratchFolder) throws -> Outcome {
        try Program.run([Repository.root + "/launch"] + words, in: folder.path)
    }

    /// Runs the line that `--print` prints.
    /// - Returns: the number of frames that arrive at a fakesink.
    @discardableResult
    private func runPrinted(
        _ words: [String], in folder: ScratchFolder, environment: [String: String] = [:],
        check: (Outcome) -> Void = { _ in }
    ) throws -> Int {
        try Repository.requirePlugin()
        let printed = try launch(words + ["--print"], in: folder)
        printed.expectSuccess("\(words)")
        let line = printed.output.replacing("gst-launch-1.0 ", with: "gst-launch-1.0 -v ")
            .replacing("fakesink ", with: "fakesink silent=false ")
        let outcome = try Program.shell(line, in: folder.path, environment: environment, limit: 60)
        outcome.expectSuccess(line)
        #expect(outcome.complaints.isEmpty, "\(outcome.errors)")
        check(outcome)
        return outcome.output.matches(of: #/chain +\*/#).count
    }

    // MARK: - Pipelines

    @Test func listShowsEveryPipeline() throws {
        let folder = try ScratchFolder()
        let outcome = try launch([], in: folder)
        outcome.expectSuccess("./launch")
        #expect(!Repository.pipelines.isEmpty)
        for name in Repository.pipelines {
            let line = try #require(outcome.outputLines.first { $0.hasPrefix("  \(name) ") }, "\(name)")
            #expect(line.split(separator: " ").count > 3, "\(name): what does it show?")
        }
    }

    /// Runs all pipelines with drawn frames and without output. ConversionTests describes the converters.
    @Test(arguments: Repository.pipelines) func pipelineRuns(_ name: String) throws {
        let folder = try ScratchFolder()
        var words = [name, "source=test", "sink=null", "frames=5", "size=320x180"]
        // This pipeline scales its inputs to the size of the result. Here, they already have this size.
        if name == "green-screen" { words += ["width=320", "height=180"] }
        let count = try runPrinted(words, in: folder, environment: Outcome.reportsConverters) {
            #expect($0.converters.isEmpty)
        }
        #expect(count == 5)
        let help = try launch(["help", name], in: folder)
        help.expectSuccess("./launch help \(name)")
        #expect(help.outputLines.count > 3)
    }

    @Test(
        arguments: [
            ("2s", "2000000000"), ("40ms", "40000000"), ("1.5m", "90000000000"), ("250us", "250000"), ("10ns", "10"),
            ("0.25s", "250000000"), ("9h", "32400000000000"), ("1000000", "1000000"), ("0", "0"),
        ])
    func timesGetToElementsInNanoseconds(_ time: String, _ nanoseconds: String) throws {
        let folder = try ScratchFolder()
        let outcome = try launch(["scene-changes", "every=\(time)", "--print"], in: folder)
        outcome.expectSuccess(time)
        #expect(outcome.output.contains("capture-every=\(nanoseconds) "))
    }

    @Test(
        arguments: [
            (["blend", "opacity=0->1@3s"], "mode=screen 'animate=\"opacity=0->1@3s\"' fit=cover"),
            (["blend-live", "opacity=1->0.5@500ms smooth"], "'sink_1::animate=\"opacity=1->0.5@500ms smooth\"' !"),
            (["tint", "red=0->1@1s", "blue=1->0@2"], "'animate=\"red=0->1@1s,blue=1->0@2\"' green=1"),
            (
                ["blend", "opacity=0->1@1s, hold 8s, 1->0@1s, repeat"],
                "mode=screen 'animate=\"opacity=0->1@1s, hold 8s, 1->0@1s, repeat\"' fit=cover"
            ),
            (
                ["tint", "red=beat=120bpm, 0->1@1beat, ping-pong", "blue=after 2s, 1->0@2"],
                "'animate=\"red=beat=120bpm, 0->1@1beat, ping-pong,blue=after 2s, 1->0@2\"' green=1"
            ),
            // A chain of filters parses its own animations.
            (["filters", "filters=gaussian-blur radius=0->8@2s"], "'filters=\"gaussian-blur radius=0->8@2s\"'"),
        ])
    func numbersThatChangeByThemselvesAreAnimated(_ words: [String], _ expected: String) throws {
        let folder = try ScratchFolder()
        let outcome = try launch(words + ["--print"], in: folder)
        outcome.expectSuccess("\(words)")
        #expect(outcome.output.contains(expected), "\(outcome.output)")
        #expect(try runPrinted(words + ["sink=null", "frames=10"], in: folder) == 10)
    }

    @Test(arguments: ["2x", "s", "-2s", "2 s", "1.s", "99999999999h", "3000000000h"])
    func whatIsNoTimeIsRefused(_ time: String) throws {
        let folder = try ScratchFolder()
        let outcome = try launch(["scene-changes", "every=\(time)", "--print"], in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("every=\(time)"))
    }

    @Test(arguments: [1, 2, 30]) func frameCountIsExact(_ count: Int) throws {
        let folder = try ScratchFolder()
        let keys = ["sink=null", "frames=\(count)", "size=160x90"]
        for name in ["blend", "blend-live"] {
            #expect(try runPrinted([name] + keys, in: folder) == count, "\(name)")
        }
    }

    @Test(arguments: ["mp4", "mov", "mkv", "webm"]) func recordsExactlySoManyFrames(_ ending: String) throws {
        let folder = try ScratchFolder()
        try runPrinted(["record", "sink=out.\(ending)", "frames=30", "size=160x90"], in: folder)
        #expect(try Playback(of: folder.path("out.\(ending)")).count == 30)
    }

    @Test func pictureSinkKeepsOneFrame() throws {
        let folder = try ScratchFolder()
        try runPrinted(["blend", "sink=out.png", "frames=3", "size=160x90"], in: folder)
        let playback = try Playback(of: folder.path("out.png"))
        #expect(playback.count == 1)
    }

    @Test func recordingIsASource() throws {
        let folder = try ScratchFolder()
        try runPrinted(["record", "sink=first.mkv", "frames=20", "size=160x90"], in: folder)
        #expect(try runPrinted(["blend", "source=first.mkv", "sink=null"], in: folder) == 20)
        let all = ["blend-live", "source=first.mkv", "source2=first.mkv", "sink=null"]
        #expect(try runPrinted(all, in: folder) == 20)
    }

    @Test(arguments: ["mp4", "mov", "mkv", "webm", "png"])
    func anAnamorphicSourceKeepsItsShape(_ ending: String) throws {
        let folder = try ScratchFolder()
        try Program.launch(
            "videotestsrc num-buffers=10 ! video/x-raw,format=I420,width=176,height=144,pixel-aspect-ratio=128/117"
                + " ! x264enc tune=zerolatency ! mp4mux ! filesink location=\(folder.path("clip.mp4"))"
        ).expectSuccess("a clip")
        try runPrinted(["record", "source=clip.mp4", "sink=out.\(ending)"], in: folder)
        let outcome = try Program.decode(
            "filesrc location=\(folder.path("out." + ending)) ! decodebin ! video/x-raw ! fakesink", options: ["-v"])
        outcome.expectSuccess("decoding")
        let caps = outcome.output.matches(
            of: #/width=\(int\)(\d+), height=\(int\)(\d+),.*pixel-aspect-ratio=\(fraction\)(\d+)\/(\d+)/#
        ).last
        let numbers = try #require(caps).output
        let (width, height) = (try #require(Double(numbers.1)), try #require(Double(numbers.2)))
        let (across, down) = (try #require(Double(numbers.3)), try #require(Double(numbers.4)))
        #expect(abs(width * across / down / height - 176 * 128 / 117.0 / 144) < 0.01)
        // Recordings contain the pixel aspect ratio, but PNG files do not.
        #expect(ending == "png" ? across == down : height == 144 && width == 176)
    }

    @Test func aTestPictureTakesTheCamerasPlace() throws {
        let folder = try ScratchFolder()
        let devices = try FileManager.default.contentsOfDirectory(atPath: "/dev")
        let cameras = devices.filter { $0.hasPrefix("video") && access("/dev/" + $0, R_OK | W_OK) == 0 }
        let outcome = try launch(["camera", "sink=null", "--print"], in: folder)
        outcome.expectSuccess("./launch camera")
        #expect(outcome.output.contains(cameras.isEmpty ? " videotestsrc " : " v4l2src "))
        #expect(outcome.errors.contains("using a test pattern") == cameras.isEmpty)
        // If the user selects a camera that does not exist, no other camera is used.
        #expect(try launch(["camera", "source=/dev/video99", "sink=null"], in: folder).status == 2)
    }

    // MARK: - Values

    static let names = [
        "two  blanks .png", "quo\"tes' and \"more\".png", "$HOME `id` $(id).png", "bang! and ! bang.png",
        "back\\slash\\.png", "brackets {mode} [a] (b) <c>.png", "stars * ? ~ #;&|.png", "umlaut ä 日本.png",
        "-dash=equals,comma:colon.png", "percent %d %s.png",
    ]

    /// A file with any name is found, and gives the same image as a file with a simple name.
    @Test func anyFileNameWorks() throws {
        let folder = try ScratchFolder()
        for copy in ["plain.png"] + Self.names {
            try FileManager.default.copyItem(atPath: Repository.foreground, toPath: folder.path(copy))
        }
        let keys = ["frames=1", "size=160x90", "mode=overlay"]
        try runPrinted(["blend", "foreground=plain.png", "sink=plain result.png"] + keys, in: folder)
        let expected = try #require(FileManager.default.contents(atPath: folder.path("plain result.png")))
        for name in Self.names {
            try runPrinted(["blend", "foreground=\(name)", "sink=result of \(name)"] + keys, in: folder)
            #expect(FileManager.default.contents(atPath: folder.path("result of \(name)")) == expected, "\(name)")
        }

        try runPrinted(["blend", "mode=none", "sink=without.png"] + keys.prefix(2), in: folder)
        #expect(FileManager.default.contents(atPath: folder.path("without.png")) != expected)
    }

    @Test func trainingIsAListOrAFolder() throws {
        let folder = try ScratchFolder()
        let coins = Repository.root + "/pipelines/coins"
        try FileManager.default.copyItem(atPath: coins, toPath: folder.path("my things"))
        for training in ["my things", "my things/training.plist"] {
            #expect(try runPrinted(["classify", "training=\(training)", "sink=null", "frames=2"], in: folder) == 2)
        }
        let outcome = try launch(["classify", "training=no things", "--print"], in: folder)
        #expect(outcome.status == 2 && outcome.errors.contains("no such file or folder"))
    }

    // MARK: - Mistakes

    @Test(arguments: [
        ["nonsense"], ["../pipelines/blend"], ["blend", "bogus=1"], ["blend", "scene=faces"], ["blend", "mode"],
        ["blend", "foreground=no.png"],
        ["blend", "foreground="], ["blend", "foreground=."], ["blend", "source=no.mp4"], ["blend", "sink=out.xyz"],
        ["blend", "sink=no/folder/out.mp4"], ["blend", "sink=window"], ["blend", "size=0x0"], ["blend", "size=wide"],
        ["blend", "fps=fast"], ["blend", "frames=0"], ["blend", "frames=-1"], ["help", "nonsense"], ["--print"],
        ["install", "a", "b"], ["uninstall", "a", "b"],
    ])
    func mistakeGivesOneLineAndStatusTwo(_ words: [String]) throws {
        let folder = try ScratchFolder()
        let outcome = try launch(words, in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errorLines.count == 1, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("launch: "))
    }

    @Test(
        arguments: [
            (["blned"], "did you mean 'blend'?"), (["privcy"], "'privacy'"), (["instal"], "'install'"),
            (["help", "svblned"], "'svblend'"), (["blend", "mdoe=screen"], "'mode'"),
        ])
    func misspeltNamesGetTheNearestOne(_ words: [String], _ name: String) throws {
        let folder = try ScratchFolder()
        let outcome = try launch(words, in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(name), "\(outcome.errors)")
    }

    @Test func whatIsNothingLikeANameGetsNoSuggestion() throws {
        let outcome = try launch(["nonsense"], in: try ScratchFolder())
        #expect(!outcome.errors.contains("did you mean"))
    }

    @Test(arguments: [
        ("notes.mp4", "This is not a video.\n", "is a text file"), ("empty.mp4", "", "is empty"),
        ("zeros.png", String(repeating: "\0", count: 5000), "is not a video or an image"),
    ])
    func whatIsNoVideoIsRefusedInALine(_ name: String, _ content: String, _ words: String) throws {
        let folder = try ScratchFolder()
        try content.write(toFile: folder.path(name), atomically: false, encoding: .utf8)
        for key in ["source", "source2"] {
            let outcome = try launch(["blend-live", "\(key)=\(name)", "sink=null"], in: folder)
            #expect(outcome.status == 2)
            #expect(outcome.errorLines.count == 1)
            #expect(outcome.errors.contains("\(key)=\(name) \(words)"), "\(outcome.errors)")
        }
    }

    @Test func soundAloneIsNoSource() throws {
        let folder = try ScratchFolder()
        try Program.launch("audiotestsrc num-buffers=5 ! wavenc ! filesink location=\(folder.path("a.wav"))")
            .expectSuccess("a sound")
        let outcome = try launch(["blend", "source=a.wav", "sink=null"], in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("source=a.wav contains only sound"), "\(outcome.errors)")
    }

    // MARK: - Help

    @Test(arguments: Repository.elements) func helpTellsAnElementsPageInShort(_ element: String) throws {
        let help = try launch(["help", element], in: try ScratchFolder())
        help.expectSuccess("./launch help \(element)")
        #expect(help.output.hasPrefix("\(element): "))
        #expect(help.output.contains("docs/\(element).md"))
        #expect(help.output.contains("\n  gst-launch-1.0 "))
        let tables = Markdown(try Repository.text("docs/\(element).md")).tables
        for table in tables where ["property", "action", "key"].contains(table.header.first) {
            for name in table.rows.compactMap({ $0.first }).flatMap({ Markdown.code(in: $0) }) {
                #expect(help.output.contains(name), "\(element): \(name)")
            }
        }
        #expect(!help.output.contains("`") && !help.output.contains("]("))
    }

    @Test func helpListsTheKeysOfTheWindow() throws {
        let folder = try ScratchFolder()
        #expect(try launch(["help", "blend"], in: folder).output.contains(#/svblend\)\n  c +captures/#))
        #expect(try launch(["help", "hybrid-studio"], in: folder).output.contains(#/svfacemerge\)\n  1, 2 +/#))
        #expect(try !launch(["help", "edges"], in: folder).output.contains("Keys in the video window"))
    }

    @Test(arguments: [("cameras", "./launch cameras "), ("on-loss", "  on-loss= "), ("sink", "  sink= ")])
    func helpDescribesACommandOrAKeyOfAllPipelines(_ name: String, _ start: String) throws {
        let help = try launch(["help", name], in: try ScratchFolder())
        help.expectSuccess("./launch help \(name)")
        #expect(help.output.hasPrefix(start))
        #expect(try launch(["help"], in: try ScratchFolder()).output.contains(help.output))
    }

    @Test func helpDescribesFiltersAndLooks() throws {
        let folder = try ScratchFolder()
        let filter = try launch(["help", "kaleidoscope"], in: folder).output
        #expect(filter.hasPrefix("kaleidoscope of svfilter: ") && filter.contains("\n  count 2 to 32, "))
        #expect(try launch(["help", "teal-orange"], in: folder).output.contains(" | saturation saturation="))
        let unknown = try launch(["help", "frobnicate"], in: folder)
        #expect(unknown.errors.contains("no pipeline, element, filter or command"))
    }

    @Test func helpDescribesPropertiesAndActions() throws {
        let folder = try ScratchFolder()
        let port = try launch(["help", "osc-port"], in: folder).output
        #expect(port.hasPrefix("svwebsink: osc-port=0 ") && port.hasSuffix("More: docs/svwebsink.md\n"))
        // Elements share names, and inputs have properties, too.
        let label = try launch(["help", "label"], in: folder).output
        #expect(label.contains("inputs of svmixer: label=") && label.contains("inputs of svswitch: label="))
        #expect(try launch(["help", "restart"], in: folder).output.contains("svclip: restart "))
    }

    // MARK: - Style

    /// `./launch lint` checks the scripts with shellcheck.
    @Test func launchNamesAllItsParts() throws {
        // The parts of `launch` share variables. So shellcheck checks the parts in the places where `launch` names them.
        let folder = try FileManager.default.contentsOfDirectory(atPath: Repository.root + "/scripts")
        let launch = try Repository.text("launch") + Repository.text("scripts/command.sh")
        for part in folder where part.hasSuffix(".sh") {
            let lines = "# shellcheck source=scripts/\(part)\nsource \"$root/scripts/\(part)\"\n"
            #expect(launch.contains(lines), "\(part)")
        }
    }
}
