// SPDX-License-Identifier: LGPL-2.1-or-later
import FoundationEssentials
import Glibc
import Synchronization

// Information from the operating system: clocks, memory, processor, signals.

/// Reads one of the POSIX clocks, in nanoseconds.
func nanoseconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Writes a message to standard error.
func complain(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDERR_FILENO, line, line.count)
}

func text(ofFile path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

/// An error described for the user.
struct Failure: Error, CustomStringConvertible {
    let description: String
    /// True if a row is skipped although nothing of ours has failed.
    let isSkip: Bool

    init(_ description: String, isSkip: Bool = false) { (self.description, self.isSkip) = (description, isSkip) }
}

enum Machine {
    /// Peak memory of this process, in kilobytes.
    ///
    /// Read from /proc and not from `getrusage`, whose figure a process inherits from its parent.
    static var peakKilobytes: Int {
        field("VmHWM", in: "/proc/self/status").flatMap { Int($0.split(separator: " ").first ?? "") } ?? 0
    }

    /// Size of the last-level cache in bytes; a common one if the system does not tell.
    static var lastLevelCache: Int {
        let sizes = (0..<8).compactMap { index -> Int? in
            guard let size = text(ofFile: "/sys/devices/system/cpu/cpu0/cache/index\(index)/size") else { return nil }
            let digits = size.prefix { $0.isNumber }
            return Int(digits).map { size.contains("M") ? $0 << 20 : $0 << 10 }
        }
        return sizes.max() ?? 32 << 20
    }

    static var processor: String {
        let model = field("model name", in: "/proc/cpuinfo") ?? "unknown processor"
        return "\(model), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores, last-level cache \(lastLevelCache >> 20) MB"
    }

    static var repository: String { "/" + #filePath.split(separator: "/").dropLast(5).joined(separator: "/") }

    static var date: String { Date.now.formatted(.iso8601.year().month().day()) }

    private static func field(_ name: String, in file: String) -> String? {
        text(ofFile: file)?.split(separator: "\n").first { $0.hasPrefix(name) }?
            .split(separator: ":", maxSplits: 1).last.map { $0.trimmingPrefix { $0.isWhitespace } }.map(String.init)
    }
}

/// The user ended the run, or its output is no longer read.
///
/// The signal only sets a flag, which is read between two measurements, so that the temporary folder is removed as
/// usual.
struct Interruption: Error {
    private static let pending = Atomic<Bool>(false)

    static func watch() {
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] {
            signal(number) { _ in Interruption.pending.store(true, ordering: .relaxed) }
        }
    }

    /// Throws if there has been a signal.
    static func check() throws {
        if pending.load(ordering: .relaxed) { throw Interruption() }
    }
}
