// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc

/// Applies the limits of disk space and age to the folder of clips. The store deletes a file only if svevents has
/// written it: the path matches the property `location`, the file is in the index (`indexName`), and the file has not
/// changed since svevents wrote it. In doubt, the store keeps a file.
///
/// Only one thread may use a store.
final class ClipStore: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because its data is mutable. Only the jobs of one worker use a store.

    /// A file in the index of files that svevents has written.
    private struct Entry: Equatable {
        /// The path, relative to the folder.
        let file: String
        let stamp: Stamp
    }

    /// Identifies a file and its state. The stamp does not contain the device number, which can change when the
    /// computer restarts.
    private struct Stamp: Equatable {
        let number, size, modified: Int64

        init?(_ status: stat) {
            guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1, status.st_uid == geteuid(),
                let number = Int64(exactly: status.st_ino)
            else { return nil }
            (self.number, size) = (number, Int64(status.st_size))
            modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        }

        init?(_ json: JSONValue) {
            guard let number = json["inode"]?.integer, let size = json["size"]?.integer,
                let modified = json["modified"]?.integer
            else { return nil }
            (self.number, self.size, self.modified) = (Int64(number), Int64(size), Int64(modified))
        }
    }

    struct Limits: Sendable, Equatable {
        /// The maximum size of all clips, in bytes (0 = unlimited).
        var bytes: UInt64 = 0
        /// The maximum age of a clip (zero = unlimited).
        var age = ClockTime.zero

        var areSet: Bool { bytes > 0 || age > .zero }
    }

    /// The result of `add`.
    struct Outcome {
        /// The paths of the deleted files.
        var deleted: [String] = []
        /// The last problem with a file, or the reason why the store keeps all files.
        var problem: ElementError?
    }

    private let name: ClipName
    private let limits: Limits
    /// The descriptor of the folder, which also holds a lock. -1 if the store must not delete files.
    private var folder: Int32 = -1
    private var entries: [Entry] = []

    static let indexName = ".svevents-index.json"
    private static let maxIndex = 64 << 20

    private var indexPath: String { "\(name.folder)/\(Self.indexName)" }

    init(_ name: ClipName, _ limits: Limits) { (self.name, self.limits) = (name, limits) }

    deinit { if folder >= 0 { close(folder) } }

    /// Locks the folder, and reads the index.
    /// - Throws: `ElementError` with the reason why the store keeps all files.
    private func open() throws(ElementError) {
        if folder >= 0, !isCurrent {
            close(folder)
            (folder, entries) = (-1, [])
        }
        guard folder < 0 else { return }
        func failure(_ reason: String) -> ElementError {
            ElementError(.openRead, "max-disk-space and max-age have no effect: \(reason)")
        }
        let descriptor = Glibc.open(name.folder.systemPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot open the folder \"\(name.folder)\"") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw failure("another svevents uses the folder \"\(name.folder)\". Use a separate folder.")
        }
        do throws(ElementError) {
            entries = try readIndex(failure)
            folder = descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// False if another folder has replaced the open folder.
    private var isCurrent: Bool {
        var (status, new) = (stat(), stat())
        return fstat(folder, &status) == 0 && stat(name.folder.systemPath, &new) == 0
            && status.st_dev == new.st_dev && status.st_ino == new.st_ino
    }

    private func readIndex(_ failure: (String) -> ElementError) throws(ElementError) -> [Entry] {
        guard access(indexPath.systemPath, F_OK) == 0 else { return [] }
        let bytes: [UInt8]
        do throws(FileError) { bytes = try Files.readFile(indexPath, atMost: Self.maxIndex) } catch {
            throw failure("cannot read \"\(indexPath)\": \(error)")
        }
        let json = try? JSONValue(reading: bytes, limits: ParsingLimits(depth: 4, values: 2_000_000))
        let items = json?["files"]?.list
        let entries = items?.compactMap { item -> Entry? in
            guard let file = item["file"]?.text, let stamp = Stamp(item) else { return nil }
            return Entry(file: file, stamp: stamp)
        }
        guard let entries, entries.count == items?.count else {
            throw failure(
                "the index \"\(indexPath)\" is malformed. Delete the index. svevents then never deletes the old clips.")
        }
        return entries
    }

    /// Adds files to the index, and then deletes the oldest files until the limits are met.
    /// - Parameter paths: the paths of the new files, which begin with the folder of the pattern.
    func add(_ paths: [String], now: timespec? = nil) -> Outcome {
        guard limits.areSet else { return Outcome() }
        do throws(ElementError) { try open() } catch { return Outcome(problem: error) }
        for path in paths {
            let prefix = "\(name.folder)/"
            guard path.hasPrefix(prefix) else { continue }
            let file = String(path.dropFirst(prefix.count))
            if name.matches(file), case .found(let status) = status(of: file), let stamp = Stamp(status) {
                entries.removeAll { $0.file == file }
                entries.append(Entry(file: file, stamp: stamp))
            }
        }
        var outcome = Outcome()
        let candidates = checkEntries(&outcome)
        enforce(on: candidates, now ?? Self.currentTime(), &outcome)
        do throws(ElementError) { try writeIndex() } catch { outcome.problem = error }
        return outcome
    }

    /// Removes the entries of files that no longer exist or that have changed.
    /// - Returns: the entries that the store may delete.
    private func checkEntries(_ outcome: inout Outcome) -> [Entry] {
        var candidates: [Entry] = []
        entries.removeAll { entry in
            switch status(of: entry.file) {
            case .gone: return true
            case .unknown(let code):
                outcome.problem = ElementError(
                    .openRead,
                    "cannot check \"\(name.folder)/\(entry.file)\", so svevents does not delete the file: "
                        + String(cString: strerror(code)))
                return false
            case .found(let status):
                guard Stamp(status) == entry.stamp else {
                    outcome.problem = ElementError(
                        .unsuitable,
                        "the file \"\(name.folder)/\(entry.file)\" has changed, so svevents does not delete the file")
                    return true
                }
                // Files whose names match only an earlier value of `location` stay in the index, but are never deleted.
                if name.matches(entry.file) { candidates.append(entry) }
                return false
            }
        }
        return candidates
    }

    private func enforce(on candidates: [Entry], _ now: timespec, _ outcome: inout Outcome) {
        let nanoseconds = Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
        var total = candidates.reduce(UInt64(0)) { $0 &+ UInt64(clamping: $1.stamp.size) }
        for entry in candidates.sorted(by: { $0.stamp.modified < $1.stamp.modified }) {
            let age = UInt64(clamping: nanoseconds.subtractingReportingOverflow(entry.stamp.modified).partialValue)
            let isOld = limits.age > .zero && age > limits.age.nanoseconds
            guard isOld || limits.bytes > 0 && total > limits.bytes else { continue }
            if delete(entry) {
                outcome.deleted.append("\(name.folder)/\(entry.file)")
                entries.removeAll { $0 == entry }
                total -= min(total, UInt64(clamping: entry.stamp.size))
            } else {
                outcome.problem = ElementError(.write, "cannot delete \"\(name.folder)/\(entry.file)\"")
            }
        }
    }

    // MARK: - Files

    private enum Status {
        case found(stat)
        case gone
        /// Any other error, with its `errno`. The file may still exist.
        case unknown(Int32)

        init(error code: Int32) { self = code == ENOENT || code == ENOTDIR ? .gone : .unknown(code) }
    }

    /// Opens the folder of a file without following links, and calls `body` with the descriptor and the name of the
    /// file. Returns nil and sets `errno` if the folder cannot be opened.
    private func withFolder<Result>(of file: String, _ body: (Int32, String) -> Result) -> Result? {
        var parts = file.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        guard let last = parts.popLast(), !last.isEmpty, !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
            errno = EINVAL
            return nil
        }
        var descriptor = fcntl(folder, F_DUPFD_CLOEXEC, 0)
        for part in parts where descriptor >= 0 {
            let next = openat(descriptor, part.systemPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            let code = errno
            close(descriptor)
            (descriptor, errno) = (next, code)
        }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return body(descriptor, last)
    }

    private func status(of file: String) -> Status {
        withFolder(of: file) { descriptor, name in
            var status = stat()
            return fstatat(descriptor, name.systemPath, &status, AT_SYMLINK_NOFOLLOW) == 0
                ? .found(status) : Status(error: errno)
        } ?? Status(error: errno)
    }

    /// Deletes a file if it has not changed.
    private func delete(_ entry: Entry) -> Bool {
        withFolder(of: entry.file) { descriptor, name in
            var status = stat()
            guard fstatat(descriptor, name.systemPath, &status, AT_SYMLINK_NOFOLLOW) == 0, Stamp(status) == entry.stamp
            else { return false }
            return unlinkat(descriptor, name.systemPath, 0) == 0
        } ?? false
    }

    private func writeIndex() throws(ElementError) {
        let files = entries.map { entry in
            JSONValue.table([
                ("file", .text(entry.file)), ("inode", .whole(entry.stamp.number)),
                ("size", .whole(entry.stamp.size)), ("modified", .whole(entry.stamp.modified)),
            ])
        }
        let text = JSONValue.table([("version", .whole(1)), ("files", .list(files))]).line
        do throws(FileError) {
            try replaceFile(indexPath, with: Array(text.utf8), followsLinks: false)
        } catch {
            throw ElementError(error, writing: indexPath)
        }
    }

    private static func currentTime() -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time
    }
}
