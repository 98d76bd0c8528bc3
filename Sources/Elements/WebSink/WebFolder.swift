// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc

/// Where uploads and recordings are: in a folder that the user names, or in one of the element's own, which nobody else
/// may read and which is removed, unless there are recordings in it.
struct WebFolder: Sendable {
    let path: String
    private let isOwn: Bool

    /// - Parameter location: nil for one of its own.
    init(_ location: String?) throws(ElementError) {
        if let location {
            try Folder.make(location)
            // As other elements and the page are to name it, whatever the current folder is.
            guard let real = realpath(location.systemPath, nil) else {
                throw ElementError(
                    .notFound, "cannot use upload-location=\(location): \(String(cString: strerror(errno)))")
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

    /// Removes it, if it is the element's own.
    /// - Parameter names: files that stay, and the folder with them.
    func remove(except names: Set<String> = []) {
        guard isOwn, let directory = opendir(path.systemPath) else { return }
        while let entry = readdir(directory) {
            // What is no file stays, and the folder with it: this element makes none.
            withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    if !names.contains(String(systemPath: name)) { unlinkat(dirfd(directory), name, 0) }
                }
            }
        }
        closedir(directory)
        rmdir(path.systemPath)
    }

    /// The files that are there, and their sizes.
    var files: [(path: String, name: String, bytes: Int64)] {
        ((try? Folder(path).files) ?? []).prefix(500).map { file in
            var status = stat()
            let bytes = stat(file.systemPath, &status) == 0 ? Int64(status.st_size) : 0
            return (file, file.lastPathComponent, bytes)
        }
    }
}
