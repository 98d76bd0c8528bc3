// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests how face pipelines offer to install the network. A script replaces the runner and prints the pipeline. The
/// list of models contains a small file with the name of the network. The program `script` supplies a terminal.
@Suite struct ModelOfferTests {
    private let folder: ScratchFolder
    private static let content = "no network at all\n"
    private let digest: String
    private var record: String { folder.path("home/.local/state/swiftvision/offered-yunet") }
    private var stored: String { folder.path("home/.local/share/swiftvision/models/small.onnx") }

    /// Creates a clone whose plugin is newer than its sources, so that nothing is built.
    init() throws {
        folder = try ScratchFolder()
        let files = FileManager.default
        for name in ["clone/Sources", "clone/.build/release", "home"] {
            try files.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        for name in ["launch", "scripts", "docs", "pipelines", "Package.swift"] {
            try files.copyItem(atPath: Repository.root + "/" + name, toPath: folder.path("clone/\(name)"))
        }
        for (name, text) in [
            ("clone/.build/release/libgstswiftvision.so", ""), ("small.onnx", Self.content), ("film.mp4", "a film"),
        ] {
            try text.write(toFile: folder.path(name), atomically: false, encoding: .utf8)
        }
        for name in ["Sources", "Package.swift"] {
            try files.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: folder.path("clone/\(name)"))
        }
        digest = String(try Program.run(["sha256sum", folder.path("small.onnx")]).output.prefix(64))
        try program("gst-launch-1.0", "#!/bin/sh\nexit 1\n")
        try program("../clone/.build/release/swiftvision-run", "#!/bin/sh\necho \"played $PIPELINE\"\n")
        try program("ldd", "#!/bin/sh\n")
        try list("file:" + folder.path("small.onnx"))
    }

    /// Writes a program. A separate process writes it. Otherwise, a process that starts at this moment could have the
    /// file open.
    private func program(_ name: String, _ script: String) throws {
        let write = "mkdir -p bin && printf '%s' \"$1\" >bin/\(name) && chmod 755 bin/\(name)"
        try Program.run(["sh", "-c", write, "sh", script], in: folder.path).expectSuccess(name)
    }

    private func list(_ address: String) throws {
        try "yunet  svfacedetect  \(Self.content.utf8.count)  \(digest)  \(address)  # YuNet: faces; MIT\n"
            .write(toFile: folder.path("clone/scripts/models.txt"), atomically: false, encoding: .utf8)
    }

    /// Runs a pipeline for one frame. If there is an answer, it is typed in a terminal. Otherwise, there is no
    /// terminal.
    private func launch(
        _ words: [String], answer: String? = nil, _ environment: [String: String] = [:]
    ) throws -> Outcome {
        var command = ([folder.path("clone/launch")] + words + ["sink=null", "frames=1"]).joined(separator: " ")
        if let answer { command = "printf '\(answer)' | script -qec '\(command)' /dev/null" }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let variables = [
            "HOME": folder.path("home"), "PATH": "\(folder.path("bin")):\(path)", "SWIFTVISION_MODELS": "", "CI": "",
        ].merging(environment) { $1 }
        return try Program.run(
            ["env", "-u", "XDG_DATA_HOME", "-u", "XDG_STATE_HOME", "bash", "-c", command], in: folder.path,
            environment: variables)
    }

