// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc

/// Returns all bytes of a regular file.
/// - Parameter limit: the maximum size in bytes. If the file is larger, the function throws the error `tooLarge`.
package func readFile(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    let bytes = try bytes(of: path, upTo: limit + 1, refusing: limit)
    guard bytes.count <= limit else { throw .tooLarge(limit) }
    return bytes
}

/// Returns the first `count` bytes of a regular file, or all bytes if the file is shorter.
package func readHead(_ path: String, count: Int) throws(FileError) -> [UInt8] {
    try bytes(of: path, upTo: count, refusing: .max)
}

extension FileError {
    fileprivate static func tooLarge(_ limit: Int) -> FileError {
        let text = limit >= 1 << 20 ? "\(limit >> 20) MB" : "\(limit) bytes"
        return FileError(.tooLarge, "the file is larger than \(text)")
    }
}

/// Reads the first bytes of a regular file.
/// - Parameters:
///   - maximum: the maximum number of bytes to read.
///   - limit: if the file is larger, the function throws `tooLarge`.
private func bytes(of path: String, upTo maximum: Int, refusing limit: Int) throws(FileError) -> [UInt8] {
    guard !path.utf8.contains(0) else { throw FileError(.unopened, errno: ENOENT) }
    let path = path.systemPath
    var status = stat()
    // Check the type of the file before opening it, because opening some devices has side effects.
    guard stat(path, &status) == 0 else { throw FileError(.unopened) }
    if let error = FileError(mode: status.st_mode) { throw error }
    // Open without blocking. If a pipe has replaced the file since `stat`, a blocking `open` would wait for a writer of
    // the pipe.
    let file = uninterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
    guard file >= 0 else { throw FileError(.unopened) }
    defer { close(file) }
    guard fstat(file, &status) == 0 else { throw FileError(.failed) }
    if let error = FileError(mode: status.st_mode) { throw error }
    guard status.st_size <= limit else { throw .tooLarge(limit) }

    var bytes: [UInt8] = []
    // Read until the end instead of relying on the size: the file may have grown since `fstat`, and some file systems
    // report size 0 for all files.
    var room = max(1, min(maximum, Int(clamping: status.st_size) + 1))
    while bytes.count < maximum {
        let size = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: min(room, maximum - size)))
        let count = bytes.withUnsafeMutableBytes { part in
            uninterrupted { read(file, part.baseAddress.map { $0 + size }, part.count - size) }
        }
        guard count >= 0 else { throw FileError(.failed) }
        bytes.removeLast(bytes.count - size - count)
        guard count > 0 else { break }
        room = max(65536, bytes.count)
    }
    return bytes
}
