// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc

/// A file that keeps the messages of a queue beyond the end of the process, even by SIGKILL. For one thread of one process.
///
/// The file is a sequence of entries, each with a checksum: messages, and marks up to which number all are done. A last
/// entry that was not written in full is cut off when the file is opened; damaged entries are skipped, and a copy of the
/// file is kept. When all are done, the file becomes empty; when most of it is out of date, it is rewritten beside it,
/// and renamed. Nothing is forced onto the disk: a power failure may take the last seconds.
final class Spool {
    private let path: String
    private var file: Int32
    private var size: off_t = 0
    /// The number up to which messages have to be done before it is worth looking again whether the file is to be
    /// written anew: a look costs as much as there are messages.
    private var nextLook: UInt64 = 0
    /// The number of the last message in the file.
    private(set) var last: UInt64 = 0
    private var doneThrough: UInt64 = 0
    /// True after an entry could not be written: the file misses messages until it is written anew.
    private(set) var isBroken = false

    /// What was wrong with the file when it was opened, until that is reported.
    private var damage: SpoolDamage?
    /// True while the file is damaged, and has to be kept when another one takes its place.
    private var isCopyNeeded = false

    /// Bytes out of date that are worth writing the file anew.
    private static let waste: off_t = 1 << 22

    /// Opens the file, or creates it, and reads what is left in it.
    init(_ path: String) throws(LinkFailure) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw LinkFailure("queue-file=\(path): not a file name. Use another path.")
        }
        self.path = path
        file = try Self.openLocked(path)
    }

    deinit {
        // Not by close(2) alone: where the process is starting a child just now, the child has the file too until its
        // exec(2), and with it the lock.
        flock(file, LOCK_UN)
        close(file)
    }

    private static func openLocked(_ path: String) throws(LinkFailure) -> Int32 {
        while true {
            // Nothing else is even opened: that alone makes some devices act.
            var (own, named) = (stat(), stat())
            if lstat(path.systemPath, &named) == 0 { try checkKind(path, named) }
            let file = open(path.systemPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
            guard file >= 0 else {
                throw LinkFailure("cannot open \"\(path)\": \(String(cString: strerror(errno)))")
            }
            do throws(LinkFailure) {
                guard fstat(file, &own) == 0 else {
                    throw LinkFailure("cannot read \"\(path)\": \(String(cString: strerror(errno)))")
                }
                try checkKind(path, own)
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
            // Another process may have renamed a new one here in the meantime.
            if lstat(path.systemPath, &named) == 0, named.st_ino == own.st_ino, named.st_dev == own.st_dev {
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
            case S_IFLNK: "it is a link. Set queue-file to the path of the linked file."
            default: "not a regular file"
            }
        if let what { throw LinkFailure("cannot use \"\(path)\": \(what)") }
    }

    /// Makes sure that nothing else writes to the file.
    /// - Parameter paths: the other files of the element.
    func checkOthers(_ paths: [String?]) throws(LinkFailure) {
        var (own, other) = (stat(), stat())
        guard fstat(file, &own) == 0 else { return }
        for path in paths {
            guard let path, stat(path.systemPath, &other) == 0, other.st_ino == own.st_ino, other.st_dev == own.st_dev
            else { continue }
            throw LinkFailure("cannot use \"\(path)\": queue-file is the same file. Use different files.")
        }
    }

    // MARK: - Reading

    /// Returns the messages that are not done, in order, and cuts off a last entry that is not whole. A damaged file is
    /// `isBroken`: it stays as it is until it is `rewrite`n.
    /// - Throws: if the file holds something else. It stays as it is.
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
        // If nothing is left, numbers restart.
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

    /// Returns what was wrong with the file, once, as soon as the file is whole again.
    func takeDamage() -> SpoolDamage? { isBroken ? nil : damage.take() }

    // MARK: - Writing

    /// Appends messages. What is wrong is thrown once; the file then misses messages until it is `rewrite`n.
    func append(_ records: [Record]) throws(LinkFailure) {
        guard !isBroken, !records.isEmpty else { return }
        for record in records {
            try append(SpoolEntry.bytes(.message, record.number, record.payload))
            last = record.number
        }
    }

    /// Notes up to which number all messages are done.
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

    /// Writes the file anew if most of it is out of date. If that fails, it goes on as it is.
    private func shrink(_ left: [Record]) {
        nextLook = doneThrough &+ UInt64(max(256, left.count / 4))
        let live = off_t(left.reduce(0) { $0 + SpoolEntry.headSize + $1.payload.count })
        guard size - live > max(Self.waste, live) else { return }
        do throws(LinkFailure) { try rewrite(left) } catch {}
    }

    private func append(_ bytes: [UInt8]) throws(LinkFailure) {
        guard Self.write(bytes, to: file, at: size) else {
            let failure = broken()
            // What was written of it is no entry.
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

    private static func write(_ bytes: [UInt8], to file: Int32, at place: off_t) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                pwrite(file, bytes.baseAddress.map { $0 + done }, bytes.count - done, place + off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            if count == 0 { errno = ENOSPC }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// Writes the file anew, with these messages alone. The old one stays if that fails.
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

    /// Gives the damaged file another name, too.
    private func keepCopy() throws(FileError) {
        for number in 1...100 {
            let copy = path + ".damaged" + (number == 1 ? "" : "-\(number)")
            if link(path.systemPath, copy.systemPath) == 0 {
                damage?.copy = copy
                return
            }
            if errno == EEXIST { continue }
            // File systems without links.
            var status = stat()
            if lstat(copy.systemPath, &status) == 0 { continue }
            guard rename(path.systemPath, copy.systemPath) == 0 else { throw FileError(.failed) }
            damage?.copy = copy
            return
        }
        throw FileError(.failed, errno: EEXIST)
    }
}

/// What was wrong with a spool's file.
package struct SpoolDamage: Sendable, Equatable {
    package let path: String
    /// The number of damaged entries.
    package let damaged: Int
    /// True if the last entry was not written to its end.
    package let isCutOff: Bool
    /// Where the damaged file is kept. A file of which only the last entry was cut off is not.
    package internal(set) var copy: String?

    package init(path: String, damaged: Int, isCutOff: Bool, copy: String? = nil) {
        (self.path, self.damaged, self.isCutOff, self.copy) = (path, damaged, isCutOff, copy)
    }

    /// The number of entries that are lost.
    package var count: Int { damaged + (isCutOff ? 1 : 0) }
}
