// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of the program that runs pipelines for `launch` and for services.
@Suite struct RunnerTests {
    private static let small = "video/x-raw,width=64,height=48,framerate=30/1"
    private static let camera = "videotestsrc is-live=true ! \(small)"
    /// Prints a line for each frame, so that a test knows when frames arrive.
    private static let printed = "identity silent=false"

    private func program(
        _ description: String, options: [String] = [], _ environment: [String: String] = [:]
    ) throws -> Program {
        try Repository.requirePlugin()
        return try Program(
            [Repository.runner] + options, environment: environment.merging(["PIPELINE": description]) { $1 })
    }

    private func run(
        _ description: String, options: [String] = [], _ environment: [String: String] = [:]
    ) throws -> Outcome {
        try program(description, options: options, environment).wait()
    }

    // MARK: - Description

    @Test(arguments: ["arguments", "file", "environment"]) func theDescriptionComesFrom(_ place: String) throws {
        let folder = try ScratchFolder()
        let path = folder.path("frame.raw")
        let description =
            "videotestsrc num-buffers=2 ! capsfilter caps=\"video/x-raw, format=GRAY8, width=8, height=4\""
            + " ! filesink location=\(path)"
        switch place {
        case "arguments":
            let words = description.replacing("!", with: "'!'").replacing("\"", with: "'\"'")
            try Program.shell("\(Repository.runner) \(words)").expectSuccess(place)
        case "file":
            try "# A comment!\n\(description.replacing(" ! ", with: "\n  ! "))\n"
                .write(toFile: folder.path("pipeline"), atomically: false, encoding: .utf8)
            try Program.run([Repository.runner, "--file", folder.path("pipeline")]).expectSuccess(place)
        default: try run(description).expectSuccess(place)
        }
        #expect(FileManager.default.contents(atPath: path)?.count == 64)
    }

    @Test func nothingIsExpanded() throws {
        let folder = try ScratchFolder()
        let name = "$HOME `id` $(id) *"
        try run("videotestsrc num-buffers=1 ! \(Self.small) ! filesink location=\"\(folder.path(name))\"")
            .expectSuccess(name)
        #expect(FileManager.default.fileExists(atPath: folder.path(name)))
    }

