// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Synchronization

/// A text file that a property names. `poll` reads the file again after each change. Any thread can use a
/// `WatchedText`.
final class WatchedText: Sendable {
    /// The text of a file. Two contents are equal only if they come from the same read.
    struct Content: Sendable, Equatable {
        let text: Assigned<String>
        let path: String
    }

    private struct Watch: Sendable {
        var path = Assigned<String>()
        /// The path for which `isDue` has last returned true.
        var asked = Assigned<String>()
        var content: Content?
        /// `read`: the state of the file at the last read. `lastStamp`: the state of the file at the last check.
        var read: FileStamp?
        var lastStamp: FileStamp?
        var lastCheck = ClockTime.zero
    }

    private let watch = Mutex(Watch())
    private let kind: String
    private let limit: Int

    /// Interval between two checks of the file. Editors write in several steps, so a changed file is read only after
    /// two checks with the same result.
    private static let interval = ClockTime.second / 5

    /// - Parameters:
    ///   - kind: the expected type of the file, for messages: `a filter chain`.
    ///   - limit: the maximum size in bytes. Larger files are rejected.
    init(_ kind: String, atMost limit: Int) { (self.kind, self.limit) = (kind, limit) }

    /// Returns the text of the file at a path; nil if the file was not read yet.
    func content(of path: Assigned<String>) -> Content? { watch.withLock { $0.path == path ? $0.content : nil } }

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
    func poll(_ path: Assigned<String>) throws(ElementError) -> Content? {
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
        let bytes = try readFile(name, as: kind, atMost: limit)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ElementError(.decode, "cannot read \"\(name)\": not UTF-8 text. Save the file as UTF-8.")
        }
        let content = Content(text: Assigned(text), path: name)
        return watch.withLock { watch in
            guard watch.path == path else { return nil }
            watch.content = content
            return content
        }
    }

    /// Discards the text, so that the next call of `poll` reads the file.
    func close() { watch.withLock { $0 = Watch() } }
}
