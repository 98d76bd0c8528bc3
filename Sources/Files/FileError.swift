// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// The reason why a file could not be read or written.
package struct FileError: Error, Hashable, CustomStringConvertible {
    package enum Cause: Sendable, Hashable {
        /// The file does not exist.
        case missing
        case folder
        /// The file is a pipe, a device, or another special file.
        case notRegular
        case tooLarge
        /// The file already exists.
        case exists
        /// `unopened`: a system error while opening the file. `failed`: a system error afterwards.
        case unopened, failed
    }

    package let cause: Cause
    /// The text for users, without the path.
    package let description: String

    init(_ cause: Cause, _ description: String) {
        (self.cause, self.description) = (cause, description)
    }

    /// Creates the error for a failed system call.
    package init(_ cause: Cause, errno code: Int32 = errno) {
        switch (code, cause) {
        case (ENOENT, .unopened), (ENOTDIR, .unopened): self.init(.missing, "no such file")
        case (EACCES, .unopened): self.init(cause, "permission denied")
        case (EEXIST, _): self.init(.exists, "the file already exists")
        default: self.init(cause, String(cString: strerror(code)))
        }
    }

    static let isFolder = FileError(.folder, "it is a folder")
    static let isNotRegular = FileError(.notRegular, "not a regular file")

    /// Creates the error for a file with this mode; nil for a regular file.
    init?(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFDIR: self = .isFolder
        default: self = .isNotRegular
        }
    }
}

/// Calls a system function, and repeats the call if a signal interrupts it.
func uninterrupted<Number: SignedInteger>(_ call: () -> Number) -> Number {
    while true {
        let result = call()
        guard result < 0, errno == EINTR else { return result }
    }
}
