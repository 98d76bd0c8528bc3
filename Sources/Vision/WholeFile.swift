import Glibc
import Synchronization

/// What the system says of a file.
package struct FileError: Error, CustomStringConvertible {
    package let description: String
    let isMissing: Bool

    init(_ description: String) {
        self.description = description
        isMissing = false
    }

    /// Of the last call.
    init(errno code: Int32 = errno) {
        description = String(cString: strerror(code))
        isMissing = code == ENOENT
    }
}

/// All bytes of a file.
/// - Throws: also where it is no ordinary file, or has more bytes than wanted.
func readFile(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    // Pipes would be waited for.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw FileError() }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw FileError() }
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileError("it is no ordinary file") }
    guard status.st_size <= limit else { throw FileError("it is too large") }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var done = 0
    while done < bytes.count {
        let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress.map { $0 + done }, $0.count - done) }
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw FileError() }
        guard count > 0 else { break }
        done += count
    }
    bytes.removeLast(bytes.count - done)
    return bytes
}

/// Makes a file, or replaces it in one step: the bytes go to another one in the same folder, to the disk, and then the
/// name is given to them.
/// - Parameter newMode: who may use a file that was not there: its owner only, if nothing else is said.
package func replaceFile(
    _ path: String, with bytes: [UInt8], newMode: mode_t = 0o600
) throws(FileError) {
    // A link stays one.
    var target = path
    if let resolved = realpath(path, nil) {
        target = String(cString: resolved)
        free(resolved)
    }
    let slash = target.lastIndex(of: "/")
    let folder = slash.map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? "."
    let name = slash.map { String(target[target.index(after: $0)...]) } ?? target
    guard !name.isEmpty else { throw FileError("it is the name of a folder") }
    var status = stat()
    let mode = stat(target, &status) == 0 ? status.st_mode & 0o777 : newMode

    removeLeftovers(of: name, in: folder)
    let temporary = "\(folder)/.\(name).\(getpid())-\(nextSuffix()).saving"
    // Nobody else has a file of this name.
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw FileError() }
    do throws(FileError) {
        defer { close(file) }
        try write(bytes, to: file)
        guard fchmod(file, mode) == 0, fsync(file) == 0 else { throw FileError() }
    } catch {
        unlink(temporary)
        throw error
    }
    guard rename(temporary, target) == 0 else {
        let error = FileError()
        unlink(temporary)
        throw error
    }
    // That the name is safe too: after this a loss of power changes nothing.
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
        fsync(directory)
        close(directory)
    }
}

private func write(_ bytes: [UInt8], to file: Int32) throws(FileError) {
    var done = 0
    while done < bytes.count {
        let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress.map { $0 + done }, $0.count - done) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw FileError() }
        done += count
    }
}

/// Removes what processes have left that ended while they saved.
private func removeLeftovers(of name: String, in folder: String) {
    guard let directory = opendir(folder) else { return }
    defer { closedir(directory) }
    let prefix = ".\(name)."
    while let entry = readdir(directory) {
        let file = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard file.hasPrefix(prefix), file.hasSuffix(".saving"),
            let owner = file.dropFirst(prefix.count).split(separator: "-").first.flatMap({ pid_t($0) }), owner > 0,
            kill(owner, 0) != 0, errno == ESRCH
        else { continue }
        unlink("\(folder)/\(file)")
    }
}

private let suffixes = Atomic<UInt64>(0)

/// A number that no other save of this process has.
private func nextSuffix() -> UInt64 { suffixes.add(1, ordering: .relaxed).newValue }