    @Test(
        arguments: [
            ("", [], "no pipeline"), ("nosuchelement ! fakesink", [], "no element \"nosuchelement\""),
            ("fakesrc bogus=1 ! fakesink", [], "no property \"bogus\""),
            ("fakesrc ! fakesink", ["--file", "/proc/nonexistent"], "cannot read \"/proc/nonexistent\": no such file"),
            ("", ["--file", "/dev/null"], "/dev/null"), ("", ["--bogus"], "unknown option --bogus"),
            ("", ["--stop-timeout", "0"], "Use 1 to 3600 seconds"), ("", ["--file"], "--file needs a value"),
        ] as [(String, [String], String)])
    func aWrongRequestIsRefusedInALine(_ description: String, _ options: [String], _ words: String) throws {
        let outcome = try run(description, options: options)
        #expect(outcome.status == 2)
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains(words), "\(outcome.errors)")
    }

    // MARK: - Reports

    @Test func anErrorNamesTheElementAndTheReason() throws {
        let outcome = try run("filesrc name=film location=/proc/nonexistent ! fakesink")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("ERROR: film: Resource not found. (No such file \"/proc/nonexistent\")"))
    }

    @Test func anErrorOfACameraContainsAdvice() throws {
        let outcome = try run("v4l2src device=/dev/no-such-camera ! fakesink")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("The command cameras lists the cameras."), "\(outcome)")
    }

    /// The camera `slow` sends one frame per minute. The other camera, which plays for 17 s, hides the silence in the
    /// sinks, and its frames show when the runner has looked for the third time.
    @Test func aSilentCameraCausesOneWarning() throws {
        let runner = try program(
            "videotestsrc is-live=true name=slow ! video/x-raw,width=64,height=48,framerate=1/60 ! fakesink async=false "
                + "\(Self.camera) ! \(Self.printed) ! fakesink", options: ["--verbose"])
        runner.wait(until: "pts: 0:00:17")
        runner.interrupt()
        let outcome = runner.wait()
        #expect(outcome.errors.components(separatedBy: "no frames").count == 2, "\(outcome)")
        #expect(outcome.errors.contains("WARNING: slow: no frames from the camera for 5 s"), "\(outcome)")
    }

    @Test func warningsAndNotesArePrinted() throws {
        let program = try program(
            "\(Self.camera) ! svpublish file-path=/dev/null stats-interval=100000000 stats-file=/proc/nonexistent/stats"
                + " ! svwebsink port=0")
        program.wait(until: "/?key=")
        program.wait(until: "/proc/nonexistent/stats")
        program.interrupt()
        let outcome = program.wait()
        outcome.expectSuccess("a warning is no error")
        #expect(outcome.errorLines.contains { $0.hasPrefix("svwebsink: http://127.0.0.1:") })
        #expect(
            outcome.errorLines.contains {
                $0.hasPrefix("WARNING: svpublish0: cannot write \"/proc/nonexistent/stats\": ")
            })
    }

    /// The journal gives lines without a priority the level "info".
    @Test(arguments: [true, false]) func linesHavePrioritiesInTheJournal(_ isJournal: Bool) throws {
        let stream = isJournal ? "$(stat -L -c %d:%i /dev/stderr)" : "1:1"
        let outcome = try Program.shell(
            "JOURNAL_STREAM=\(stream) PIPELINE='filesrc location=/proc/nonexistent ! fakesink' \(Repository.runner)")
        #expect(outcome.status == 1)
        let start = isJournal ? "<3>ERROR: filesrc0" : "ERROR: filesrc0"
        #expect(outcome.errorLines.allSatisfy { $0.hasPrefix(start) }, "\(outcome.errors)")
    }

    @Test(
        arguments: [
            ("rtsp://user:geheim@cam/1", "rtsp://***@cam/1"), ("rtmp://host/live/geheim", "rtmp://host/live/***"),
            ("rtmp://host/live/geheim/", "rtmp://host/live/***"), ("rtmp://host/live/", "rtmp://host/live/"),
            ("srt://host:7001?passphrase=geheim&mode=caller", "srt://host:7001?***"),
            ("https://us:ge@heim@host/a?token=geheim", "https://***@host/a?***"),
            ("http://host/a/b", "http://host/a/b"),
        ])
    func errorsHideSecretsInAddresses(_ address: String, _ shown: String) throws {
        let outcome = try run("videotestsrc pattern=\"\(address)\" ! fakesink")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("\"\(shown)\""), "\(outcome.errors)")
    }

    /// Servers can repeat a stream key in an error, without the address.
    @Test func errorsHideStreamKeysOutsideAddresses() throws {
        let outcome = try run(
            "filesrc location=/proc/nonexistent/geheimkey ! fakesink"
                + " videotestsrc ! x264enc ! flvmux ! rtmp2sink location=rtmp://127.0.0.1:1/live/geheimkey?a=1")
        #expect(outcome.status == 1 && outcome.errors.contains("/proc/nonexistent/***"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("geheim"), "\(outcome.errors)")
    }

    // MARK: - The end

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalCompletesRecordings(_ signal: Int32) throws {
        let folder = try ScratchFolder()
        let path = folder.path("live.mp4")
        let program = try program(
            "\(Self.camera) ! \(Self.printed) ! x264enc tune=zerolatency ! mp4mux ! filesink location=\(path)",
            options: ["--verbose"])
        program.wait(until: "pts: 0:00:01.0")
        program.send(signal)
        program.wait().expectSuccess("after a signal")
        #expect(try Playback(of: path).count >= 30)
    }

    @Test func anErrorCompletesOtherBranches() throws {
        let folder = try ScratchFolder()
        let path = folder.path("live.mp4")
        let outcome = try run(
            "\(Self.camera) ! x264enc tune=zerolatency ! mp4mux ! filesink location=\(path)"
                + " \(Self.camera) ! identity error-after=30 ! fakesink")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("ERROR: identity0: Failed after iterations as requested."))
        #expect(try Playback(of: path).count >= 10)
    }

    /// The second branch never receives the end of the stream.
    private static let endless =
        "\(camera) ! \(printed) ! tee name=t ! queue ! fakesink t. ! queue ! valve drop=true ! fakesink async=false"

    @Test func theEndOfTheStreamIsNotAwaitedForever() throws {
        let program = try program(Self.endless, options: ["--verbose", "--stop-timeout", "1"])
        program.wait(until: "pts: 0:00:00.1")
        program.send(SIGTERM)
        let outcome = program.wait()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("WARNING: the stream did not end in time"))
    }

    /// One branch has its first frame and waits for the other branch, which never gets a frame. So the pipeline never
    /// plays.
    @Test func aSignalEndsAPipelineThatStillStarts() throws {
        let program = try program(
            "videotestsrc ! \(Self.printed) ! fakesink videotestsrc ! valve drop=true ! fakesink",
            options: ["--verbose", "--stop-timeout", "1"])
        program.wait(until: "pts: 0:00:00.0")
        program.interrupt()
        let outcome = program.wait()
        #expect(!outcome.timedOut)
        #expect(outcome.status == 1)
    }

    @Test func aSecondSignalEndsAtOnce() throws {
        let program = try program(Self.endless, options: ["--verbose", "--stop-timeout", "60"])
        program.wait(until: "pts: 0:00:00.1")
        program.send(SIGTERM)
        program.send(SIGINT)
        #expect([128 + SIGTERM, 128 + SIGINT].contains(program.wait().status))
    }

    // MARK: - Services

    @Test func theServiceManagerLearnsThatFramesCome() throws {
        let socket = try NotifySocket()
        let environment = ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "800000"]
        let program = try program("\(Self.camera) ! fakesink", environment)
        #expect(socket.next()?.hasPrefix("READY=1") == true)
        for _ in 0..<3 { #expect(socket.next() == "WATCHDOG=1") }
        program.send(SIGTERM)
        var last = socket.next()
        while last == "WATCHDOG=1" { last = socket.next() }
        #expect(last?.hasPrefix("STOPPING=1") == true)
        program.wait().expectSuccess("SIGTERM")
    }

    @Test func theServiceManagerLearnsNothingWhileNoFramesCome() throws {
        let socket = try NotifySocket()
        let environment = ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "400000"]
        let program = try program("\(Self.camera) ! valve drop=true ! fakesink async=false", environment)
        #expect(socket.next()?.hasPrefix("READY=1") == true)
        #expect(socket.next(milliseconds: 500) == nil)
        program.kill()
        _ = program.wait()
    }

    @Test func anUnprivilegedUserWithoutAHomeRunsAPipeline() throws {
        let folder = try ScratchFolder()
        let state = folder.path("state")
        try FileManager.default.createDirectory(
            atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        let user = geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
        try Program.run(
            user + [Repository.runner], in: "/",
            environment: [
                "HOME": "/nonexistent", "GST_REGISTRY": state + "/registry.bin",
                "PIPELINE": "videotestsrc num-buffers=3 ! \(Self.small) ! svfacedetect ! fakesink",
            ]
        ).expectSuccess("as another user")
    }
}

/// A socket that replaces the socket of systemd.
private final class NotifySocket {
    private let folder: ScratchFolder
    private let file: Int32
    var path: String { folder.path("notify") }

    init() throws {
        folder = try ScratchFolder()
        file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(folder.path("notify").utf8)
        try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
    }

    deinit { close(file) }

    /// Returns the next message. Returns nil if no message arrives in time.
    func next(milliseconds: Int32 = 20_000) -> String? {
        var entry = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(file, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
