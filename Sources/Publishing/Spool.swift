// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc

/// A file that keeps the queued messages if the process ends, even if SIGKILL ends the process. Only one thread of one
/// process may use the file.
///
/// The file is a sequence of entries with checksums. An entry is a message, or a number up to which all messages are
/// done. A message is done if the receiver has acknowledged or refused it, or if the queue has dropped it.
///
/// When the spool opens the file, the spool truncates an incomplete last entry and skips damaged entries. If entries
/// are damaged, the spool keeps a copy of the file. If all messages are done, the spool empties the file. If most of
/// the file is out of date, the spool writes a new file beside the old file and renames the new file. The spool does
/// not call fsync, so a power failure may lose the messages of the last seconds.
final class Spool {
    private let path: String
    private var file: Int32
    private var size: off_t = 0
    /// When all messages up to this number are done, the spool checks again whether to rewrite the file. The time of a
    /// check is proportional to the number of messages, so frequent checks would be slow.
    private var nextLook: UInt64 = 0
    /// The number of the last message in the file.
    private(set) var last: UInt64 = 0
    private var doneThrough: UInt64 = 0
    /// True after a write has failed. Messages are then missing in the file until `rewrite` succeeds.
    private(set) var isBroken = false

    /// The damage that the spool found when it opened the file; nil after `takeDamage` has returned the damage.
    private var damage: SpoolDamage?
    /// True if the file is damaged, so `rewrite` must keep a copy of the damaged file.
    private var isCopyNeeded = false

    /// The minimum number of out-of-date bytes for which the spool rewrites the file (4 MB).
    private static let waste: off_t = 1 << 22

