// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// The modification time, size and inode of a file. If two stamps of the same path differ, a program has written or
/// replaced the file between them.
package struct FileStamp: Sendable, Equatable {
    package let isFolder: Bool
    private let number: UInt64
    private let size: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    /// Returns nil if the file does not exist or cannot be accessed.
    package init?(_ path: String) {
        var status = stat()
        guard !path.utf8.contains(0), stat(path.systemPath, &status) == 0 else { return nil }
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        (seconds, nanoseconds) = (Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec))
    }
}
