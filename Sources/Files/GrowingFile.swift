// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// New bytes that overwrite a range of a file.
package struct FileChange: Sendable {
    package let offset: Int
    package let bytes: [UInt8]

    package init(offset: Int, bytes: [UInt8]) { (self.offset, self.bytes) = (offset, bytes) }

    package var end: Int { offset + bytes.count }
}

/// A new file to which bytes are appended. The first call of `append` creates the file. Only the owner of the file can
/// read it. Only one thread may use an instance.
package struct GrowingFile: ~Copyable {
    private let folder: String
    private let stem: String
    private let ending: String
    private var file: Int32 = -1
    /// True if `sync` has written the directory entry of the file to the disk.
    private var isNamed = false
    private var number = 1
    /// True if `reserve` has created the file.
    private var isReserved: Bool
    /// The size of the file, in bytes.
    package private(set) var size = 0

    /// - Parameters:
    ///   - stem: the start of the file name. If the name is already used, a number is added.
    ///   - ending: the file name extension, without the dot.
    package init(in folder: String, _ stem: String, ending: String) {
        (self.folder, self.stem, self.ending, isReserved) = (folder, stem, ending, false)
        while number < Self.maxNames, access(path.systemPath, F_OK) == 0 { number += 1 }
    }

    /// Uses a file that `reserve` has created.
    package init(in folder: String, _ stem: String, ending: String, reserved number: Int) {
        (self.folder, self.stem, self.ending, isReserved) = (folder, stem, ending, true)
        self.number = number
    }

    /// Creates an empty file, so that no other process can use its name.
    /// - Returns: the number in the name of the file, for `init`.
    package static func reserve(in folder: String, _ stem: String, ending: String) throws(FileError) -> Int {
        var file = GrowingFile(in: folder, stem, ending: ending)
        try file.create()
        return file.number
    }

    deinit { if file >= 0 { close(file) } }

    private static let maxNames = 1000

    /// The name of the file. Before the first call of `append`, the name may still change, if another process creates a
    /// file with this name.
    package var name: String { number == 1 ? "\(stem).\(ending)" : "\(stem)-\(number).\(ending)" }

    package var path: String { "\(folder)/\(name)" }

    private mutating func create() throws(FileError) {
        if isReserved {
            file = uninterrupted { open(path.systemPath, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) }
            guard file >= 0 else { throw FileError(.failed) }
            guard isEmpty else {
                close(file)
                file = -1
                throw FileError(.failed, errno: EEXIST)
            }
            return
        }
        while true {
            file = uninterrupted { open(path.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
            if file >= 0 { return }
            guard errno == EEXIST, number < Self.maxNames else { throw FileError(.failed) }
            number += 1
        }
    }

    /// True if the open file is an empty regular file at `path`.
    private var isEmpty: Bool {
        var (status, named) = (stat(), stat())
        return fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
            && status.st_nlink == 1 && lstat(path.systemPath, &named) == 0 && named.st_ino == status.st_ino
            && named.st_dev == status.st_dev
    }

    /// Removes the file that `reserve` has created, if the file is still empty.
    package mutating func removeIfEmpty() {
        guard isReserved, size == 0 else { return }
        if file < 0 {
            do throws(FileError) { try create() } catch { return }
        }
        if isEmpty { unlink(path.systemPath) }
    }

    /// Appends bytes. If this fails, the file may contain some of these bytes.
    package mutating func append(_ bytes: [UInt8]) throws(FileError) {
        if file < 0 { try create() }
        guard lseek(file, off_t(size), SEEK_SET) >= 0 else { throw FileError(.failed) }
        var done = 0
        defer { size += done }
        while done < bytes.count { done += try write(bytes, from: done) }
    }

    /// Overwrites a range of bytes in the file.
    package mutating func apply(_ change: FileChange) throws(FileError) {
        guard file >= 0 else { return }
        guard lseek(file, off_t(change.offset), SEEK_SET) >= 0 else { throw FileError(.failed) }
        var done = 0
        while done < change.bytes.count { done += try write(change.bytes, from: done) }
    }

    private func write(_ bytes: [UInt8], from start: Int) throws(FileError) -> Int {
        let count = bytes.withUnsafeBytes { bytes in
            uninterrupted { Glibc.write(file, bytes.baseAddress.map { $0 + start }, bytes.count - start) }
        }
        guard count > 0 else { throw FileError(.failed, errno: count == 0 ? ENOSPC : errno) }
        return count
    }

    /// Truncates the file to a size in bytes. If the size is 0, removes the file.
    package mutating func cut(to size: Int) {
        guard file >= 0 else { return }
        if size <= 0 {
            unlink(path.systemPath)
            close(file)
            (file, self.size, isReserved) = (-1, 0, false)
        } else if size < self.size, uninterrupted({ ftruncate(file, off_t(size)) }) == 0 {
            self.size = size
        }
    }

    /// Waits until all bytes of the file are on the disk.
    package mutating func sync() throws(FileError) {
        guard file >= 0 else { return }
        guard uninterrupted({ fdatasync(file) }) == 0 else { throw FileError(.failed) }
        guard !isNamed else { return }
        isNamed = true
        let directory = open(folder.systemPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
    }
}
