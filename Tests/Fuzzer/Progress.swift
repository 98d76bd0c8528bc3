import Glibc
import TestSupport

/// How far the cases are, in a file that two processes see: what a case that dies has written stays.
final class Progress {
    private let memory: UnsafeMutableRawPointer
    private static let size = 4096
    /// Of the words behind these a pair belongs to each kind: cases, and the nanoseconds that they took.
    private enum Word: Int {
        case next, running, findings, first = 8
    }

    static let kinds = ElementCase.names + ["files", "keys"]

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

    /// The number of the case that comes next; while one runs, its number + 1.
    var next: UInt64 {
        get { self[Word.next.rawValue] }
        set { self[Word.next.rawValue] = newValue }
    }

    /// Whether a case runs.
    var isRunning: Bool {
        get { self[Word.running.rawValue] != 0 }
        set { self[Word.running.rawValue] = newValue ? 1 : 0 }
    }

    /// Those that no process died of.
    var findings: UInt64 {
        get { self[Word.findings.rawValue] }
        set { self[Word.findings.rawValue] = newValue }
    }

    func count(_ kind: String, nanoseconds: UInt64) {
        guard let index = Self.kinds.firstIndex(of: kind) else { return }
        self[Word.first.rawValue + 2 * index] += 1
        self[Word.first.rawValue + 2 * index + 1] += nanoseconds
    }

    /// Of each kind that had cases: how many, and how many seconds they took.
    var counts: [(kind: String, cases: UInt64, seconds: Double)] {
        Self.kinds.enumerated().map { index, kind in
            let word = Word.first.rawValue + 2 * index
            return (kind, self[word], Double(self[word + 1]) / 1e9)
        }.filter { $0.cases > 0 }
    }
}
