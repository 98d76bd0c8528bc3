// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc

package enum FileFormat: Sendable {
    /// One JSON array with all messages.
    case json
    /// One JSON object per line.
    case jsonLines
}

/// Writes messages to a file, a named pipe or the standard output. The link never waits for a reader. In the format
/// `json`, a regular file contains a complete JSON array after each message.
final class FileLink: Link {
    private let path: String
    private let format: FileFormat
    private var target: Target?
    /// True if the last file or pipe was closed when only a part of a message was written. In the format `jsonLines`,
    /// the next message then begins on a new line.
    private var isCut = false

    private struct Target {
        let file: Int32
        let isRegular: Bool
        var hasItems = false
        /// In a regular file, the offset at which the last complete message ends, in bytes.
        var end: off_t = 0
        /// `unwritten`: the bytes of the current message that are not written yet. `number`: the number of the current
        /// message; 0 if no message is being written.
        var unwritten: ArraySlice<UInt8> = []
        var number: UInt64 = 0
    }

    private static let listEnd = Array("\n]\n".utf8)

    /// - Parameter path: a path. `-` and `/dev/stdout` mean the standard output.
    init(path: String, format: FileFormat) {
        (self.path, self.format) = (path, format)
    }

    deinit { close() }

    var window: Int { 1 }
    var keepsInFlight: Bool { false }
    /// False: after a failed write, the file or pipe contains at most a part of the message. So writing the message
    /// again does not duplicate it.
    var mayRepeat: Bool { false }

    // MARK: - Opening

    private var events: [LinkEvent] = []

    func connect() throws(LinkFailure) {
        close()
        let file = open()
        guard file >= 0 else {
            let reason =
                switch errno {
                case ENOENT, ENOTDIR: "no such folder"
                case EISDIR: "it is a folder"
                case let code: String(cString: strerror(code))
                }
            throw LinkFailure("cannot write \"\(path)\": \(reason)")
        }
        var status = stat()
        // Other programs may also write to the standard output, so the link must not truncate it. Therefore the
        // standard output does not count as a regular file.
        let isRegular = !isStandardOutput && fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        var target = Target(file: file, isRegular: isRegular, end: isRegular ? status.st_size : 0)
        if isRegular, !takeUp(&target) {
            Glibc.close(file)
            throw LinkFailure("cannot append to \"\(path)\": not a JSON list. Use another file.")
        }
        if isCut, !isRegular, format == .jsonLines { target.unwritten = [UInt8(ascii: "\n")] }
        isCut = false
        self.target = target
        events.append(.connected)
    }

    private var isStandardOutput: Bool { path == "-" || path == "/dev/stdout" }

