import CGStreamer
import Glibc

/// Checks that a path is that of a regular file that may be read.
/// - Parameter kind: what it should be, for the message: `a picture`.
/// - Throws: `ElementError` resource/not-found or resource/open-read, with the path.
package func checkReadable(_ path: String, as kind: String) throws {
    guard g_file_test(path, G_FILE_TEST_EXISTS) != 0 else {
        throw ElementError(.resource(GST_RESOURCE_ERROR_NOT_FOUND), "\(path): there is no such file")
    }
    guard g_file_test(path, G_FILE_TEST_IS_DIR) == 0 else {
        throw ElementError(.resource(GST_RESOURCE_ERROR_OPEN_READ), "\(path): this is a folder, not \(kind)")
    }
    // A pipe or a device might never end.
    guard g_file_test(path, G_FILE_TEST_IS_REGULAR) != 0 else {
        throw ElementError(.resource(GST_RESOURCE_ERROR_OPEN_READ), "\(path): this is not a regular file")
    }
    guard access(path, R_OK) == 0 else {
        throw ElementError(.resource(GST_RESOURCE_ERROR_OPEN_READ), "\(path): may not be read")
    }
}

/// The bytes of a file.
/// - Parameters:
///   - kind: what it should be, for messages: `a training list`.
///   - limit: larger files are refused.
/// - Throws: `ElementError` with the path.
package func readFile(_ path: String, as kind: String, upTo limit: Int = 64 << 20) throws -> [UInt8] {
    try checkReadable(path, as: kind)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    var info = stat()
    guard file >= 0, fstat(file, &info) == 0 else {
        if file >= 0 { close(file) }
        throw ElementError(.resource(GST_RESOURCE_ERROR_OPEN_READ), "\(path): cannot be opened")
    }
    defer { close(file) }
    guard info.st_size <= limit else {
        throw ElementError(
            .resource(GST_RESOURCE_ERROR_READ), "\(path): \(info.st_size) bytes are too many for \(kind)")
    }
    let size = max(0, Int(info.st_size))
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        while count < size, let base = buffer.baseAddress {
            let part = read(file, base + count, size - count)
            guard part > 0 else {
                isWhole = part == 0
                break
            }
            count += part
        }
    }
    guard isWhole else { throw ElementError(.resource(GST_RESOURCE_ERROR_READ), "\(path): cannot be read") }
    return bytes
}

/// Writes a file as a whole: first under another name in its folder, which then takes the file's place, so that there is
/// always either the old file or the new one.
/// - Throws: `ElementError` resource/write with the path.
package func writeFile(_ path: String, _ bytes: [UInt8]) throws {
    func failure() -> ElementError {
        ElementError(
            .resource(GST_RESOURCE_ERROR_WRITE), "\(path): cannot be written", details: String(cString: strerror(errno))
        )
    }
    let name = "\(path).\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    let file = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw failure() }
    var written = 0
    while written < bytes.count {
        let part = bytes.withUnsafeBytes { buffer in
            buffer.baseAddress.map { write(file, $0 + written, buffer.count - written) } ?? -1
        }
        guard part > 0 else { break }
        written += part
    }
    let isWhole = written == bytes.count && fsync(file) == 0
    let isClosed = close(file) == 0
    guard isWhole, isClosed, rename(name, path) == 0 else {
        let error = failure()
        unlink(name)
        throw error
    }
}
