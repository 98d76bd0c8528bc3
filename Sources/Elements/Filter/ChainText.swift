// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Filters
import Synchronization

/// The text of a chain, and where it comes from.
struct ChainText: Sendable, Equatable {
    var text = Assigned<String>()
    /// The path of the file that it was read from; nil for the property `filters`.
    var file: String?

    func chain() throws(ElementError) -> FilterChain {
        let text = file == nil ? text.value ?? "" : Self.withoutComments(text.value ?? "")
        do throws(FilterChainError) {
            return try FilterChain(text)
        } catch {
            throw ElementError(error, in: place(error.position, text))
        }
    }

    /// Returns a file's text with blanks for the lines that begin with #, so that places stay.
    private static func withoutComments(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            line.first { !$0.isWhitespace } == "#" ? String(repeating: " ", count: line.count) : String(line)
        }.joined(separator: "\n")
    }

    /// Returns the source of an error in words, as it stands before the error: `filters, at character 5`.
    private func place(_ position: Int, _ text: String) -> String {
        guard let file else { return "filters, at character \(position + 1)" }
        let before = text.prefix(position)
        let column = before.reversed().prefix { !$0.isNewline }.count
        return "\(file), line \(before.count(where: \.isNewline) + 1), character \(column + 1)"
    }
}

/// The file that `filters-file` names, which is read again when it changes. For any thread.
final class ChainFile: Sendable {
    private struct Watch: Sendable {
        var path = Assigned<String>()
        /// The path that a look was due for last.
        var asked = Assigned<String>()
        var text: ChainText?
        /// The file when it was read, and when it was looked at last.
        var read: FileStamp?
        var seen: FileStamp?
        var lastLook = ClockTime.zero
    }

    private let watch = Mutex(Watch())

    /// The time between two looks. A file that has changed is read once it is the same in two of them: editors write in
    /// several steps.
    private static let interval = ClockTime.second / 5
    private static let largest = 1 << 20

    /// Returns what was read from the file; nil if it was not read yet.
    func text(of path: Assigned<String>) -> ChainText? { watch.withLock { $0.path == path ? $0.text : nil } }

    /// Returns true if it is time for `look`.
    func isDue(_ path: Assigned<String>) -> Bool {
        watch.withLock { watch in
            let now = ClockTime.now
            guard watch.asked != path || now >= watch.lastLook + Self.interval else { return false }
            (watch.asked, watch.lastLook) = (path, now)
            return true
        }
    }

    /// Reads the file if it is new or has changed.
    /// - Returns: nil if it has not.
    func look(_ path: Assigned<String>) throws(ElementError) -> ChainText? {
        guard let name = path.value else { return nil }
        let stamp = FileStamp(name)
        let isDue = watch.withLock { watch in
            guard watch.path == path else {
                watch = Watch(path: path, asked: path, read: stamp, seen: stamp, lastLook: .now)
                return true
            }
            defer { watch.seen = stamp }
            // While an editor replaces it, there may be none.
            guard let stamp, stamp != watch.read, stamp == watch.seen else { return false }
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

    /// Forgets the file, so that the next look reads it.
    func close() { watch.withLock { $0 = Watch() } }
}

extension ElementError {
    /// - Parameter place: the source of the chain's text, with the place of the error.
    init(_ error: FilterChainError, in place: String) {
        let reason: Reason =
            switch error.cause {
            case .text: .settings
            case .missingFile: .notFound
            case .unreadableFile: .openRead
            case .content: .decode
            }
        self.init(reason, "\(place): \(error.message)")
    }
}