    private func open() -> Int32 {
        if isStandardOutput { return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) }
        guard !path.utf8.contains(0) else {
            errno = ENOENT
            return -1
        }
        var status = stat()
        let path = self.path.systemPath
        let isDevice = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
        // Open with O_RDWR: the link must read the end of an existing file before it appends messages. With O_RDWR,
        // `open` also does not wait for a reader of a pipe, and the pipe stays open when its reader exits. Devices may
        // not be readable, so open them with O_WRONLY.
        let access = isDevice ? O_WRONLY : O_RDWR
        return Glibc.open(path, access | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o666)
    }

    /// Prepares appending to an existing regular file: sets the offset at which the next message begins. Returns false
    /// if the format is `json` and the file is not a JSON array.
    private func takeUp(_ target: inout Target) -> Bool {
        guard target.end > 0 else { return true }
        switch format {
        case .jsonLines:
            // If the last line is incomplete, an earlier program was killed while it wrote this line. So the next
            // message begins on a new line.
            var last: UInt8 = 0
            let isReadable = pread(target.file, &last, 1, target.end - 1) == 1
            if isReadable, last != UInt8(ascii: "\n") { target.unwritten = [UInt8(ascii: "\n")] }
            return true
        case .json:
            let count = Self.listEnd.count
            guard target.end > count else { return false }
            var tail = [UInt8](repeating: 0, count: count)
            guard pread(target.file, &tail, count, target.end - off_t(count)) == count, tail == Self.listEnd else {
                return false
            }
            target.end -= off_t(count)
            target.hasItems = true
            return true
        }
    }

    // MARK: - Writing

    func send(_ record: Record) throws(LinkFailure) -> Bool {
        guard var target, target.number == 0 else { return false }
        var bytes = Array(target.unwritten)
        bytes.reserveCapacity(bytes.count + record.payload.count + 8)
        switch format {
        case .jsonLines:
            bytes += record.payload
            bytes.append(UInt8(ascii: "\n"))
        case .json:
            bytes += Array((target.hasItems ? ",\n" : "[\n").utf8)
            bytes += record.payload
            if target.isRegular { bytes += Self.listEnd }
        }
        target.unwritten = bytes[...]
        target.number = record.number
        self.target = target
        try write()
        return true
    }

    /// Writes as many bytes as possible without blocking. If writing fails, closes the file and throws an error. The
    /// publisher then sends the message again.
    private func write() throws(LinkFailure) {
        do throws(LinkFailure) { try writeRest() } catch {
            close()
            throw error
        }
    }

    private func writeRest() throws(LinkFailure) {
        guard var target, target.number != 0 else { return }
        defer { self.target = target }
        if target.isRegular {
            var offset = target.end
            while !target.unwritten.isEmpty {
                let count = target.unwritten.withUnsafeBytes { pwrite(target.file, $0.baseAddress, $0.count, offset) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    let reason = String(cString: strerror(count < 0 ? errno : ENOSPC))
                    // Remove the incomplete message and restore the end of the array, so that the file contains valid
                    // JSON.
                    ftruncate(target.file, target.end)
                    if format == .json, target.hasItems {
                        _ = pwrite(target.file, Self.listEnd, Self.listEnd.count, target.end)
                    }
                    throw LinkFailure("cannot write \"\(path)\": \(reason)")
                }
                offset += off_t(count)
                target.unwritten = target.unwritten.dropFirst(count)
            }
            target.end = format == .json ? offset - off_t(Self.listEnd.count) : offset
        } else {
            while !target.unwritten.isEmpty {
                // A pipe that poll(2) reports as writable accepts PIPE_BUF bytes without blocking, even if the pipe is
                // in blocking mode.
                var descriptor = pollfd(fd: target.file, events: Int16(POLLOUT), revents: 0)
                guard poll(&descriptor, 1, 0) > 0 else { return }
                let part = target.unwritten.prefix(Int(PIPE_BUF))
                let count = part.withUnsafeBytes { Glibc.write(target.file, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN { return }
                guard count > 0 else {
                    let reason =
                        errno == EPIPE
                        ? "the program that read the messages has ended" : String(cString: strerror(errno))
                    throw LinkFailure("cannot write \"\(path)\": \(reason)")
                }
                target.unwritten = target.unwritten.dropFirst(count)
            }
        }
        target.hasItems = true
        events.append(.acknowledged(target.number))
        target.number = 0
        target.unwritten = []
    }

    func send(status: [UInt8]) {}

    func wait(for wakeup: Int32, milliseconds: Int32) -> [LinkEvent] {
        if events.isEmpty {
            let isWriting = target.map { $0.number != 0 } ?? false
            var descriptors = [
                pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isWriting ? target?.file ?? -1 : -1, events: Int16(POLLOUT), revents: 0),
            ]
            poll(&descriptors, nfds_t(descriptors.count), milliseconds)
            if isWriting {
                do throws(LinkFailure) { try write() } catch { events.append(.closed(error)) }
            }
        }
        defer { events = [] }
        return events
    }

    // MARK: - Closing

    func reset() {
        close()
        events = []
    }

    func disconnect(milliseconds: Int32) -> [LinkEvent] {
        defer { reset() }
        return events
    }

    private func close() {
        guard let target = target.take() else { return }
        isCut = target.number != 0 && target.unwritten.startIndex > 0
        if format == .json, !target.isRegular, target.number == 0 {
            let end = target.hasItems ? "\n]\n" : "[\n]\n"
            var descriptor = pollfd(fd: target.file, events: Int16(POLLOUT), revents: 0)
            if poll(&descriptor, 1, 0) > 0 { _ = Glibc.write(target.file, end, end.utf8.count) }
        }
        Glibc.close(target.file)
    }
}
