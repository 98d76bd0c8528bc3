// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import TestSupport

/// Tests the elements and the readers of their files with random input. The cases run in a child process. So if a case
/// crashes, the fuzzer can report the seed of this case.
@main
enum Fuzzer {
    private static let mostDeaths = 20

    static func main() {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            Child.complain("usage: fuzzer [SECONDS] [\(Options.subjects.joined(separator: "|"))] [SEED] [--cases=N]")
            exit(2)
        }
        do {
            if let path = options.progress {
                try Child.run(options, seed: options.seed ?? 0, Progress(path))
                exit(0)
            }
            exit(try watch(options) ? 0 : 1)
        } catch {
            Child.complain("\(error)")
            exit(1)
        }
    }

    /// Runs the cases in child processes. Returns false if a case has crashed or has reported an error.
    private static func watch(_ options: Options) throws -> Bool {
        let seed = options.seed ?? UInt64(Date().timeIntervalSince1970)
        let folder = try TemporaryFolder()
        // The folder also contains files that crashed children did not delete.
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let path = folder.file("progress")
        let progress = try Progress(path)
        let end = options.seconds.map { Date() + $0 }
        var deaths = 0
        while deaths < mostDeaths {
            var words = ["--progress=\(path)", "--first=\(progress.next)", "--limit=\(options.limit)"]
            if let cases = options.cases { words.append("--cases=\(cases)") }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = words + ["\(end?.timeIntervalSinceNow ?? 1)", options.subject, "\(seed)"]
            // The fuzzer reports the seed of a crash, so a backtrace is not necessary.
            process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) {
                old, _ in old
            }.merging(["TMPDIR": folder.path]) { _, new in new }
            try process.run()
            process.waitUntilExit()
            if process.terminationReason == .exit, process.terminationStatus == 0 { break }
            deaths += 1
            guard progress.isRunning else {
                // The child failed after its cases, for example because a sanitizer found memory leaks.
                Child.complain("beside the cases: \(fate(of: process, options))")
                break
            }
            let number = progress.next - min(1, progress.next)
            Child.report(options.kind(number), seed: seed &+ number, fate(of: process, options))
            if let end, end < Date() { break }
            if let cases = options.cases, progress.next >= cases { break }
        }
        tell(progress, seed: seed, deaths: deaths)
        return deaths == 0 && progress.findings == 0
    }

    private static func fate(of process: Process, _ options: Options) -> String {
        guard process.terminationReason == .uncaughtSignal else {
            return "ended with status \(process.terminationStatus)"
        }
        guard process.terminationStatus != SIGALRM else { return "took more than \(options.limit * 5) s" }
        return "died of signal \(process.terminationStatus): \(String(cString: strsignal(process.terminationStatus)))"
    }

    private static func tell(_ progress: Progress, seed: UInt64, deaths: Int) {
        for (kind, cases, seconds) in progress.counts {
            let rate = String(format: "%.0f", Double(cases) / max(seconds, 1e-9))
            print("\(kind): \(cases) cases, \(rate) a second")
        }
        print("base seed \(seed); \(UInt64(deaths) + progress.findings) findings")
    }
}
