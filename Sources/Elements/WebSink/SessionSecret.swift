// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc
import Synchronization

/// The secret that signs the sessions of web pages. svwebsink stores the secret in a file of the user, so that pages
/// that are already open can reconnect after a restart.
struct SessionSecret {
    /// The path of the file; nil if the environment variables name no folder.
    let path: String?

    private static let size = 32
    /// The secret for all svwebsink elements of this process if no file can store a secret.
    private static let ofProcess = random()
    private static let lock = Mutex(())

    init(path: String?) { self.path = path }

    /// The secret in the folder of systemd's `StateDirectory=`, or else in the state folder of the XDG Base Directory
    /// Specification.
    static var installed: SessionSecret {
        func folder(_ name: String) -> String? {
            // Ignores empty and relative paths, as the XDG Base Directory Specification requires. STATE_DIRECTORY can
            // contain several paths, so only the first path is used.
            let text = getenv(name).map { String(systemPath: $0) }?.split(separator: ":").first
            return text.flatMap { $0.hasPrefix("/") ? String($0) : nil }
        }
        let state = folder("XDG_STATE_HOME") ?? folder("HOME").map { $0 + "/.local/state" }
        let stateFolder = folder("STATE_DIRECTORY") ?? state.map { $0 + "/swiftvision" }
        return SessionSecret(path: stateFolder.map { $0 + "/svwebsink-secret" })
    }

    /// Returns the secret, and creates it if there is none. If no file can store the secret, returns a secret that is
    /// valid only in this process.
    /// - Parameter explain: receives the reason if no file can store the secret.
    func bytes(_ explain: (String) -> Void) -> [UInt8] {
        guard let path else {
            explain(
                "no folder for the session secret. Set the environment variable HOME, XDG_STATE_HOME or STATE_DIRECTORY."
            )
            return Self.ofProcess
        }
        return Self.lock.withLock { _ in
            do {
                return try Self.read(path) ?? Self.create(path)
            } catch {
                explain("cannot use \"\(path)\": \(ElementError(error).message)")
                return Self.ofProcess
            }
        }
    }

    /// Reads the secret. Returns nil if the file does not exist.
    private static func read(_ path: String) throws -> [UInt8]? {
        var status = stat()
        guard lstat(path.systemPath, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw ElementError(
                .openRead, "not a regular file, or other users have access to the file. Delete the file.")
        }
        let bytes = try readFile(path, atMost: size)
        guard bytes.count == size else {
            throw ElementError(.read, "the size of the file is not \(size) bytes. Delete the file.")
        }
        return bytes
    }

    private static func create(_ path: String) throws -> [UInt8] {
        if let folder = path.lastIndex(of: "/").map({ String(path[..<$0]) }) { try Folder.make(folder) }
        let secret = random()
        try createFile(path, with: secret)
        return secret
    }

    private static func random() -> [UInt8] {
        var system = SystemRandomNumberGenerator()
        return (0..<size).map { _ in system.next() }
    }
}
