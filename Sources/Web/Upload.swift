// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc
import NIOCore
import NIOHTTP1

/// A file that was uploaded.
package struct UploadedFile: Sendable {
    package let name: String
    package let path: String
    package let bytes: Int
}

struct UploadError: Error {
    let status: HTTPResponseStatus
    let reason: String
}

/// A file that is being uploaded: it has another name until it is complete, and is removed if it never is.
final class Upload {
    private let name: String
    private let path: String
    private let folder: Int32
    private let file: Int32
    private let temporary: String
    private var bytes = 0
    /// The most bytes that are taken.
    private let room: Int
    private let expected: Int?
    private var isFinished = false

    /// - Parameters:
    ///   - expected: how long it is said to be.
    ///   - used: the bytes that were uploaded before.
    init(_ name: String, in path: String, _ expected: Int?, _ limits: WebLimits, used: Int) throws(UploadError) {
        guard name.fileName(atMost: 200) == name, !name.contains("\\") else {
            throw UploadError(
                status: .badRequest,
                reason:
                    "\(name.prefix(100)): no name for a file: at most 200 bytes, without slashes, and no dot at the beginning"
            )
        }
        guard expected ?? 0 <= limits.upload else { throw Self.tooLarge(limits.upload) }
        guard used <= limits.uploads - (expected ?? 0) else {
            throw UploadError(
                status: .insufficientStorage,
                reason: "no more is taken: \(limits.uploads >> 20) MB in all")
        }
        let folder = open(path.systemPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failed("the folder for uploads cannot be opened") }
        temporary = ".\(String(UInt64.random(in: 0...(.max)), radix: 16)).uploading"
        file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let text = String(cString: strerror(errno))
            close(folder)
            throw Self.failed(text)
        }
        (self.name, self.path, self.folder, self.expected) = (name, path, folder, expected)
        room = min(limits.upload, limits.uploads - used)
    }

    deinit {
        close(file)
        if !isFinished { unlinkat(folder, temporary, 0) }
        close(folder)
    }

    func append(_ part: ByteBuffer) throws(UploadError) {
        bytes += part.readableBytes
        guard bytes <= room else { throw Self.tooLarge(room) }
        let file = file
        let failure: Int32 = part.withUnsafeReadableBytes { part in
            var rest = part
            while !rest.isEmpty {
                let count = write(file, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return errno }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return 0
        }
        guard failure == 0 else { throw Self.failed(String(cString: strerror(failure))) }
    }

    /// Gives the file its name, or one like it if that is taken.
    func finish() throws(UploadError) -> UploadedFile {
        guard expected == nil || expected == bytes else { throw Self.failed("the file is not complete") }
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        for number in 1..<10_000 {
            let name = number == 1 ? name : "\(name[..<dot])-\(number)\(name[dot...])"
            // The name is reserved, then given: no file of this name is replaced.
            let reserved = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard reserved >= 0 else {
                if errno == EEXIST { continue }
                break
            }
            close(reserved)
            guard renameat(folder, temporary, folder, name) == 0 else {
                let code = errno
                unlinkat(folder, name, 0)
                throw Self.failed(String(cString: strerror(code)))
            }
            isFinished = true
            return UploadedFile(name: name, path: "\(path)/\(name)", bytes: bytes)
        }
        throw Self.failed(String(cString: strerror(errno)))
    }

    private static func tooLarge(_ limit: Int) -> UploadError {
        UploadError(status: .payloadTooLarge, reason: "the file is too large: \(limit >> 20) MB at most")
    }

    private static func failed(_ reason: String) -> UploadError {
        UploadError(status: .internalServerError, reason: "the file cannot be written: \(reason)")
    }
}