    private func ageRecord(by seconds: Double) throws {
        let date = Date(timeIntervalSinceNow: -seconds)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: record)
    }

    private var isStored: Bool { folder.text(of: "home/.local/share/swiftvision/models/small.onnx") == Self.content }

    // MARK: - Without a terminal

    @Test func withoutATerminalOneLineNamesTheCommand() throws {
        let outcome = try launch(["faces"])
        outcome.expectSuccess("./launch faces")
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains(": ./launch models get yunet"))
        #expect(outcome.output.contains("svfacedetect detector=auto"))
        #expect(!isStored && !FileManager.default.fileExists(atPath: record))
    }

    @Test(
        arguments: [
            (["faces", "models=no"], [:]), (["faces"], ["SWIFTVISION_MODELS": "no"]), (["faces"], ["CI": "true"]),
            (["faces", "detector=cascade"], [:]), (["faces", "species=cat"], [:]), (["cats"], [:]), (["blend"], [:]),
        ] as [([String], [String: String])])
    func nothingIsOfferedWhereNobodyWantsIt(_ words: [String], _ environment: [String: String]) throws {
        for answer in [nil, "\\n"] {
            let outcome = try launch(words, answer: answer, environment)
            outcome.expectSuccess("\(words)")
            #expect(!(outcome.output + outcome.errors).contains("YuNet"), "\(outcome.output)\(outcome.errors)")
        }
        #expect(!isStored)
    }

    @Test func everyPipelineWithAChoiceOfDetectorsOffersIt() throws {
        let pipelines = try Repository.pipelines.filter {
            try Repository.text("pipelines/\($0).pipeline").contains("detector={detector}")
        }
        #expect(pipelines.count > 8)
        for name in pipelines {
            let outcome = try launch([name])
            outcome.expectSuccess(name)
            #expect(outcome.errors.contains("YuNet is not installed"), "\(name): \(outcome.errors)")
        }
    }

    // MARK: - At a terminal

    @Test func enterInstallsIt() throws {
        let outcome = try launch(["faces"], answer: "\\n")
        outcome.expectSuccess("./launch faces")
        #expect(outcome.output.contains("licence MIT, from file:\(folder.path("small.onnx"))"))
        #expect(outcome.output.contains("Download YuNet now? [Y/n]"))
        #expect(outcome.output.contains("played ") && isStored)
        let mode = try FileManager.default.attributesOfItem(atPath: stored)[.posixPermissions] as? Int
        #expect(mode == 0o644)
        #expect(try !launch(["faces"], answer: "\\n").output.contains("YuNet"))
    }

    @Test func aNoIsNotAskedAgain() throws {
        let first = try launch(["faces"], answer: "n\\n")
        first.expectSuccess("no")
        #expect(first.output.contains("To install YuNet (0 kB, MIT): ./launch models get yunet"))
        // The offer is also not repeated on the next day.
        try ageRecord(by: 2e5)
        let second = try launch(["faces"], answer: "\\n")
        #expect(!second.output.contains("[Y/n]") && second.output.contains("./launch models get yunet"))
        #expect(!isStored)
    }

    @Test func afterAFailureThePipelineRunsAndADayPasses() throws {
        try list("http://127.0.0.1:1/small.onnx")
        let failed = try launch(["faces"], answer: "\\n")
        failed.expectSuccess("without a connection")
        #expect(failed.output.contains("played "))
        let warnings = failed.output.split(whereSeparator: \.isNewline).filter { $0.contains("cannot download") }
        #expect(warnings.count == 1, "\(failed.output)")
        #expect(warnings.allSatisfy { $0.contains("OpenCV's cascades detect") })
        try list("file:" + folder.path("small.onnx"))
        #expect(try !launch(["faces"], answer: "\\n").output.contains("[Y/n]"))
        try ageRecord(by: 9e4)
        #expect(try launch(["faces"], answer: "\\n").output.contains("[Y/n]"))
        #expect(isStored)
    }

    @Test(arguments: ["no network at ALL\n", "short"]) func anotherFileIsNotStored(_ text: String) throws {
        try text.write(toFile: folder.path("small.onnx"), atomically: false, encoding: .utf8)
        let outcome = try launch(["faces"], answer: "\\n")
        outcome.expectSuccess("a wrong file")
        #expect(outcome.output.contains("is not yunet: it has"), "\(outcome.output)")
        #expect(!isStored)
    }

    @Test func theDownloadKeepsNobodyWaiting() throws {
        try program("curl", "#!/bin/sh\necho \"$@\" >>called\nexit 7\n")
        try launch(["faces"], answer: "\\n").expectSuccess("./launch faces")
        let called = folder.text(of: "called")
        #expect(called.contains("--connect-timeout 5 ") && called.contains("--max-time 30 "), "\(called)")
        #expect(called.split(separator: "\n").count == 1)
    }

    // MARK: - What hides faces

    @Test(arguments: ["privacy", "privacy-spare"]) func realVideoIsRefusedWithoutTheNetwork(_ name: String) throws {
        for words in [[], ["detector=auto"], ["detector=network"], ["models=no"]] {
            let outcome = try launch([name, "source=film.mp4"] + words, ["CI": "true"])
            #expect(outcome.status == 2 && outcome.errorLines.count == 1, "\(outcome.errors)")
            #expect(outcome.errors.contains("To install YuNet: ./launch models get yunet"))
            #expect(outcome.errors.contains("detector=cascade") && outcome.output.isEmpty)
        }
        for source in ["webcam", "/dev/video0", "rtsp://camera.example/1", "file:///film.mp4"] {
            let outcome = try launch([name, "source=\(source)"], ["CI": "true"])
            #expect(outcome.status == 2 && outcome.errors.contains("models get yunet"), "\(source): \(outcome.errors)")
        }
        let drawn = try launch([name])
        drawn.expectSuccess("drawn faces")
        #expect(drawn.output.contains("svfacedetect detector=auto") && drawn.errors.contains("models get yunet"))
        #expect(try launch([name, "detector=network"]).status == 2)
    }

    /// The face recognition network cannot distinguish drawn people.
    @Test(arguments: ["enrol", "recognise", "privacy-spare"]) func onlyDrawnPeopleAreComparedByPatterns(_ name: String)
        throws
    {
        for (words, algorithm) in [
            ([], "lbph"), (["algorithm=auto"], "auto"), (["source=rtsp://camera.example/1"], "auto"),
            (["source=rtsp://camera.example/1", "algorithm=eigenfaces"], "eigenfaces"),
        ] {
            let outcome = try launch([name, "detector=cascade", "--print"] + words)
            outcome.expectSuccess("\(words)")
            #expect(outcome.output.contains("algorithm=\(algorithm) "), "\(words): \(outcome.output)")
        }
    }

    /// The printed line itself contains the detector, so it fails if the network is missing.
    @Test(arguments: [("", "network"), ("detector=auto", "network"), ("detector=cascade", "cascade")])
    func aPrintedLineOfRealVideoNamesTheDetector(_ key: String, _ detector: String) throws {
        let outcome = try launch(["privacy", "source=rtsp://camera.example/1", key, "--print"])
        outcome.expectSuccess("--print")
        #expect(outcome.output.contains("svfacedetect detector=\(detector) "))
    }

    @Test func aDamagedNetworkIsNone() throws {
        let place = folder.path("home/.local/share/swiftvision/models")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try "damaged".write(toFile: stored, atomically: false, encoding: .utf8)
        let outcome = try launch(["privacy", "source=film.mp4"])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("small.onnx is not YuNet: it has 7 bytes"), "\(outcome.errors)")
        try Self.content.write(toFile: stored, atomically: false, encoding: .utf8)
        let drawn = try launch(["privacy"])
        drawn.expectSuccess("with the right file")
        #expect(!drawn.errors.contains("YuNet"))
    }
}
