// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files

/// Returns the bytes of a file.
/// - Parameters:
///   - kind: the expected type of the file, for messages, for example `a training list`.
///   - limit: the maximum size in bytes. Larger files are rejected.
/// - Throws: `ElementError` resource/not-found, resource/open-read or resource/read, with the path.
package func readFile(_ path: String, as kind: String, atMost limit: Int) throws(ElementError) -> [UInt8] {
    do {
        return try Files.readFile(path, atMost: limit)
    } catch {
        throw ElementError(error, reading: path, as: kind)
    }
}

/// Returns true if a file or a folder exists at this path.
package func fileExists(_ path: String) -> Bool { g_file_test(path.systemPath, G_FILE_TEST_EXISTS) != 0 }

extension ElementError {
    /// - Parameter kind: the expected type of the file, for example `an image`.
    package init(_ error: FileError, reading path: String, as kind: String) {
        switch error.cause {
        case .missing: self.init(.notFound, "cannot read \"\(path)\": \(error)")
        case .folder: self.init(.openRead, "cannot read \"\(path)\": \(error), not \(kind)")
        case .notRegular, .unopened: self.init(.openRead, "cannot read \"\(path)\": \(error)")
        case .tooLarge, .exists, .failed: self.init(.read, "cannot read \"\(path)\": \(error)")
        }
    }

    package init(_ error: FileError, writing path: String) {
        let reason: Reason =
            switch error.cause {
            case .folder, .notRegular: .openWrite
            case .missing, .tooLarge, .exists, .unopened, .failed: .write
            }
        self.init(reason, "cannot write \"\(path)\": \(error)")
    }
}
