// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Service

/// Writes log lines to the standard error. If the standard error goes to the journal, adds priorities.
struct Log {
    /// Priorities as in sd-daemon(3).
    enum Priority: Int {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6

        fileprivate var word: String {
            switch self {
            case .error: "ERROR: "
            case .warning: "WARNING: "
            case .notice, .info: ""
            }
        }
    }

    private let isJournal = logsToJournal()

    func write(_ priority: Priority, _ text: String) {
        // The journal makes an entry of each line, so join the lines of the text.
        let words = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        let start = isJournal ? "<\(priority.rawValue)>" : ""
        Self.write("\(start)\(priority.word)\(words)\n", to: STDERR_FILENO)
    }

    /// Prints output that the user has requested to the standard output.
    func print(_ text: String) { Self.write(text + "\n", to: STDOUT_FILENO) }

    private static func write(_ text: String, to file: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}
