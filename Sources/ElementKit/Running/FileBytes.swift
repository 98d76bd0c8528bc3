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
