// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc
import NIOCore
import NIOHTTP1

/// A complete upload.
package struct UploadedFile: Sendable {
    package let name: String
    package let path: String
    package let bytes: Int
}

struct UploadError: Error {
    let status: HTTPResponseStatus
    let reason: String
}

/// An unfinished upload. The uploaded file has a temporary name until the upload is complete. If the upload fails, the
/// file is deleted.
final class Upload {
    private let name: String
    private let path: String
    private let folder: Int32
    private let file: Int32
    private let temporary: String
    private var bytes = 0
    private let limits: WebLimits
    private let expected: Int?
    private let reservation: UploadReservation
    private var isFinished = false

    /// Starts an upload.
    /// - Parameter expected: the size in the header Content-Length, in bytes; nil if the request has no such header.
    init(
        _ name: String, in path: String, _ expected: Int?, _ limits: WebLimits, _ budget: UploadBudget
    ) throws(UploadError) {
        guard name.fileName(atMost: 200) == name, !name.contains("\\") else {
            throw UploadError(
                status: .badRequest,
                reason:
                    "\(name.prefix(100)): not a valid file name. Use at most 200 bytes, no slash, and no dot at the beginning."
            )
        }
        guard expected ?? 0 <= limits.upload else { throw Self.tooLarge(limits) }
        // Reserve the space before the first byte arrives, so that parallel uploads cannot use the same space.
        guard let reservation = UploadReservation(max(0, expected ?? 0), in: budget) else {
            throw Self.noRoom(limits)
        }
        let folder = open(path.systemPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failed("no access to the folder for uploads") }
        temporary = ".\(String(UInt64.random(in: 0...(.max)), radix: 16)).uploading"
        file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let code = errno
            close(folder)
            throw Self.failed(code)
        }
        (self.name, self.path, self.folder, self.expected) = (name, path, folder, expected)
        (self.limits, self.reservation) = (limits, reservation)
    }

    deinit {
        close(file)
        if !isFinished { unlinkat(folder, temporary, 0) }
        close(folder)
    }

    func append(_ part: ByteBuffer) throws(UploadError) {
        bytes += part.readableBytes
        guard bytes <= limits.upload else { throw Self.tooLarge(limits) }
        guard reservation.grow(to: bytes) else { throw Self.noRoom(limits) }
        let file = file
        let failure: Int32 = part.withUnsafeReadableBytes { part in
            var remaining = part
            while !remaining.isEmpty {
                let count = write(file, remaining.baseAddress, remaining.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return errno }
                remaining = UnsafeRawBufferPointer(rebasing: remaining.dropFirst(count))
            }
            return 0
        }
        guard failure == 0 else { throw Self.failed(failure) }
    }

    /// Renames the temporary file to its final name. If another file has the final name, adds a number to the name.
    func finish() throws(UploadError) -> UploadedFile {
        guard expected == nil || expected == bytes else { throw Self.failed("the upload is incomplete") }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Self.failed(errno) }
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        for number in 1..<10_000 {
            let name = number == 1 ? name : "\(name[..<dot])-\(number)\(name[dot...])"
            // First create an empty file to reserve the final name. So renaming never replaces another file.
            let reserved = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard reserved >= 0 else {
                if errno == EEXIST { continue }
                break
            }
            close(reserved)
            guard renameat(folder, temporary, folder, name) == 0 else {
                let code = errno
                unlinkat(folder, name, 0)
                throw Self.failed(code)
            }
            isFinished = true
            reservation.store("\(path)/\(name)", status)
            return UploadedFile(name: name, path: "\(path)/\(name)", bytes: bytes)
        }
        throw Self.failed(errno)
    }

    private static func tooLarge(_ limits: WebLimits) -> UploadError {
        UploadError(status: .payloadTooLarge, reason: "the file is larger than \(limits.upload >> 20) MB")
    }

    private static func noRoom(_ limits: WebLimits) -> UploadError {
        UploadError(
            status: .insufficientStorage,
            reason: "the folder for uploads has no room for the file. The maximum for all uploads is "
                + "\(limits.uploads >> 20) MB and \(limits.uploadCount) files. Wait for unfinished uploads, or delete "
                + "files from the folder.")
    }

    private static func failed(_ code: Int32) -> UploadError {
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(code)
        return failed(String(cString: strerror(code)), isFull ? .insufficientStorage : .internalServerError)
    }

    private static func failed(
        _ reason: String, _ status: HTTPResponseStatus = .internalServerError
    ) -> UploadError {
        UploadError(status: status, reason: "cannot write the file: \(reason)")
    }
}
