import FoundationEssentials
import Glibc

/// One measurement, done in a process of its own, so that its memory and its clocks are its own too.
enum ChildTask: Codable {
    /// Which of these elements there are. Also fills the registry for the children that follow.
    case probe(factories: [String])
    /// Write the still picture that `svblend` gets to a PNG file.
    case picture(path: String, format: String, size: FrameSize)
    case copy(size: FrameSize, rounds: Int)
    case kernel(KernelTask)
    case stream(StreamTask)
    case faces(FaceTask)
    case live(LiveTask)
    case marked(MarkedTask)
    case blobs(BlobTask)
    /// Write training pictures of drawn things to a folder.
    case training(folder: String)
    case naming(NamingTask)
    case logos(LogoTask)
    /// Write the frames of a video file to a file of raw RGB.
    case decode(file: String, output: String)
}

/// What a child found out.
enum ChildResult: Codable {
    case probe(ProbeResult)
    case done
    case kernel(KernelResult)
    case stream(StreamResult)
    case faces(FaceResult)
    case live(LiveResult)
    case marked(MarkedResult)
    case blobs(BlobResult)
    case naming(NamingResult)
    case logos(LogoResult)
    case failure(String)
}

struct ProbeResult: Codable {
    var version: String
    /// The plugin file of each element that exists.
    var files: [String: String]
}

/// The side of a child process.
enum Child {
    static let flag = "--child"
    /// A child that hangs is ended after this many seconds.
    static let patience: UInt32 = 240

    static func run(_ json: String) -> Int32 {
        alarm(patience)
        let result: ChildResult
        do {
            result = try perform(JSONDecoder().decode(ChildTask.self, from: Data(json.utf8)))
        } catch {
            result = .failure("\(error)")
        }
        guard let data = try? JSONEncoder().encode(result) else { return 1 }
        print("\n" + String(decoding: data, as: UTF8.self))
        return 0
    }

    private static func perform(_ task: ChildTask) throws -> ChildResult {
        switch task {
        case .probe(let factories): .probe(probe(factories))
        case .picture(let path, let format, let size): try writePicture(to: path, format: format, size: size)
        case .copy(let size, let rounds): .kernel(measureCopy(size: size, rounds: rounds))
        case .kernel(let task): .kernel(try measureKernel(task))
        case .stream(let task): .stream(try measureStream(task))
        case .faces(let task): .faces(try measureFaces(task))
        case .live(let task): .live(try measureLive(task))
        case .marked(let task): .marked(try measureMarked(task))
        case .blobs(let task): .blobs(try measureBlobs(task))
        case .training(let folder): try writeTraining(to: folder)
        case .naming(let task): .naming(try measureNaming(task))
        case .logos(let task): .logos(try measureLogos(task))
        case .decode(let file, let output): try decode(file, to: output)
        }
    }
}

/// The side of the parent: starts children and other programs, one at a time.
struct Launcher {
    struct Outcome {
        var output: String
        var wallNanoseconds: Int
        /// Of the process and of those that it waited for.
        var cpuNanoseconds: Int
        var peakKilobytes: Int
        /// Why it did not end well.
        var complaint: String?
    }

    var environment: [String: String]
    /// Where the standard error of a child goes; its end is quoted when the child fails.
    let errorFile: String

    func perform(_ task: ChildTask) throws -> ChildResult {
        let json = String(decoding: try JSONEncoder().encode(task), as: UTF8.self)
        let outcome = try run([Machine.executable, Child.flag, json])
        guard let line = outcome.output.split(separator: "\n").last,
            let result = try? JSONDecoder().decode(ChildResult.self, from: Data(line.utf8))
        else { throw Failure(outcome.complaint ?? "the measurement gave no result") }
        if case .failure(let reason) = result { throw Failure(reason) }
        return result
    }

    /// Runs a program to its end, with its output in a pipe.
    func run(_ arguments: [String], adding variables: [String: String] = [:]) throws -> Outcome {
        try Interruption.check()
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure("no pipe can be made") }
        ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errorFile, O_WRONLY | O_CREAT | O_TRUNC, 0o600)

        let merged = environment.merging(variables) { $1 }
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = merged.map { strdup("\($0)=\($1)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        let start = nanoseconds(CLOCK_MONOTONIC)
        var process = pid_t()
        let status = posix_spawnp(&process, arguments[0], &actions, nil, &argv, &envp)
        close(ends[1])
        defer { close(ends[0]) }
        guard status == 0 else { throw Failure("cannot start \(arguments[0]): \(String(cString: strerror(status)))") }

        let output = text(from: ends[0])
        var ending: Int32 = 0
        var usage = rusage()
        while wait4(process, &ending, 0, &usage) < 0, errno == EINTR {}
        let wall = nanoseconds(CLOCK_MONOTONIC) - start
        let microseconds =
            (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000
            + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
        return Outcome(
            output: output, wallNanoseconds: wall, cpuNanoseconds: microseconds * 1000,
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
