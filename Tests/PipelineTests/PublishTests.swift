// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of svpublish in processes that are killed.
@Suite struct PublishTests {
    private func size(_ path: String) -> Int { (try? Data(contentsOf: URL(fileURLWithPath: path)).count) ?? 0 }

    @Test func whatWasQueuedIsSentAfterAKill() throws {
        try Repository.requirePlugin()
        let folder = try ScratchFolder()
        let queue = folder.path("queue")
        let words = "svpublish queue-file=\(queue) when=every-frame"
        // The device /dev/full accepts no data, so it replaces a broker that cannot be reached.
        let first = try Program([
            "bash", "-c",
            "exec gst-launch-1.0 -q --no-fault videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=30/1"
                + " ! \(words) file-path=/dev/full ! fakesink",
        ])
        for _ in 0..<2500 where size(queue) < 3000 { usleep(10_000) }
        first.kill()
        #expect(first.wait().status == 128 + 9)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: queue))
        let kept = String(decoding: bytes, as: UTF8.self).components(separatedBy: "{\"resolution\"").count - 1
        #expect(kept > 10)

        let path = folder.path("out")
        try Program.launch(
            "videotestsrc num-buffers=1 ! video/x-raw,width=32,height=32 ! \(words) file-path=\(path) ! fakesink"
        ).expectSuccess("the second process")
        let lines = folder.text(of: "out").split(separator: "\n")
        let tables = try lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let widths = tables.map { ($0["resolution"] as? [String: Int])?["width"] }
        #expect(widths == Array(repeating: 64, count: kept) + [32])
        let times = tables.dropLast().compactMap { $0["timestamp"] as? Int }
        #expect(times.count == kept && times == times.sorted() && Set(times).count == kept)
        #expect(size(queue) == 0)
    }

    // MARK: - The state of the stream

    /// Runs a stream, and returns its last status message.
    /// - Parameters:
    ///   - program: the program that runs the pipeline.
    ///   - isInterrupted: true to press Ctrl-C after the first frame.
    private func lastNote(_ source: String, program: String, isInterrupted: Bool = false) throws -> [String: Any] {
        try Repository.requirePlugin()
        let folder = try ScratchFolder()
        let program = try Program([
            "bash", "-c",
            "exec \(program) \(source) ! svpublish file-path=\(folder.path("out"))"
                + " when=every-frame stats-file=\(folder.path("stats")) stats-interval=100000000 ! fakesink",
        ])
        if isInterrupted {
            for _ in 0..<2500 where !folder.text(of: "stats").contains("\"frames\":1") { usleep(10_000) }
            program.interrupt()
        }
        _ = program.wait()
        let note = try JSONSerialization.jsonObject(with: Data(folder.text(of: "stats").utf8)) as? [String: Any]
        return try #require(note)
    }

    /// A frame arrives every 30 s, so that the stream does not stall, even if the test is slow.
    @Test(arguments: ["", "-e"]) func ctrlCStopsAStream(_ option: String) throws {
        let source = "videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=1/30"
        let note = try lastNote(
            source, program: "gst-launch-1.0 -q --no-fault \(option)", isInterrupted: true)
        #expect(note["state"] as? String == "stopped")
    }

    /// The source ends the stream after the error. gst-launch-1.0 may stop the pipeline before svpublish receives the
    /// error.
    @Test func aSourceThatFailsIsNotAStreamThatHasStopped() throws {
        let note = try lastNote(
            "videotestsrc ! video/x-raw,width=64,height=48,framerate=30/1 ! identity error-after=4",
            program: Repository.runner)
        #expect(note["state"] as? String == "failed" && note["frames"] as? Int == 3)
    }

    // MARK: - The list of streams

