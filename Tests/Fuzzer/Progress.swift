// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import TestSupport

/// The progress of the cases, in a file that both processes map into memory. If a case crashes, the values stay in the
/// file.
final class Progress {
    private let memory: UnsafeMutableRawPointer
    private static let size = 4096
    /// Indices of the 64-bit values in the file. The values from `first` on are pairs for each kind of case: the number
    /// of cases, and their total time in nanoseconds.
    private enum Word: Int {
        case next, running, findings, first = 8
    }

    static let kinds = ElementCase.names + ["files", "networks", "keys"]

    init(_ path: String) throws {
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        guard file >= 0 else { throw TestFailure("\(path) cannot be opened") }
        defer { close(file) }
        guard ftruncate(file, Self.size) == 0,
            let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
        else { throw TestFailure("\(path) cannot be mapped") }
        self.memory = memory
    }

    deinit { munmap(memory, Self.size) }

    private subscript(word: Int) -> UInt64 {
        get { memory.load(fromByteOffset: word * 8, as: UInt64.self) }
        set { memory.storeBytes(of: newValue, toByteOffset: word * 8, as: UInt64.self) }
    }

    /// The number of the next case. While a case runs, its number plus 1.
    var next: UInt64 {
        get { self[Word.next.rawValue] }
        set { self[Word.next.rawValue] = newValue }
    }

    /// True while a case runs.
    var isRunning: Bool {
        get { self[Word.running.rawValue] != 0 }
        set { self[Word.running.rawValue] = newValue ? 1 : 0 }
    }

    /// The number of reported errors, without crashes.
    var findings: UInt64 {
        get { self[Word.findings.rawValue] }
        set { self[Word.findings.rawValue] = newValue }
    }

    func count(_ kind: String, nanoseconds: UInt64) {
        guard let index = Self.kinds.firstIndex(of: kind) else { return }
        self[Word.first.rawValue + 2 * index] += 1
        self[Word.first.rawValue + 2 * index + 1] += nanoseconds
    }

    /// The number of cases and their total time in seconds, for each kind with at least one case.
    var counts: [(kind: String, cases: UInt64, seconds: Double)] {
        Self.kinds.enumerated().map { index, kind in
            let word = Word.first.rawValue + 2 * index
            return (kind, self[word], Double(self[word + 1]) / 1e9)
        }.filter { $0.cases > 0 }
    }
}
