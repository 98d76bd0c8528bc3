import CGStreamer
import Files

/// The bytes of a file.
/// - Parameters:
///   - kind: what it should be, for messages: `a training list`.
///   - limit: larger files are refused.
/// - Throws: `ElementError` resource/not-found, resource/open-read or resource/read, with the path.
package func readFile(_ path: String, as kind: String, atMost limit: Int) throws(ElementError) -> [UInt8] {
    do {
        return try Files.readFile(path, atMost: limit)
    } catch {
        throw ElementError(error, reading: path, as: kind)
    }
}

extension ElementError {
    /// - Parameter kind: what the file should be: `a picture`.
    package init(_ error: FileError, reading path: String, as kind: String) {
        switch error.cause {
        case .missing: self.init(.resource(GST_RESOURCE_ERROR_NOT_FOUND), "\(path): \(error)")
        case .folder: self.init(.resource(GST_RESOURCE_ERROR_OPEN_READ), "\(path): \(error), not \(kind)")
        case .notRegular, .unopened: self.init(.resource(GST_RESOURCE_ERROR_OPEN_READ), "\(path): \(error)")
        case .tooLarge, .exists, .failed: self.init(.resource(GST_RESOURCE_ERROR_READ), "\(path): \(error)")
        }
    }

    package init(_ error: FileError, writing path: String) {
        let reason: Reason =
            switch error.cause {
            case .folder, .notRegular: .resource(GST_RESOURCE_ERROR_OPEN_WRITE)
            default: .resource(GST_RESOURCE_ERROR_WRITE)
            }
        self.init(reason, "\(path): cannot be written: \(error)")
    }
}
