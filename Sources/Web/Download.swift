// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc
import NIOCore
import NIOHTTP1

/// A download of a file or of a byte range of the file (RFC 9110, section 14).
final class Download {
    enum Part: Equatable { case whole, range(Range<Int>), unsatisfiable }

    let size: Int
    /// The status of the open file, which identifies the file.
    let status: stat
    let tag: String
    let part: Part
    private let file: Int32
    private var position = 0

    /// The range of the file's bytes to send.
    var range: Range<Int> { if case .range(let range) = part { range } else { 0..<size } }
    var isAtEnd: Bool { position >= range.upperBound }

    private static let piece = 256 << 10

    /// Returns nil if the path is not a readable regular file.
    init?(_ path: String, _ headers: HTTPHeaders) {
        let file = open(path.systemPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            return nil
        }
        self.file = file
        self.status = status
        size = Int(status.st_size)
        tag = "\"\(String(status.st_mtim.tv_sec, radix: 16))-\(status.st_mtim.tv_nsec)-\(status.st_size)\""
        let isSame = headers["If-Range"].allSatisfy { [tag] in $0 == tag }
        part = isSame ? Self.part(headers["Range"], of: size) : .whole
        position = range.lowerBound
    }

    deinit { close(file) }

    /// Returns the next bytes of the file. Returns nil at the end of the range, or if the file has become shorter.
    func next() -> ByteBuffer? {
        let count = min(Self.piece, range.upperBound - position)
        guard count > 0 else { return nil }
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        let read = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            max(0, pread(file, bytes.baseAddress, count, off_t(position)))
        }
        position += read
        return read > 0 ? buffer : nil
    }

    /// Parses the header Range. If the header is malformed or contains several ranges, the whole file is sent.
    private static func part(_ headers: [String], of size: Int) -> Part {
        guard headers.count == 1, let header = headers.first, header.lowercased().hasPrefix("bytes=") else {
            return .whole
        }
        let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { 48...57 ~= $0 } }) else { return .whole }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last?):
            guard last >= first else { return .whole }
            return first < size ? .range(first..<min(size, last == .max ? last : last + 1)) : .unsatisfiable
        case (let first?, nil) where ends[1].isEmpty:
            return first < size ? .range(first..<size) : .unsatisfiable
        case (nil, let count?) where ends[0].isEmpty:
            return count > 0 && size > 0 ? .range(max(0, size - count)..<size) : .unsatisfiable
        default: return .whole
        }
    }
}
