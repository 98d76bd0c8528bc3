// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// The result of a program that has ended.
struct Outcome: Sendable {
    /// The exit status. If a signal ended the program, 128 + the signal number.
    let status: Int32
    let output: String
    let errors: String
    /// True if the program exceeded its time limit and was killed.
    let timedOut: Bool

    var outputLines: [Substring] { output.split(separator: "\n") }
    var errorLines: [Substring] { errors.split(separator: "\n") }

    /// Warnings and errors of GStreamer. The warning that cascades detect the faces is omitted, because tests have
    /// no network.
    var complaints: [Substring] {
        errorLines.filter {
            $0.contains(#/WARNING|CRITICAL|ERROR/#) && !$0.contains("cascades detect the faces to hide")
        }
    }

    /// Fails the test if the program has failed.
    func expectSuccess(_ what: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!timedOut, "\(what) did not end in time: \(errors)", sourceLocation: sourceLocation)
        #expect(status == 0, "\(what): \(errors)", sourceLocation: sourceLocation)
    }
}

/// A running program in a separate process group. Its output goes to files, because a pipe could fill up. The program
/// uses the release plugin, has no display, and has a GStreamer registry that all tests use.
struct Program {
    private let process: pid_t
    private let folder: ScratchFolder
    private let deadline: ContinuousClock.Instant

    /// - Parameters:
    ///   - words: the program, which is searched in PATH, and its arguments.
    ///   - limit: time in seconds after which the program is killed.
    init(
        _ words: [String], in workingFolder: String = Repository.root, environment: [String: String] = [:],
        limit: Double = 90
    ) throws {
        folder = try ScratchFolder()
        deadline = .now + .seconds(limit)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, folder.path("output"), flags, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, folder.path("errors"), flags, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        posix_spawnattr_setpgroup(&attributes, 0)
        // The program would inherit the signal settings of this process. Background jobs ignore SIGINT, jobs of nohup
        // ignore SIGHUP, and Swift's threads block signals. So reset these settings.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGHUP)
        posix_spawnattr_setsigdefault(&attributes, &signals)

        let variables = Self.environment.merging(environment) { $1 }
        let arguments = (["env", "--chdir=" + workingFolder] + words).map { strdup($0) } + [nil]
        let settings = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { (arguments + settings).forEach { free($0) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, "env", &actions, &attributes, arguments, settings)
        try #require(result == 0, "\(words) does not start: \(String(cString: strerror(result)))")
        self.process = process
    }

    /// Waits until the program has printed `text`, or until its time limit.
    func wait(until text: String) {
        wait { ["output", "errors"].contains { folder.text(of: $0).contains(text) } }
    }

    /// Waits until a condition is true, or until the time limit of the program.
    func wait(until condition: () -> Bool) {
        while !condition(), ContinuousClock.now < deadline { usleep(20_000) }
    }

    /// The arguments of the program, as all users of the computer can see them.
    var commandLine: String {
        let bytes = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
        return String(decoding: bytes, as: UTF8.self)
    }

    func send(_ signal: Int32) {
        Foundation.kill(-process, signal)
    }

    /// Interrupts the program, as Ctrl-C in a terminal does.
    func interrupt() {
        Foundation.kill(-process, SIGINT)
    }

    /// Kills the program, which then cannot clean up.
    func kill() {
        Foundation.kill(-process, SIGKILL)
    }

    /// Waits for the end of the program, and returns its result.
    func wait() -> Outcome {
        var status: Int32 = 0
        var timedOut = false
        while waitpid(process, &status, WNOHANG) == 0 {
            if !timedOut, ContinuousClock.now > deadline {
                timedOut = true
                Foundation.kill(-process, SIGKILL)
            }
            usleep(2000)
        }
        let signal = status & 0x7F
        return Outcome(
            status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: folder.text(of: "output"),
            errors: folder.text(of: "errors"), timedOut: timedOut)
    }

    /// Runs a program until it ends.
    static func run(
        _ words: [String], in workingFolder: String = Repository.root, environment: [String: String] = [:],
        limit: Double = 90
    ) throws -> Outcome {
        try Program(words, in: workingFolder, environment: environment, limit: limit).wait()
    }

    /// Runs a line in bash, as if a user had typed it.
    static func shell(
        _ line: String, in workingFolder: String = Repository.root, environment: [String: String] = [:],
        limit: Double = 90
    ) throws -> Outcome {
        try run(["bash", "-c", line], in: workingFolder, environment: environment, limit: limit)
    }

    /// Runs gst-launch-1.0 with a pipeline description. bash splits the description into arguments.
    static func launch(
        _ description: String, options: [String] = ["-q"], in workingFolder: String = Repository.root,
        environment: [String: String] = [:], limit: Double = 90
    ) throws -> Outcome {
        try Repository.requirePlugin()
        return try shell(
            (["gst-launch-1.0", "--no-fault"] + options + [description]).joined(separator: " "), in: workingFolder,
            environment: environment, limit: limit)
    }

    /// Decodes files with a pipeline of stock elements. If the pipeline does not end, runs it again. If the computer is
    /// busy, one in a hundred pipelines with `decodebin` does not end in GStreamer 1.22. The decoding thread reports
    /// PAUSED. If this thread is suspended until another thread has reported PLAYING, the pipeline never reaches
    /// PLAYING and posts no EOS (`gst_bin_state_changed` in gstbin.c).
    static func decode(
        _ description: String, options: [String] = ["-q"], in workingFolder: String = Repository.root
    ) throws -> Outcome {
        // The files have a few seconds of video at most, so a pipeline that needs 15 s probably does not end.
        for _ in 0..<2 {
            let outcome = try launch(description, options: options, in: workingFolder, limit: 15)
            if !outcome.timedOut { return outcome }
        }
        return try launch(description, options: options, in: workingFolder)
    }

    private static let environment: [String: String] = {
        var variables = ProcessInfo.processInfo.environment
        // Networks that the user has installed must not change the results.
        variables["XDG_DATA_HOME"] = "/nonexistent"
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "GST_DEBUG", "GST_TRACERS", "GST_DEBUG_FILE"] {
            variables[name] = nil
        }
        // The program must not download files.
        variables["SWIFTVISION_MODELS"] = "no"
        variables["LC_ALL"] = "C.UTF-8"
        variables["GST_DEBUG_NO_COLOR"] = "1"
        variables["GST_PLUGIN_PATH"] = Repository.pluginFolder
        variables["GST_REGISTRY"] = Repository.root + "/.build/gstreamer-registry.bin"
        return variables
    }()
}
