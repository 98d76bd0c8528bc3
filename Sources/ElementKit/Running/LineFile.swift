// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files
import Glibc
import Synchronization
import Waiting

/// A file, a pipe or the standard output to which an element writes lines of text. Any thread may write a line without
/// blocking, because a separate thread writes to the file.
///
/// Complete lines are dropped while the disk is full, and while 1 MB of lines wait for a slow reader. The first failure
/// of each type posts a warning. Closing takes up to one second to write the waiting lines.
package final class LineFile: Sendable {
    private struct Queue: Sendable {
        var target: LineTarget?
        var lines: [UInt8] = []
        var isWriting = false
        /// The messages of the warnings that were already posted.
        var warned: Set<String> = []
    }

    private let queue = Mutex(Queue())
    private let location = Mutex(Assigned<String>())
    private let worker: Worker
    /// Set while the file is closing, so that the writing thread no longer waits until the file is writable.
    private let ending = Interruption()

    /// The maximum size of all lines that wait to be written, in bytes.
    static let room = 1 << 20

    init(of owner: UnsafeMutablePointer<GObject>) { worker = Worker(of: owner) }

    /// True if a file is open.
    package var isOpen: Bool { queue.withLock { $0.target != nil } }

    /// Opens the file at a path for appending. `-` is the standard output.
    /// - Throws: `ElementError` resource/open-write, with the path.
    package func open(_ path: Assigned<String>) throws(ElementError) {
        location.withLock { $0 = path }
        try openTarget(path)
    }

    private func openTarget(_ path: Assigned<String>) throws(ElementError) {
        let target: LineTarget? = if let path = path.value { try LineTarget(path) } else { nil }
        queue.withLock { $0 = Queue(target: target) }
    }

    /// Adopts the value of a property. Every assignment reopens the file, even with the same path. If the file cannot
    /// be opened, posts a warning, and drops all lines.
    package func follow<Settings>(_ path: Assigned<String>, _ host: Host<Settings>) {
        let isNew = location.withLock { location in
            defer { location = path }
            return location != path
        }
        guard isNew else { return }
        // Closing the old file may take time, so the worker closes the old file, and then opens the new file.
        host.worker.run { [self] in
            finish()
            host.warning { try openTarget(path) }
        }
    }

    /// Writes a line. A failure posts a warning through `host`.
    package func write<Settings>(_ line: String, _ host: Host<Settings>) {
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        let outcome = queue.withLock { queue -> (begins: Bool, isFull: Bool) in
            guard let target = queue.target, !target.isOver else { return (false, false) }
            guard queue.lines.count + bytes.count <= Self.room else { return (false, true) }
            queue.lines += bytes
            defer { queue.isWriting = true }
            return (!queue.isWriting, false)
        }
        if outcome.isFull { warn("no program reads the lines", host) }
        if outcome.begins { worker.run { [self] in writeAll(host) } }
    }

    /// Writes the lines that wait to be written, for up to one second, and closes the file.
    func close() {
        finish()
        location.withLock { $0 = Assigned() }
    }

    private func finish() {
        ending.set(.stop)
        worker.finish()
        ending.clear(.stop)
        queue.withLock { $0 = Queue() }
    }

    // MARK: - The writing thread

    private func writeAll<Settings>(_ host: Host<Settings>) {
        var deadline: Deadline?
        while true {
            let (target, lines) = queue.withLock { queue -> (LineTarget?, [UInt8]) in
                defer { queue.lines = [] }
                queue.isWriting = !queue.lines.isEmpty
                return (queue.target, queue.lines)
            }
            guard let target, !lines.isEmpty else { return }
            let problem = target.write(lines) { file in
                if deadline == nil, waitToWrite(to: file, unless: ending) { return true }
                let end = deadline ?? .after(milliseconds: 1000)
                deadline = end
                return !end.hasPassed && waitToWrite(to: file, until: end)
            }
            if let problem { warn(problem, host) }
        }
    }

    private func warn<Settings>(_ message: String, _ host: Host<Settings>) {
        let path = queue.withLock { queue -> String? in
            queue.warned.insert(message).inserted ? queue.target?.path : nil
        }
        if let path {
            host.post(warning: ElementError(.write, "cannot write \(path): \(message). The element drops lines."))
        }
    }
}

