// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Filters
import Synchronization

/// The text of a filter chain, and its source.
struct ChainText: Sendable, Equatable {
    var text = Assigned<String>()
    /// The path of the file that has the text; nil if the text is the value of `filters`.
    var file: String?

    func chain() throws(ElementError) -> FilterChain {
        let text = file == nil ? text.value ?? "" : Self.withoutComments(text.value ?? "")
        do throws(FilterChainError) {
            return try FilterChain(text)
        } catch {
            throw ElementError(error, in: location(error.position, text))
        }
    }

    /// Returns the text of a file with blanks in place of comment lines, which begin with #. Error positions in the
    /// result are also valid in the file.
    private static func withoutComments(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            line.first { !$0.isWhitespace } == "#" ? String(repeating: " ", count: line.count) : String(line)
        }.joined(separator: "\n")
    }

    /// Returns the beginning of an error message: the source of the text, and the position of the error. An example is
    /// `filters, at character 5`.
    private func location(_ position: Int, _ text: String) -> String {
        guard let file else { return "filters, at character \(position + 1)" }
        let before = text.prefix(position)
        let column = before.reversed().prefix { !$0.isNewline }.count
        return "\(file), line \(before.count(where: \.isNewline) + 1), character \(column + 1)"
    }
}

/// The file of the property `filters-file`. `poll` reads the file again after each change. Any thread can use a
/// `ChainFile`.
final class ChainFile: Sendable {
    private struct Watch: Sendable {
        var path = Assigned<String>()
        /// The path for which `isDue` has last returned true.
        var asked = Assigned<String>()
        var text: ChainText?
        /// `read`: the state of the file at the last read. `lastStamp`: the state of the file at the last check.
        var read: FileStamp?
        var lastStamp: FileStamp?
        var lastCheck = ClockTime.zero
    }

    private let watch = Mutex(Watch())

    /// Interval between two checks of the file. Editors write in several steps, so a changed file is read only after
    /// two checks with the same result.
    private static let interval = ClockTime.second / 5
    private static let largest = 1 << 20

    /// Returns the text of the file at a path; nil if the file was not read yet.
    func text(of path: Assigned<String>) -> ChainText? { watch.withLock { $0.path == path ? $0.text : nil } }

    /// Returns true if the caller should call `poll` now: the path is new, or the interval has passed.
    func isDue(_ path: Assigned<String>) -> Bool {
        watch.withLock { watch in
            let now = ClockTime.now
            guard watch.asked != path || now >= watch.lastCheck + Self.interval else { return false }
            (watch.asked, watch.lastCheck) = (path, now)
            return true
        }
    }

    /// Reads the file if the path is new or the file has changed.
    /// - Returns: the new text; nil if nothing has changed.
    func poll(_ path: Assigned<String>) throws(ElementError) -> ChainText? {
        guard let name = path.value else { return nil }
        let stamp = FileStamp(name)
        let isDue = watch.withLock { watch in
            guard watch.path == path else {
                watch = Watch(path: path, asked: path, read: stamp, lastStamp: stamp, lastCheck: .now)
                return true
            }
            defer { watch.lastStamp = stamp }
            // While an editor replaces the file, the file may be missing, so a missing stamp is not an error.
            guard let stamp, stamp != watch.read, stamp == watch.lastStamp else { return false }
            watch.read = stamp
            return true
        }
        guard isDue else { return nil }
        let bytes = try readFile(name, as: "a filter chain", atMost: Self.largest)
        guard let content = String(validating: bytes, as: UTF8.self) else {
            throw ElementError(.decode, "cannot read \"\(name)\": not UTF-8 text. Save the file as UTF-8.")
        }
        let text = ChainText(text: Assigned(content), file: name)
        return watch.withLock { watch in
            guard watch.path == path else { return nil }
            watch.text = text
            return text
        }
    }

    /// Discards the text, so that the next call of `poll` reads the file.
    func close() { watch.withLock { $0 = Watch() } }
}

extension ElementError {
    /// - Parameter location: the source of the text and the position of the error.
    init(_ error: FilterChainError, in location: String) {
        let reason: Reason =
            switch error.cause {
            case .text: .settings
            case .missingFile: .notFound
            case .unreadableFile: .openRead
            case .content: .decode
            }
        self.init(reason, "\(location): \(error.message)")
    }
}
