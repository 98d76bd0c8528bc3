// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc

/// A file that keeps the messages of a queue beyond the end of the process, even by SIGKILL. For one thread of one process.
///
/// The file is a sequence of entries, each with a checksum: messages, and marks up to which number all are done. A last
/// entry that was not written in full is cut off when the file is opened. When all are done, the file becomes empty; when
/// most of it is out of date, it is written anew beside it, and renamed. Nothing is forced onto the disk: a power failure
/// may take the last seconds.
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

    /// An entry: `kind`, `count` of bytes that follow, `number`, checksum; integers of this machine's order.
    private struct Head {
        var kind: Kind
        var count: Int
        var number: UInt64

        static let size = 24
    }

    private enum Kind: UInt32 {
        case message = 0x3151_5653  // SVQ1
        case done = 0x3144_5653  // SVD1
    }

    /// Bytes out of date that are worth writing the file anew.
    private static let waste: off_t = 1 << 22

    /// Opens the file, or creates it, and reads what is left in it.
    init(_ path: String) throws(LinkFailure) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw LinkFailure("\(path): no name of a file") }
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
            let file = open(path.systemPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard file >= 0 else {
                throw LinkFailure("\(path): cannot be opened: \(String(cString: strerror(errno)))")
            }
            var (own, named) = (stat(), stat())
            guard fstat(file, &own) == 0, own.st_mode & S_IFMT == S_IFREG else {
                close(file)
                throw LinkFailure("\(path): this is no regular file")
            }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                close(file)
                throw LinkFailure("\(path): another element uses this file")
            }
            // Another process may have renamed a new one here in the meantime.
            if stat(path.systemPath, &named) == 0, named.st_ino == own.st_ino, named.st_dev == own.st_dev {
                return file
            }
            close(file)
        }
    }

    // MARK: - Reading

    /// Returns the messages that are not done, in order, and cuts off what is no whole entry.
    func restore() -> [Record] {
        var records: [Record] = []
        var end = off_t(0)
        var status = stat()
        let all = fstat(file, &status) == 0 ? status.st_size : 0
        while let head = head(at: end, of: all) {
            let next = end + off_t(Head.size + head.count)
            switch head.kind {
            case .done:
                doneThrough = max(doneThrough, head.number)
                last = max(last, head.number)
            case .message:
                guard let payload = payload(of: head, at: end) else {
                    return finishRestoring(records, end, all)
                }
                records.append(Record(number: head.number, payload: payload))
                last = max(last, head.number)
            }
            end = next
        }
        return finishRestoring(records, end, all)
    }

    private func finishRestoring(_ records: [Record], _ end: off_t, _ all: off_t) -> [Record] {
        if end < all { ftruncate(file, end) }
        size = end
        let left = records.filter { $0.number > doneThrough }
        if left.isEmpty {
            // Numbers begin anew.
            ftruncate(file, 0)
            (size, last, doneThrough) = (0, 0, 0)
        }
        return left
    }

    private func head(at place: off_t, of all: off_t) -> Head? {
        guard place + off_t(Head.size) <= all else { return nil }
        var bytes = [UInt8](repeating: 0, count: Head.size)
        guard pread(file, &bytes, bytes.count, place) == bytes.count else { return nil }
        return bytes.withUnsafeBytes { bytes -> Head? in
            guard let kind = Kind(rawValue: bytes.loadUnaligned(as: UInt32.self)) else { return nil }
            let count = Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
            let number = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            let sum = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
            guard number < UInt64(Int64.max), place + off_t(Head.size + count) <= all else { return nil }
            if kind == .done, count != 0 || sum != Self.checksum(bytes[..<16]) { return nil }
            return Head(kind: kind, count: count, number: number)
        }
    }

    private func payload(of head: Head, at place: off_t) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Head.size + head.count)
        guard pread(file, &bytes, bytes.count, place) == bytes.count else { return nil }
        return bytes.withUnsafeBytes { bytes -> [UInt8]? in
            let sum = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
            let check = Self.checksum(bytes[Head.size...], after: Self.checksum(bytes[..<16]))
            return sum == check ? Array(bytes[Head.size...]) : nil
        }
    }

    /// FNV-1a of 64 bits.
    private static func checksum(_ bytes: Slice<UnsafeRawBufferPointer>, after sum: UInt64 = 0xCBF2_9CE4_8422_2325)
        -> UInt64
    {
        bytes.reduce(sum) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func entry(_ kind: Kind, _ number: UInt64, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Head.size + payload.count)
        withUnsafeBytes(of: kind.rawValue) { bytes += $0 }
        withUnsafeBytes(of: UInt32(clamping: payload.count)) { bytes += $0 }
        withUnsafeBytes(of: number) { bytes += $0 }
        let sum = bytes.withUnsafeBytes { head in
            payload.withUnsafeBytes { checksum($0[...], after: checksum(head[...])) }
        }
        withUnsafeBytes(of: sum) { bytes += $0 }
        bytes += payload
        return bytes
    }

    // MARK: - Writing

    /// Appends messages. What is wrong is thrown once; the file then misses messages until it is `rewrite`n.
    func append(_ records: [Record]) throws(LinkFailure) {
        guard !isBroken, !records.isEmpty else { return }
        for record in records {
            try append(Self.entry(.message, record.number, record.payload))
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
            try append(Self.entry(.done, number, []))
            if size > Self.waste, number >= nextLook { shrink(all()) }
        }
    }

    /// Writes the file anew if most of it is out of date. If that fails, it goes on as it is.
    private func shrink(_ left: [Record]) {
        nextLook = doneThrough &+ UInt64(max(256, left.count / 4))
        let live = off_t(left.reduce(0) { $0 + Head.size + $1.payload.count })
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
        return LinkFailure("\(path): \(reason)")
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
        let new = path + ".new"
        unlink(new.systemPath)
        let target = try Self.openLocked(new)
        var place = off_t(0)
        for record in records {
            let bytes = Self.entry(.message, record.number, record.payload)
            guard Self.write(bytes, to: target, at: place) else {
                let failure = LinkFailure("\(path): \(String(cString: strerror(errno)))")
                unlink(new.systemPath)
                close(target)
                throw failure
            }
            place += off_t(bytes.count)
        }
        guard rename(new.systemPath, path.systemPath) == 0 else {
            let failure = LinkFailure("\(path): \(String(cString: strerror(errno)))")
            unlink(new.systemPath)
            close(target)
            throw failure
        }
        close(file)
        (file, size, isBroken) = (target, place, false)
        last = max(last, records.last?.number ?? 0)
    }
}
