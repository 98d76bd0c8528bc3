// SPDX-License-Identifier: LGPL-2.1-or-later
import FoundationEssentials
import Glibc

/// Work that is done in its own process, so that it has its own memory and clocks.
protocol Job: Work, Codable {
    func perform() throws -> Reading
}

extension Job {
    func read(in session: Session) throws -> Reading { try session.launcher.perform(self) }
}

/// The child's side.
enum Child {
    /// Number of seconds after which a hanging child is ended.
    static let patience: UInt32 = 240

    /// - Parameter arguments: the name of a type, and a job of it in JSON.
    static func run(_ arguments: [String]) throws {
        alarm(patience)
        let jobs: [any Job.Type] = [Probe.self, KernelJob.self, StreamJob.self]
        guard let type = jobs.first(where: { "\($0)" == arguments.first }), let json = arguments.last else {
            throw Failure("no such job")
        }
        var reading = Reading()
        do {
            reading = try JSONDecoder().decode(type, from: Data(json.utf8)).perform()
        } catch {
            reading.failure = "\(error)"
        }
        print("\n" + String(decoding: try JSONEncoder().encode(reading), as: UTF8.self))
    }
}

/// The parent's side: starts children and other programs, one at a time.
struct Launcher {
    /// Folder for the output of a child and its standard error, the end of which is quoted when the child fails.
    let folder: String

    /// The user's environment without variables that slow GStreamer down, with a registry of our own.
    private var environment: [String: String] {
        let slowing = ["GST_DEBUG", "GST_TRACERS", "GST_DEBUG_DUMP_DOT_DIR", "G_DEBUG", "G_MESSAGES_DEBUG"]
        var variables = ProcessInfo.processInfo.environment.filter { !slowing.contains($0.key) }
        variables["GST_REGISTRY"] = "\(folder)/registry.bin"
        if variables["GST_PLUGIN_PATH", default: ""].isEmpty {
            variables["GST_PLUGIN_PATH"] = "\(Machine.repository)/.build/release"
        }
        return variables
    }

    func perform<T: Job>(_ job: T) throws -> Reading {
        let json = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
        let complaint = try run(["/proc/self/exe", "--child", "\(T.self)", json]).complaint
        guard let line = lastLine(of: "output"),
            let reading = try? JSONDecoder().decode(Reading.self, from: Data(line.utf8))
        else { throw Failure(complaint ?? "the measurement gave no result") }
        if let failure = reading.failure { throw Failure(failure) }
        return reading
    }

    /// Runs a program to its end.
    /// - Returns: times and memory of the process and of those that it waited for, and the reason why it failed.
    func run(
        _ arguments: [String], adding variables: [String: String] = [:]
    ) throws -> (usage: Reading, complaint: String?) {
        try Interruption.check()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, file) in [(STDOUT_FILENO, "output"), (STDERR_FILENO, "errors")] {
            posix_spawn_file_actions_addopen(
                &actions, descriptor, "\(folder)/\(file).txt", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        let merged = environment.merging(variables) { $1 }
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = merged.map { strdup("\($0)=\($1)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        let start = nanoseconds(CLOCK_MONOTONIC)
        var process = pid_t()
        let status = posix_spawnp(&process, arguments[0], &actions, nil, &argv, &envp)
        guard status == 0 else { throw Failure("cannot start \(arguments[0]): \(String(cString: strerror(status)))") }
        var ending: Int32 = 0
        var usage = rusage()
        while wait4(process, &ending, 0, &usage) < 0, errno == EINTR {}
        let wall = nanoseconds(CLOCK_MONOTONIC) - start
        let microseconds =
            (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000
            + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
        let reading = Reading(figures: [
            .wall: Double(wall), .cpu: Double(microseconds) * 1000, .peak: Double(usage.ru_maxrss),
        ])
        return (reading, complaint(about: ending))
    }

    private func complaint(about ending: Int32) -> String? {
        guard ending != 0 else { return nil }
        let signal = ending & 0x7f
        let name = strsignal(signal).map { " (\(String(cString: $0)))" } ?? ""
        let how = signal == 0 ? "exit status \(ending >> 8)" : "signal \(signal)\(name)"
        return "ended by \(how)\(lastLine(of: "errors").map { ": \($0)" } ?? "")"
    }

    private func lastLine(of file: String) -> Substring? {
        text(ofFile: "\(folder)/\(file).txt")?.split(separator: "\n").last
    }
}
