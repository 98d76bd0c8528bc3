// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Result of a program that has ended.
struct Outcome: Sendable {
    /// Exit status; 128 + the signal's number for a program that was ended by a signal.
    let status: Int32
    let output: String
    let errors: String
    /// True if it was stopped because it exceeded its time.
    let timedOut: Bool

    var outputLines: [Substring] { output.split(separator: "\n") }
    var errorLines: [Substring] { errors.split(separator: "\n") }

    /// What GStreamer complains of, except that cascades alone detect the faces to hide: tests have no network.
    var complaints: [Substring] {
        errorLines.filter {
            $0.contains(#/WARNING|CRITICAL|ERROR/#) && !$0.contains("the faces to hide are detected only by cascades")
        }
    }

    /// Fails the test unless the program succeeded.
    func expectSuccess(_ what: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!timedOut, "\(what) did not end in time: \(errors)", sourceLocation: sourceLocation)
        #expect(status == 0, "\(what): \(errors)", sourceLocation: sourceLocation)
    }
}

/// A running program in its own process group, with its output in files, so that no pipe can fill up. It sees the
/// release plugin, no display, and a GStreamer registry that the tests share.
struct Program {
    private let process: pid_t
    private let folder: ScratchFolder
    private let deadline: ContinuousClock.Instant

    /// - Parameters:
    ///   - words: the program, looked up on PATH, and its arguments.
    ///   - limit: seconds after which it is killed.
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
        // Background jobs of a shell, as these tests may be, ignore Ctrl-C, those of nohup ignore SIGHUP, and Swift's threads
        // block them; their children would inherit that.
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

    /// Waits until the program has said something, at most until its time is over.
    func wait(until text: String) {
        wait { ["output", "errors"].contains { folder.text(of: $0).contains(text) } }
    }

    /// Waits until a condition holds, at most until the program's time is over.
    func wait(until condition: () -> Bool) {
        while !condition(), ContinuousClock.now < deadline { usleep(20_000) }
    }

    /// The arguments of the program, as every user of the machine sees them.
    var commandLine: String {
        let bytes = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Sends a signal to the program.
    func send(_ signal: Int32) {
        Foundation.kill(-process, signal)
    }

    /// Interrupts the program as Ctrl-C in a terminal does.
    func interrupt() {
        Foundation.kill(-process, SIGINT)
    }

    /// Ends the program without letting it do anything.
    func kill() {
        Foundation.kill(-process, SIGKILL)
    }

    /// Waits for the end and returns the outcome.
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

    /// Runs a program to its end.
    static func run(
        _ words: [String], in workingFolder: String = Repository.root, environment: [String: String] = [:],
        limit: Double = 90
    ) throws -> Outcome {
        try Program(words, in: workingFolder, environment: environment, limit: limit).wait()
    }

    /// Runs a line as a shell would if a user typed it.
    static func shell(
        _ line: String, in workingFolder: String = Repository.root, environment: [String: String] = [:],
        limit: Double = 90
    ) throws -> Outcome {
        try run(["bash", "-c", line], in: workingFolder, environment: environment, limit: limit)
    }

    /// Runs gst-launch-1.0 with this description, given as a shell would split it.
    static func launch(
        _ description: String, options: [String] = ["-q"], in workingFolder: String = Repository.root,
        environment: [String: String] = [:], limit: Double = 90
    ) throws -> Outcome {
        try Repository.requirePlugin()
        return try shell(
            (["gst-launch-1.0", "--no-fault"] + options + [description]).joined(separator: " "), in: workingFolder,
            environment: environment, limit: limit)
    }

    /// Runs a pipeline of stock elements that decode a file, and again if it does not end: with `decodebin`, GStreamer 1.22
    /// loses the end of one in a hundred where the machine is busy. PAUSED is told by the thread that decodes, and if that is
    /// suspended until another one has told PLAYING, the pipeline never takes itself to be playing, and posts no end
    /// (`gst_bin_state_changed` in gstbin.c).
    static func decode(
        _ description: String, options: [String] = ["-q"], in workingFolder: String = Repository.root
    ) throws -> Outcome {
        var outcome = try launch(description, options: options, in: workingFolder)
        for _ in 0..<2 where outcome.timedOut {
            outcome = try launch(description, options: options, in: workingFolder)
        }
        return outcome
    }

    private static let environment: [String: String] = {
        var variables = ProcessInfo.processInfo.environment
        // Networks that this machine's user has installed are not to change any result.
        variables["XDG_DATA_HOME"] = "/nonexistent"
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "GST_DEBUG", "GST_TRACERS", "GST_DEBUG_FILE"] {
            variables[name] = nil
        }
        // Nothing is fetched.
        variables["SWIFTVISION_MODELS"] = "no"
        variables["LC_ALL"] = "C.UTF-8"
        variables["GST_DEBUG_NO_COLOR"] = "1"
        variables["GST_PLUGIN_PATH"] = Repository.pluginFolder
        variables["GST_REGISTRY"] = Repository.root + "/.build/gstreamer-registry.bin"
        return variables
    }()
}
