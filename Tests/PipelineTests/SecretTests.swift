// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests where passwords and stream keys are visible.
@Suite struct SecretTests {
    private let folder: ScratchFolder

    init() throws {
        try Repository.requirePlugin()
        folder = try ScratchFolder()
    }

    private func launch(_ words: [String], _ environment: [String: String] = [:]) throws -> Outcome {
        try Program.run([Repository.root + "/launch"] + words, in: folder.path, environment: environment)
    }

    @Test(
        arguments: [
            (["source=rtmp://127.0.0.1:1/live/geheim"], "uri=rtmp://127.0.0.1:1/live/***"),
            (["source=srt://127.0.0.1:1?passphrase=geheim"], "uri=\"srt://127.0.0.1:1?***\""),
            (["source=env:FILM"], "uri=http://***"), (["mode=env:MODE"], "mode=***"),
        ])
    func printHidesSecrets(_ keys: [String], _ shown: String) throws {
        let outcome = try launch(
            ["blend", "sink=null", "--print"] + keys, ["FILM": "http://u:geheim@127.0.0.1:1/", "MODE": "gehe\"im"])
        outcome.expectSuccess("--print")
        #expect(outcome.output.contains("\(shown) ") || outcome.output.contains("'\(shown)' "), "\(outcome.output)")
        #expect(!(outcome.output + outcome.errors).contains(#/geheim|gehe"im|heim/#))
        #expect(outcome.errors.contains("*** stands for a password or a key"))
    }

    /// The password of a camera is a separate property, which is not printed.
    @Test(arguments: ["source=rtsp://user:geheim@127.0.0.1:1/a", "source=env:CAMERA"])
    func printLeavesOutPasswordsOfCameras(_ key: String) throws {
        let outcome = try launch(
            ["blend", "sink=null", "--print", key], ["CAMERA": "rtsp://user:geheim@127.0.0.1:1/a"])
        outcome.expectSuccess("--print")
        #expect(outcome.output.contains(" user-id=user uri=rtsp://127.0.0.1:1/a "), "\(outcome.output)")
        #expect(!(outcome.output + outcome.errors).contains("geheim"))
        #expect(outcome.errors.contains("the password is not printed"))
    }

    /// A recording needs the size of the camera, so `launch` connects to the camera, and reports that it does not answer.
    @Test(arguments: ["source=rtsp://user:geheim@127.0.0.1:1/a?token=geheim", "source2=env:CAMERA"])
    func aRecordingOfAnAbsentCameraHidesSecrets(_ key: String) throws {
        let outcome = try launch(
            ["switch", key, "sink=out.mp4", "--print"],
            ["CAMERA": "rtsp://user:geheim@127.0.0.1:1/a?token=geheim"])
        outcome.expectSuccess("--print")
        #expect(outcome.errors.contains("*** does not answer yet"), "\(outcome.errors)")
        #expect(!(outcome.output + outcome.errors).contains("geheim"))
    }

    @Test(arguments: ["source=http://127.0.0.1:1/film.mp4", "source=test", "mode=screen"])
    func printShowsTheRest(_ key: String) throws {
        let outcome = try launch(["blend", "sink=null", "--print", key])
        outcome.expectSuccess("--print")
        #expect(!(outcome.output + outcome.errors).contains("***"))
    }

    @Test func aValueComesFromAnEnvironmentVariable() throws {
        let keys = ["blend", "mode=env:MODE", "sink=null", "frames=2", "size=32x16"]
        try Program.run([try folder.cloneRepository()] + keys, in: folder.path, environment: ["MODE": "multiply"])
            .expectSuccess("mode=env:MODE")
        let wrong = try Program.run([folder.path("clone/launch")] + keys, environment: ["MODE": "nonsense"])
        #expect(
            wrong.status == 2 && wrong.errors.contains("unknown value of the property mode of svblend"),
            "\(wrong.errors)")
        let missing = try launch(["blend", "mode=env:NOWHERE", "sink=null"])
        #expect(missing.status == 2)
        #expect(missing.errors.contains("the environment variable NOWHERE is not set"), "\(missing.errors)")
    }

    @Test func noProcessHasTheValueAmongItsArguments() throws {
        let program = try Program(
            [try folder.cloneRepository(), "filters", "filters=env:SECRET", "sink=web:0"], in: folder.path,
            environment: ["SECRET": "sepia-tone"])
        program.wait(until: "/?key=")
        #expect(program.commandLine.contains("swiftvision-run"))
        #expect(!program.commandLine.contains("sepia"))
        program.interrupt()
        program.wait().expectSuccess("sink=web:0")
    }

    @Test func aStreamKeyIsNoArgumentOfAProcess() throws {
        let words = ["blend", "sink=srt://127.0.0.1:\(UInt16.random(in: 20000..<32000))?mode=listener", "size=64x32"]
        let program = try Program(
            [try folder.cloneRepository()] + words, in: folder.path,
            environment: ["SWIFTVISION_STREAM_KEY": "geheim-0123"])
        program.wait { program.commandLine.contains("swiftvision-run") }
        #expect(!program.commandLine.contains("geheim"))
        program.interrupt()
        let outcome = program.wait()
        #expect(!outcome.timedOut && !(outcome.output + outcome.errors).contains("geheim"))
    }

    @Test func anErrorOfAServerHidesTheStreamKey() throws {
        let outcome = try Program.run(
            [try folder.cloneRepository(), "blend", "sink=rtmp://127.0.0.1:1/live/", "size=64x32"], in: folder.path,
            environment: ["SWIFTVISION_STREAM_KEY": "geheim-0123"])
        #expect(outcome.status == 1 && outcome.errors.contains("rtmp2sink"), "\(outcome.errors)")
        #expect(!(outcome.output + outcome.errors).contains("geheim"))
    }

    /// `launch` uses `timeout` to check whether a source has sound.
    @Test func aSourceIsAskedWithoutItsPassword() throws {
        let script = "mkdir bin && printf '#!/bin/sh\\necho \"$@\" >>called\\n' | tee bin/timeout >bin/gst-launch-1.0"
        try Program.shell(script + " && chmod 755 bin/*", in: folder.path).expectSuccess("programs")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        try launch(
            ["record", "source=http://user:geheim@127.0.0.1:1/a", "sink=out.mp4", "--print"],
            ["PATH": "\(folder.path("bin")):\(path)"]
        ).expectSuccess("--print")
        let called = folder.text(of: "called")
        #expect(called.contains("swiftvision-run") && !called.contains("geheim"), "\(called)")
    }
}
