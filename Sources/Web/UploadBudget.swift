// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc
import Synchronization

/// Limits the space for uploads while a server runs. An unfinished upload counts with the size that the client has
/// announced, or with its current size if this is larger. A complete upload counts with the size of the file until the
/// file is deleted.
final class UploadBudget: Sendable {
    private struct Stored: Sendable {
        let id: Int
        let path: String
        /// `device` and `inode` identify the file. The path is not sufficient, because a new file may have the path of
        /// a deleted file.
        let device: dev_t
        let inode: ino_t
        let bytes: Int
        let modified: timespec

        func isUnchanged(_ status: stat) -> Bool {
            let (now, size) = (status.st_mtim, Int(status.st_size))
            guard status.st_dev == device, status.st_ino == inode, size == bytes else { return false }
            return now.tv_sec == modified.tv_sec && now.tv_nsec == modified.tv_nsec
        }

        var isThere: Bool {
            var status = stat()
            guard lstat(path.systemPath, &status) == 0 else { return false }
            return status.st_dev == device && status.st_ino == inode
        }
    }

    private struct State: Sendable {
        /// `reserved`: the number of reserved bytes. `running`: the number of unfinished uploads.
        var reserved = 0
        var running = 0
        /// `stored`: the complete uploads. `bytes`: the total size of the complete uploads.
        var stored: [Stored] = []
        var bytes = 0
        var lastID = 0
    }

    private let limits: WebLimits
    private let state = Mutex(State())

    init(_ limits: WebLimits) { self.limits = limits }

    /// Reserves bytes for an upload. If there is not enough space, first releases the space of deleted files.
    /// - Parameter isNew: true for the first reservation of an upload.
    /// - Returns: false if there is not enough space, or a new upload would exceed the maximum number of uploads.
    fileprivate func reserve(_ bytes: Int, isNew: Bool) -> Bool {
        func take() -> Bool {
            state.withLock { state in
                guard bytes <= limits.uploads - state.bytes - state.reserved,
                    !isNew || state.stored.count + state.running < limits.uploadCount
                else { return false }
                state.reserved += bytes
                if isNew { state.running += 1 }
                return true
            }
        }
        if take() { return true }
        let gone = Set(state.withLock { $0.stored }.filter { !$0.isThere }.map(\.id))
        guard !gone.isEmpty else { return false }
        state.withLock { state in
            state.stored.removeAll { gone.contains($0.id) }
            state.bytes = state.stored.reduce(0) { $0 + $1.bytes }
        }
        return take()
    }

    fileprivate func release(_ bytes: Int) {
        state.withLock { state in
            state.reserved -= bytes
            state.running -= 1
        }
    }

    /// Returns true if a client has uploaded the file while this server runs, and no other program has changed or
    /// replaced the file.
    func hasStored(_ path: String, _ status: stat) -> Bool {
        state.withLock { $0.stored }.contains { $0.path == path && $0.isUnchanged(status) }
    }

    /// Replaces the reservation of an unfinished upload by the size of the complete file.
    fileprivate func store(_ path: String, _ status: stat, reserved: Int) {
        state.withLock { state in
            state.reserved -= reserved
            state.running -= 1
            state.lastID += 1
            let stored = Stored(
                id: state.lastID, path: path, device: status.st_dev, inode: status.st_ino, bytes: Int(status.st_size),
                modified: status.st_mtim)
            state.stored.append(stored)
            state.bytes += stored.bytes
        }
    }
}

/// Reserved space for an upload. If the upload does not become complete, the deinitializer releases the space.
final class UploadReservation {
    private let budget: UploadBudget
    private var bytes: Int
    private var isStored = false

    /// Returns nil if there is not enough space.
    init?(_ bytes: Int, in budget: UploadBudget) {
        guard budget.reserve(bytes, isNew: true) else { return nil }
        (self.budget, self.bytes) = (budget, bytes)
    }

    deinit {
        if !isStored { budget.release(bytes) }
    }

    /// Increases the reservation to at least `total` bytes. Returns false if there is not enough space.
    func grow(to total: Int) -> Bool {
        guard total > bytes else { return true }
        guard budget.reserve(total - bytes, isNew: false) else { return false }
        bytes = total
        return true
    }

    /// Marks the upload as complete. The space of the upload stays reserved until the file is deleted.
    func store(_ path: String, _ status: stat) {
        budget.store(path, status, reserved: bytes)
        isStored = true
    }
}
