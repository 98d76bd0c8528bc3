// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc

/// The limits of the folder of clips. The store deletes only files that this element has written: the name matches the
/// pattern, the file is in the index, and the file has not changed since. In doubt, the store keeps a file.
///
/// Only one thread may use a store.
final class ClipStore: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because its data is mutable. Only the jobs of the element's worker use a
    // store.

    /// A file in the index.
    private struct Entry: Equatable {
        /// The path, relative to the folder.
        let file: String
        let stamp: Stamp
    }

    /// The identity of a file.
    private struct Stamp: Equatable {
        let device, number, size, modified: Int64

        init?(_ status: stat) {
            guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1, status.st_uid == geteuid(),
                let device = Int64(exactly: status.st_dev), let number = Int64(exactly: status.st_ino)
            else { return nil }
            (self.device, self.number, size) = (device, number, Int64(status.st_size))
            modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        }

        init?(_ json: JSONValue) {
            guard let device = json["device"]?.integer, let number = json["inode"]?.integer,
                let size = json["size"]?.integer, let modified = json["modified"]?.integer
            else { return nil }
            (self.device, self.number, self.size, self.modified) = (
                Int64(device), Int64(number), Int64(size), Int64(modified)
            )
        }
    }

    struct Limits: Sendable, Equatable {
        /// The maximum size of all clips, in bytes (0 = unlimited).
        var bytes: UInt64 = 0
        /// The maximum age of a clip (zero = unlimited).
        var age = ClockTime.zero

        var areSet: Bool { bytes > 0 || age > .zero }
    }

    private let name: ClipName
    private let limits: Limits
    /// The descriptor of the folder, which also holds a lock. -1 if the store must not delete files.
    private var folder: Int32 = -1
    private var entries: [Entry] = []

    static let indexName = ".svevents-index.json"
    private static let maxIndex = 64 << 20

    private var indexPath: String { "\(name.folder)/\(Self.indexName)" }

    /// - Throws: `ElementError` if the limits have no effect. The store then keeps all files.
    init(_ name: ClipName, _ limits: Limits) { (self.name, self.limits) = (name, limits) }

    deinit { if folder >= 0 { close(folder) } }

    /// Locks the folder, and reads the index.
    /// - Throws: `ElementError` with the reason why the store keeps all files.
    func open() throws(ElementError) {
        guard limits.areSet, folder < 0 else { return }
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
            throw failure("the index \"\(indexPath)\" is malformed. Delete the index to keep all old clips.")
        }
        return entries
    }

    /// Adds files to the index, and then deletes the oldest files until the limits are met.
    /// - Parameter paths: the paths of the new files, which begin with the folder of the pattern.
    /// - Returns: the paths of the deleted files.
    /// - Throws: `ElementError` for files that the store keeps.
    func add(_ paths: [String], now: timespec? = nil) throws(ElementError) -> [String] {
        guard folder >= 0 else { return [] }
        for path in paths {
            let prefix = "\(name.folder)/"
            guard path.hasPrefix(prefix) else { continue }
            let file = String(path.dropFirst(prefix.count))
            if name.matches(file), let status = status(of: file), let stamp = Stamp(status) {
                entries.append(Entry(file: file, stamp: stamp))
            }
        }
        var problem: ElementError?
        let deleted = enforce(now ?? Self.currentTime(), &problem)
        try writeIndex()
        if let problem { throw problem }
        return deleted
    }

    private func enforce(_ now: timespec, _ problem: inout ElementError?) -> [String] {
        // An entry is valid only if its file still exists unchanged.
        var changed: [String] = []
        entries.removeAll { entry in
            guard let status = status(of: entry.file) else { return true }
            guard Stamp(status) == entry.stamp, name.matches(entry.file) else {
                changed.append(entry.file)
                return true
            }
            return false
        }
        if let file = changed.first {
            problem = ElementError(
                .unsuitable, "kept \"\(name.folder)/\(file)\": the file has changed, so svevents does not delete it")
        }
        let nanoseconds = Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
        var total = entries.reduce(UInt64(0)) { $0 &+ UInt64(clamping: $1.stamp.size) }
        var deleted: [String] = []
        for entry in entries.sorted(by: { $0.stamp.modified < $1.stamp.modified }) {
            let age = UInt64(clamping: nanoseconds.subtractingReportingOverflow(entry.stamp.modified).partialValue)
            let isOld = limits.age > .zero && age > limits.age.nanoseconds
            guard isOld || limits.bytes > 0 && total > limits.bytes else { continue }
            if delete(entry) {
                deleted.append("\(name.folder)/\(entry.file)")
                entries.removeAll { $0 == entry }
                total -= min(total, UInt64(clamping: entry.stamp.size))
            } else {
                problem = ElementError(.write, "cannot delete \"\(name.folder)/\(entry.file)\"")
            }
        }
        return deleted
    }

    // MARK: - Files

    /// Opens the folder of a file without following links. The caller closes the descriptor.
    private func openFolder(of file: String) -> (descriptor: Int32, name: String)? {
        var parts = file.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        guard let last = parts.popLast(), !last.isEmpty, !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
            return nil
        }
        var descriptor = dup(folder)
        for part in parts where descriptor >= 0 {
            let next = openat(descriptor, part.systemPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            close(descriptor)
            descriptor = next
        }
        return descriptor >= 0 ? (descriptor, last) : nil
    }

    private func status(of file: String) -> stat? {
        guard let place = openFolder(of: file) else { return nil }
        defer { close(place.descriptor) }
        var status = stat()
        return fstatat(place.descriptor, place.name.systemPath, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// Deletes a file if it has not changed.
    private func delete(_ entry: Entry) -> Bool {
        guard let place = openFolder(of: entry.file) else { return false }
        defer { close(place.descriptor) }
        var status = stat()
        guard fstatat(place.descriptor, place.name.systemPath, &status, AT_SYMLINK_NOFOLLOW) == 0,
            Stamp(status) == entry.stamp
        else { return false }
        return unlinkat(place.descriptor, place.name.systemPath, 0) == 0
    }

    private func writeIndex() throws(ElementError) {
        let files = entries.map { entry in
            JSONValue.table([
                ("file", .text(entry.file)), ("device", .whole(entry.stamp.device)),
                ("inode", .whole(entry.stamp.number)), ("size", .whole(entry.stamp.size)),
                ("modified", .whole(entry.stamp.modified)),
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
