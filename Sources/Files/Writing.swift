// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Creates a file, or replaces a regular file atomically and keeps the mode of the replaced file. The function first
/// writes a temporary file in the same folder, and waits until this file is on the disk. Then it renames the temporary
/// file.
/// - Parameters:
///   - isPrivate: if true, only the owner can read a new file. If false, a new file has the default mode of the
///     process.
///   - followsLinks: if true and the path is a symbolic link, the function replaces the target of the link. Links of
///     other users in shared folders are errors. If false, the function replaces the link itself.
package func replaceFile(
    _ path: String, with bytes: [UInt8], isPrivate: Bool = true, followsLinks: Bool = true
) throws(FileError) {
    guard !path.utf8.contains(0) else { throw FileError(.failed, errno: ENOENT) }
    let target = followsLinks ? try destination(of: path) : path
    let (folder, name) = target.pathParts
    guard !name.isEmpty else { throw .isFolder }
    var status = stat()
    let isThere = lstat(target.systemPath, &status) == 0
    // A symbolic link can only remain here if `followsLinks` is false. Then `rename` replaces the link, so the type of
    // its target does not matter.
    if isThere, status.st_mode & S_IFMT != S_IFLNK, let error = FileError(mode: status.st_mode) { throw error }
    let mode = isThere && status.st_mode & S_IFMT == S_IFREG ? status.st_mode & 0o777 : nil

    removeLeftovers(of: name, in: folder)
    let temporary = try TemporaryFile(folder, name, mode: isPrivate || mode != nil ? 0o600 : 0o666)
    do throws(FileError) {
        try temporary.fill(with: bytes)
        if let mode, fchmod(temporary.file, mode) != 0 { throw FileError(.failed) }
        guard fsync(temporary.file) == 0, rename(temporary.path.systemPath, target.systemPath) == 0 else {
            throw FileError(.failed)
        }
    } catch {
        unlink(temporary.path.systemPath)
        throw error
    }
    // Write the directory entry to the disk, so that the file still exists after a power failure.
    let directory = open(folder.systemPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
        fsync(directory)
        close(directory)
    }
}

/// Creates a new file with content.
/// - Throws: `exists` if the name is already used, even by a broken symbolic link.
package func createFile(_ path: String, with bytes: [UInt8], isPrivate: Bool = true) throws(FileError) {
    try reserveFile(path, isPrivate: isPrivate)
    let reserved = FileStamp(path)
    do throws(FileError) {
        try replaceFile(path, with: bytes, isPrivate: isPrivate, followsLinks: false)
    } catch {
        // If another process has written to the file since `reserveFile`, keep the file.
        if FileStamp(path) == reserved { unlink(path.systemPath) }
        throw error
    }
}

/// Creates a new empty file to reserve its name.
/// - Throws: `exists` if the name is already used.
package func reserveFile(_ path: String, isPrivate: Bool = true) throws(FileError) {
    guard !path.utf8.contains(0) else { throw FileError(.failed, errno: ENOENT) }
    let file = uninterrupted {
        open(path.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, isPrivate ? 0o600 : 0o666)
    }
    guard file >= 0 else { throw FileError(.failed) }
    close(file)
}

// MARK: - Links

/// Resolves symbolic links. Returns a path that is not a symbolic link. A file may or may not exist at this path.
private func destination(of path: String) throws(FileError) -> String {
    var path = path
    for _ in 0..<32 {
        var (status, owner) = (stat(), stat())
        guard lstat(path.systemPath, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return path }
        let folder = path.pathParts.folder
        guard stat(folder.systemPath, &owner) == 0 else { throw FileError(.failed) }
        // In shared folders such as /tmp, any user may create links. So apply the rule of the kernel for protected
        // links (proc(5), protected_symlinks).
        let isShared = owner.st_mode & mode_t(S_ISVTX | S_IWOTH) == mode_t(S_ISVTX | S_IWOTH)
        guard !isShared || status.st_uid == geteuid() || status.st_uid == owner.st_uid else {
            throw FileError(.failed, "the path is a link that belongs to another user")
        }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path.systemPath, &buffer, buffer.count)
        guard count > 0, count < buffer.count else { throw FileError(.failed) }
        let link = String(systemPath: buffer.prefix(count).map { UInt8(bitPattern: $0) })
        path = link.hasPrefix("/") ? link : "\(folder)/\(link)"
    }
    throw FileError(.failed, errno: ELOOP)
}

// MARK: - On the way

/// A new file with a unique name, open for writing. The deinitializer closes the file, but does not delete it.
package final class TemporaryFile {
    package let path: String
    package let file: Int32

    private static let ending = ".saving"

    /// Creates a temporary file in the folder of the file `other`, which the temporary file will later replace.
    package convenience init(beside other: String, mode: mode_t) throws(FileError) {
        let (folder, name) = other.pathParts
        removeLeftovers(of: name, in: folder)
        try self.init(folder, name, mode: mode)
    }

    fileprivate init(_ folder: String, _ name: String, mode: mode_t) throws(FileError) {
        // The name contains a random number. O_EXCL ensures that no file with this name exists.
        let number = String(UInt64.random(in: .min ... .max), radix: 16)
        let path = "\(folder)/\(Self.beginning(name))\(getpid())-\(number)\(Self.ending)"
        let file = uninterrupted { open(path.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode) }
        guard file >= 0 else { throw FileError(.failed) }
        self.path = path
        self.file = file
    }

    deinit { close(file) }

    /// Writes bytes at the current position of the file. The first call writes at the start of the file.
    package func fill(with bytes: [UInt8]) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                uninterrupted { write(file, bytes.baseAddress.map { $0 + done }, bytes.count - done) }
            }
            guard count > 0 else { throw FileError(.failed) }
            done += count
        }
    }

    /// Returns the first part of the name of a temporary file. Its length is limited, because file names have a maximum
    /// length.
    private static func beginning(_ name: String) -> String { ".\(name.cut(toBytes: 180))." }

    /// Returns the ID of the process that created the temporary file `file` to save `name`. Returns nil if `file` is
    /// not the name of such a temporary file.
    fileprivate static func maker(of file: String, saving name: String) -> pid_t? {
        let beginning = beginning(name)
        guard file.hasPrefix(beginning), file.hasSuffix(ending) else { return nil }
        return file.dropFirst(beginning.count).split(separator: "-").first.flatMap { pid_t($0) }
    }
}

/// Removes temporary files of processes that ended before they could rename these files.
private func removeLeftovers(of name: String, in folder: String) {
    guard let directory = opendir(folder.systemPath) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
        let file = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(systemPath: $0) }
        }
        guard let maker = TemporaryFile.maker(of: file, saving: name), maker > 0, kill(maker, 0) != 0, errno == ESRCH
        else { continue }
        unlink("\(folder)/\(file)".systemPath)
    }
}
