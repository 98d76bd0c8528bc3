// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// The reason why a file cannot be read or written.
package struct FileError: Error, Hashable, CustomStringConvertible {
    package enum Cause: Sendable, Hashable {
        case missing
        case folder
        /// The file is a pipe, a device, or another special file.
        case notRegular
        case tooLarge
        case exists
        /// `unopened`: the file could not be opened. `failed`: a later system call failed.
        case unopened, failed
    }

    package let cause: Cause
    /// The error message for users, without the path of the file.
    package let description: String

    init(_ cause: Cause, _ description: String) {
        (self.cause, self.description) = (cause, description)
    }

    /// Creates the error for a failed system call with the error code `errno`.
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

    /// Creates an error if `mode` is not the mode of a regular file; otherwise returns nil.
    init?(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFDIR: self = .isFolder
        default: self = .isNotRegular
        }
    }
}

/// Calls a system function. If a signal interrupts the call (EINTR), calls the function again.
func uninterrupted<Number: SignedInteger>(_ call: () -> Number) -> Number {
    while true {
        let result = call()
        guard result < 0, errno == EINTR else { return result }
    }
}