/// The file, the pipe or the standard output to which lines are written. Only one thread uses this object, but any
/// thread may read `isOver`.
private final class LineTarget: Sendable {
    let path: String
    private let file: Int32
    private let isRegular: Bool
    /// True if only a part of the last line was written.
    private let isCut = Mutex(false)
    private let over = Atomic(false)

    /// True after a write has failed because the program that reads the pipe has ended.
    var isOver: Bool { over.load(ordering: .relaxed) }

    init(_ path: String) throws(ElementError) {
        guard !path.utf8.contains(0) else {
            throw ElementError(.openWrite, "cannot write \"\(path)\": the file name contains a zero byte")
        }
        self.path = path == "-" ? "standard output" : "\"\(path)\""
        if path == "-" {
            // Duplicates the descriptor. The duplicate shares its flags with the application's descriptor, so the flags
            // must not change.
            file = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        } else {
            file = Self.open(path)
        }
        let code = errno
        guard file >= 0 else {
            let reason =
                switch code {
                case ENOENT, ENOTDIR: "no such folder"
                case EISDIR: "it is a folder"
                default: String(cString: strerror(code))
                }
            throw ElementError(.openWrite, "cannot write \(self.path): \(reason)")
        }
        var status = stat()
        isRegular = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    deinit { close(file) }

    /// Opens a file for appending. Opening a pipe with O_RDWR works without a reader, and avoids SIGPIPE after the
    /// reader exits.
    private static func open(_ path: String) -> Int32 {
        var status = stat()
        let path = path.systemPath
        let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        let flags = O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (isPipe ? O_RDWR : O_WRONLY)
        return Glibc.open(path, flags, 0o666)
    }

    /// Writes lines.
    /// - Parameter isReady: waits until the file is writable. Returns false on a timeout.
    /// - Returns: the problem if not all lines could be written; otherwise nil.
    func write(_ lines: [UInt8], when isReady: (Int32) -> Bool) -> String? {
        // Starts a new line after an incomplete line. Otherwise the next line would become a part of the incomplete
        // line.
        let lines = isCut.withLock { $0 } ? [UInt8(ascii: "\n")] + lines : lines
        var remaining = lines[...]
        while !remaining.isEmpty {
            guard isRegular || isReady(file) else {
                return cut(remaining, of: lines, "no program reads the lines")
            }
            // A writable pipe accepts PIPE_BUF bytes without blocking, so each write to a pipe has at most this size.
            let count = write(remaining.prefix(isRegular ? remaining.count : Int(PIPE_BUF)))
            if count >= 0 {
                remaining = remaining.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR, EAGAIN: continue
            case EPIPE:
                over.store(true, ordering: .relaxed)
                return "the program that read the lines has ended"
            case let code: return cut(remaining, of: lines, String(cString: strerror(code)))
            }
        }
        isCut.withLock { $0 = false }
        return nil
    }

    private func cut(_ remaining: ArraySlice<UInt8>, of lines: [UInt8], _ problem: String) -> String {
        let isComplete =
            remaining.startIndex == lines.startIndex || lines[..<remaining.startIndex].last == UInt8(ascii: "\n")
        if !isComplete { isCut.withLock { $0 = true } }
        return problem
    }

    /// Writes bytes. Blocks SIGPIPE during the write, because the signal would end the process.
    private func write(_ bytes: ArraySlice<UInt8>) -> Int {
        var (pipe, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        sigpending(&pending)
        let wasPending = sigismember(&pending, SIGPIPE) == 1
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        let code = errno
        if count < 0, code == EPIPE, !wasPending {
            var now = timespec()
            sigtimedwait(&pipe, nil, &now)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        errno = code
        return count
    }
}