    /// Opens or creates the spool file, and locks the file.
    init(_ path: String) throws(LinkFailure) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw LinkFailure("queue-file=\(path): not a file name. Use another path.")
        }
        self.path = path
        file = try Self.openLocked(path)
    }

    deinit {
        // Unlock the file explicitly, because closing the file may not release the lock. A child process that is just
        // starting keeps the file open until exec(2).
        flock(file, LOCK_UN)
        close(file)
    }

    private static func openLocked(_ path: String) throws(LinkFailure) -> Int32 {
        while true {
            // Check the type of the file before opening, because opening some devices has side effects.
            var (opened, named) = (stat(), stat())
            if lstat(path.systemPath, &named) == 0 { try checkKind(path, named) }
            let file = open(path.systemPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
            guard file >= 0 else {
                throw LinkFailure("cannot open \"\(path)\": \(String(cString: strerror(errno)))")
            }
            do throws(LinkFailure) {
                guard fstat(file, &opened) == 0 else {
                    throw LinkFailure("cannot read \"\(path)\": \(String(cString: strerror(errno)))")
                }
                try checkKind(path, opened)
                guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                    throw LinkFailure(
                        "cannot use \"\(path)\": another element or program uses this file. Set a different "
                            + "queue-file for each element."
                    )
                }
            } catch {
                close(file)
                throw error
            }
            // Between opening and locking, another process may have replaced the file at this path. In this case, open
            // the new file.
            if lstat(path.systemPath, &named) == 0, named.st_ino == opened.st_ino, named.st_dev == opened.st_dev {
                return file
            }
            close(file)
        }
    }

    private static func checkKind(_ path: String, _ status: stat) throws(LinkFailure) {
        let what =
            switch status.st_mode & S_IFMT {
            case S_IFREG: String?.none
            case S_IFDIR: "it is a folder"
            case S_IFLNK: "the path is a link. Set queue-file to the path of the linked file."
            default: "not a regular file"
            }
        if let what { throw LinkFailure("cannot use \"\(path)\": \(what)") }
    }

    /// Throws if one of the paths is the spool file.
    /// - Parameter paths: the other output files of svpublish.
    func checkOthers(_ paths: [String?]) throws(LinkFailure) {
        var (opened, named) = (stat(), stat())
        guard fstat(file, &opened) == 0 else { return }
        for path in paths {
            guard let path, stat(path.systemPath, &named) == 0, named.st_ino == opened.st_ino,
                named.st_dev == opened.st_dev
            else { continue }
            throw LinkFailure("cannot use \"\(path)\": queue-file also uses this file. Use different files.")
        }
    }

    // MARK: - Reading

    /// Returns, in order, the messages that were not acknowledged, refused or dropped. Truncates an incomplete last
    /// entry. If the file is damaged, sets `isBroken`. A damaged file does not change until `rewrite`.
    /// - Throws: an error if the file is not a spool file. The file then does not change.
    func restore() throws(LinkFailure) -> [Record] {
        var reader = SpoolReader(file)
        guard let content = reader.read() else {
            throw LinkFailure(
                "cannot use \"\(path)\": not a queue file. Set queue-file to another path, or move the file."
            )
        }
        size = content.end
        if content.damaged > 0 || content.isCutOff {
            damage = SpoolDamage(path: path, damaged: content.damaged, isCutOff: content.isCutOff)
        }
        // If no messages remain, the message numbers start again at 1.
        if !content.records.isEmpty { (last, doneThrough) = (content.last, content.doneThrough) }
        if content.hasToBeRewritten {
            (isBroken, isCopyNeeded) = (true, content.damaged > 0)
        } else if content.records.isEmpty {
            ftruncate(file, 0)
            size = 0
        } else if content.isCutOff {
            ftruncate(file, size)
        }
        return content.records
    }

    /// Returns the damage that the spool found when it opened the file. Returns nil in later calls, and nil while
    /// `isBroken` is true.
    func takeDamage() -> SpoolDamage? { isBroken ? nil : damage.take() }

    // MARK: - Writing

    /// Appends messages. If writing fails, sets `isBroken` and throws an error. Later calls then do nothing until
    /// `rewrite` succeeds.
    func append(_ records: [Record]) throws(LinkFailure) {
        guard !isBroken, !records.isEmpty else { return }
        for record in records {
            try append(SpoolEntry.bytes(.message, record.number, record.payload))
            last = record.number
        }
    }

    /// Stores in the file that all messages up to `number` are done (acknowledged, refused or dropped).
    func setDone(through number: UInt64, _ all: () -> [Record]) throws(LinkFailure) {
        guard number > doneThrough else { return }
        doneThrough = number
        guard !isBroken, size > 0 else { return }
        if number >= last {
            guard ftruncate(file, 0) == 0 else { throw broken() }
            (size, nextLook) = (0, 0)
        } else {
            try append(SpoolEntry.bytes(.done, number, []))
            if size > Self.waste, number >= nextLook { shrink(all()) }
        }
    }

    /// Rewrites the file if most of its bytes are out of date. If rewriting fails, the old file stays in use.
    private func shrink(_ left: [Record]) {
        nextLook = doneThrough &+ UInt64(max(256, left.count / 4))
        let live = off_t(left.reduce(0) { $0 + SpoolEntry.headSize + $1.payload.count })
        guard size - live > max(Self.waste, live) else { return }
        do throws(LinkFailure) { try rewrite(left) } catch {}
    }

    private func append(_ bytes: [UInt8]) throws(LinkFailure) {
        guard Self.write(bytes, to: file, at: size) else {
            let failure = broken()
            // Remove the incomplete entry.
            ftruncate(file, size)
            throw failure
        }
        size += off_t(bytes.count)
    }

    private func broken() -> LinkFailure {
        let reason = String(cString: strerror(errno))
        isBroken = true
        return LinkFailure("cannot write \"\(path)\": \(reason)")
    }

    private static func write(_ bytes: [UInt8], to file: Int32, at offset: off_t) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                pwrite(file, bytes.baseAddress.map { $0 + done }, bytes.count - done, offset + off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            if count == 0 { errno = ENOSPC }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// Replaces the file by a new file that contains only `records`. If writing fails, the old file stays in use.
    func rewrite(_ records: [Record]) throws(LinkFailure) {
        do throws(FileError) { try replace(with: records) } catch {
            throw LinkFailure("cannot write \"\(path)\": \(error)")
        }
        last = max(last, records.last?.number ?? 0)
    }

    private func replace(with records: [Record]) throws(FileError) {
        var status = stat()
        fstat(file, &status)
        let new = try TemporaryFile(beside: path, mode: status.st_mode & 0o777)
        var end = off_t(0)
        var target: Int32 = -1
        do throws(FileError) {
            for record in records {
                let bytes = SpoolEntry.bytes(.message, record.number, record.payload)
                try new.fill(with: bytes)
                end += off_t(bytes.count)
            }
            target = fcntl(new.file, F_DUPFD_CLOEXEC, 0)
            guard target >= 0, flock(target, LOCK_EX | LOCK_NB) == 0 else { throw FileError(.failed) }
            if isCopyNeeded { try keepCopy() }
            guard rename(new.path.systemPath, path.systemPath) == 0 else { throw FileError(.failed) }
        } catch {
            unlink(new.path.systemPath)
            if target >= 0 { close(target) }
            throw error
        }
        close(file)
        (file, size, isBroken, isCopyNeeded) = (target, end, false, false)
    }

    /// Keeps the damaged file as a copy with the path `PATH.damaged`.
    private func keepCopy() throws(FileError) {
        for number in 1...100 {
            let copy = path + ".damaged" + (number == 1 ? "" : "-\(number)")
            if link(path.systemPath, copy.systemPath) == 0 {
                damage?.copy = copy
                return
            }
            if errno == EEXIST { continue }
            // If the file system does not support hard links, rename the file instead.
            var status = stat()
            if lstat(copy.systemPath, &status) == 0 { continue }
            guard rename(path.systemPath, copy.systemPath) == 0 else { throw FileError(.failed) }
            damage?.copy = copy
            return
        }
        throw FileError(.failed, errno: EEXIST)
    }
}

/// The damage that the spool found in its file.
package struct SpoolDamage: Sendable, Equatable {
    package let path: String
    /// The number of damaged entries.
    package let damaged: Int
    /// True if the last entry was incomplete.
    package let isCutOff: Bool
    /// The path of the copy of the damaged file; nil if only the last entry was incomplete.
    package internal(set) var copy: String?

    package init(path: String, damaged: Int, isCutOff: Bool, copy: String? = nil) {
        (self.path, self.damaged, self.isCutOff, self.copy) = (path, damaged, isCutOff, copy)
    }

    /// The number of lost entries.
    package var count: Int { damaged + (isCutOff ? 1 : 0) }
}
