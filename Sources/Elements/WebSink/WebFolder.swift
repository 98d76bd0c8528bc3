// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc

/// The folder for uploads and recordings: either a folder of the user, or a temporary folder that only this user can
/// read. `remove` deletes the temporary folder, unless this folder contains recordings.
struct WebFolder: Sendable {
    let path: String
    private let isOwn: Bool

    /// - Parameter location: the path of the user's folder; nil for a temporary folder.
    init(_ location: String?) throws(ElementError) {
        if let location {
            try Folder.make(location)
            // Make the path absolute, because other elements and the page use this path independently of the current
            // folder.
            guard let real = realpath(location.systemPath, nil) else {
                throw ElementError(
                    .notFound,
                    "cannot use upload-location=\(location): \(String(cString: strerror(errno))). Set another folder.")
            }
            defer { free(real) }
            (path, isOwn) = (String(systemPath: real), false)
            guard access(path.systemPath, W_OK) == 0 else {
                throw ElementError(
                    .openWrite,
                    "cannot use upload-location=\(location): no permission to write to the folder. Set another "
                        + "folder.")
            }
        } else {
            let parent = getenv("TMPDIR").map { String(systemPath: $0) } ?? "/tmp"
            var name = "\(parent)/svwebsink-XXXXXX".systemPath
            guard mkdtemp(&name) != nil else {
                throw ElementError(
                    .openWrite,
                    "cannot create a folder for uploads in \(parent): \(String(cString: strerror(errno))). "
                        + "Set upload-location."
                )
            }
            (path, isOwn) = (String(systemPath: name.dropLast().map { UInt8(bitPattern: $0) }), true)
        }
    }

    /// Deletes the folder if it is temporary.
    /// - Parameter names: the names of files to keep. If such files exist, the folder stays.
    func remove(except names: Set<String> = []) {
        guard isOwn, let directory = opendir(path.systemPath) else { return }
        while let entry = readdir(directory) {
            // Delete only files, because this element creates no subfolders. If another program has created a
            // subfolder, the subfolder stays, and `rmdir` does not delete the folder.
            withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    if !names.contains(String(systemPath: name)) { unlinkat(dirfd(directory), name, 0) }
                }
            }
        }
        closedir(directory)
        rmdir(path.systemPath)
    }

    /// The files in the folder (at most 500), with their sizes in bytes.
    var files: [(path: String, name: String, bytes: Int64)] {
        ((try? Folder(path).files) ?? []).prefix(500).map { file in
            var status = stat()
            let bytes = stat(file.systemPath, &status) == 0 ? Int64(status.st_size) : 0
            return (file, file.lastPathComponent, bytes)
        }
    }
}