    @Test func theListOfStreamsShowsNoControlCharacters() throws {
        let folder = try ScratchFolder()
        let texts = [
            "\u{1B}]0;title\u{7}\u{1B}[31mone", "\u{9B}31mtwo", "\u{202E}\u{2066}\u{61C}\u{200F}three", "\u{2028}four",
            "żółć",
        ]
        let invalid: [UInt8] = [0x9B, 0xFF, 0xC3, 0xED, 0xA0, 0x80, 0xC0, 0x9B, 0]
        var notes: [UInt8] = []
        for name in texts.map({ Array($0.utf8) }) + [invalid + Array("five".utf8)] {
            let head = Array("{\"source\":\"".utf8)
            notes += head + name + Array("\",\"state\":\"play\u{1B}ing\",\"time\":1,\"interval\":10}\n".utf8)
        }
        try Data(notes).write(to: URL(fileURLWithPath: folder.path("notes")))
        let list = try Program.run(["./launch", "streams", folder.path("notes")])
        list.expectSuccess("streams")
        for scalar in list.output.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control: #expect(scalar == "\n")
            case .format, .lineSeparator, .paragraphSeparator: Issue.record("\(scalar.value)")
            default: #expect(scalar != "\u{FFFD}")
            }
        }
        for name in ["31mone", "31mtwo", "three", "four", "żółć", "five"] { #expect(list.output.contains(name)) }
    }

    @Test func theListOfStreamsTellsStalledAndFailedStreams() throws {
        let folder = try ScratchFolder()
        let now = Int(Date().timeIntervalSince1970)
        let states = [
            ("a", "stalled", now), ("b", "failed", 1), ("c", "stalled", 1), ("d", "playing", 1), ("e", "stopped", 1),
        ]
        let notes = states.map { name, state, time in
            "{\"source\":\"\(name)\",\"state\":\"\(state)\",\"time\":\(time),\"interval\":1000}\n"
        }
        try Data(notes.joined().utf8).write(to: URL(fileURLWithPath: folder.path("notes")))
        let list = try Program.run(["./launch", "streams", folder.path("notes")])
        let shown = list.outputLines.dropFirst().map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        #expect(shown == ["a stalled", "b failed", "c silent", "d silent", "e stopped"])
    }

    /// A program replaces mosquitto_sub and writes its arguments and input to a file.
    @Test func passwordsOfBrokersAreNoArguments() throws {
        let folder = try ScratchFolder()
        let program = """
            #!/bin/bash
            printf '%s\\n' "$@" >\(folder.path("arguments"))
            cat "$XDG_CONFIG_HOME/mosquitto_sub" >\(folder.path("options"))
            echo '{"source":"cam1","state":"playing","time":1,"interval":0}'
            exit 27
            """
        try FileManager.default.createDirectory(atPath: folder.path("bin"), withIntermediateDirectories: false)
        let path = folder.path("bin/mosquitto_sub")
        try Data(program.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        try Data("sec ret-7\nmore\n".utf8).write(to: URL(fileURLWithPath: folder.path("password")))
        let search = folder.path("bin") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        for (words, variables, secret) in [
            (["password-file=\(folder.path("password"))"], [:], "-P sec ret-7\n"),
            ([], ["SVPUBLISH_PASSWORD": "from-7"], "-P from-7\n"), ([], [:], ""),
        ] as [([String], [String: String], String)] {
            let list = try Program.run(
                ["./launch", "streams", "ssl://broker:8884", "+", "username=cam"] + words,
                environment: variables.merging(["PATH": search, "XDG_CONFIG_HOME": "/nonexistent"]) { $1 })
            list.expectSuccess("streams")
            #expect(list.output.contains("cam1"))
            let arguments = folder.text(of: "arguments").split(separator: "\n")
            #expect(!arguments.contains { $0.contains("-7") || $0 == "-P" })
            let expected = "-h broker -p 8884 -t +/stats --capath /etc/ssl/certs -u cam --retained-only -W 2"
            #expect(arguments.joined(separator: " ") == expected)
            #expect(folder.text(of: "options") == secret)
        }
        let refused = try Program.run(["./launch", "streams", "tcp://cam:secret-7@broker"])
        #expect(refused.status == 2 && !refused.errors.contains("secret-7"))
    }
}
