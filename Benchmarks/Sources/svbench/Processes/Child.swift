import FoundationEssentials
import Glibc

/// Work that is done in its own process, so that it has its own memory and clocks.
protocol Job: Codable, Hashable {
    associatedtype Outcome: Codable
    func perform() throws -> Outcome
}

extension Work where Self: Job, Outcome == Reading {
    func read(in session: Session) throws -> Reading { try session.launcher.perform(self) }
}

/// Last line of a child's output.
private struct Answer<Outcome: Codable>: Codable {
    var outcome: Outcome?
    var failure: String?

    init(_ perform: () throws -> Outcome) {
        do { outcome = try perform() } catch { failure = "\(error)" }
    }
}

/// The child's side.
enum Child {
    /// Number of seconds after which a hanging child is ended.
    static let patience: UInt32 = 240
    private static let jobs: [any (Job & Sendable).Type] = [Probe.self, KernelJob.self, StreamJob.self]

    /// - Parameter arguments: the name of a type, and a job of it in JSON.
    static func run(_ arguments: [String]) throws {
        alarm(patience)
        guard let type = jobs.first(where: { "\($0)" == arguments.first }), let json = arguments.last else {
            throw Failure("no such job")
        }
        print("\n" + String(decoding: try answer(type, json), as: UTF8.self))
    }

    private static func answer<T: Job>(_ type: T.Type, _ json: String) throws -> Data {
        try JSONEncoder().encode(Answer { try JSONDecoder().decode(type, from: Data(json.utf8)).perform() })
    }
}

/// The parent's side: starts children and other programs, one at a time.
struct Launcher {
    struct Outcome {
        var wallNanoseconds: Int
        /// CPU time of the process and of those that it waited for.
        var cpuNanoseconds: Int
        var peakKilobytes: Int
        /// Reason why it failed.
        var complaint: String?
    }

    var environment: [String: String]
    /// Files for the output of a child and its standard error, the end of which is quoted when the child fails.
    let outputFile, errorFile: String

    func perform<T: Job>(_ job: T) throws -> T.Outcome {
        let json = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
        let outcome = try run([Machine.executable, "--child", "\(T.self)", json])
        guard let line = text(ofFile: outputFile)?.split(separator: "\n").last,
            let answer = try? JSONDecoder().decode(Answer<T.Outcome>.self, from: Data(line.utf8))
        else { throw Failure(outcome.complaint ?? "the measurement gave no result") }
        guard let result = answer.outcome else { throw Failure(answer.failure ?? "no result") }
        return result
    }

    /// Runs a program to its end.
    func run(_ arguments: [String], adding variables: [String: String] = [:]) throws -> Outcome {
        try Interruption.check()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, file) in [(STDOUT_FILENO, outputFile), (STDERR_FILENO, errorFile)] {
            posix_spawn_file_actions_addopen(&actions, descriptor, file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
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
        return Outcome(
            wallNanoseconds: wall, cpuNanoseconds: microseconds * 1000,
            peakKilobytes: usage.ru_maxrss, complaint: complaint(about: ending))
    }

    private func complaint(about ending: Int32) -> String? {
        guard ending != 0 else { return nil }
        let signal = ending & 0x7f
        let name = strsignal(signal).map { " (\(String(cString: $0)))" } ?? ""
        let how = signal == 0 ? "exit status \(ending >> 8)" : "signal \(signal)\(name)"
        let last = text(ofFile: errorFile)?.split(separator: "\n").last.map { ": \($0)" } ?? ""
        return "ended by \(how)\(last)"
    }
}
