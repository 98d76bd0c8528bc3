// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc

/// Reasons why a cascade file cannot be used.
package enum CascadeError: Error, CustomStringConvertible, Hashable {
    /// No file with the name `name` exists. `folders` contains the searched folders. If `name` is a path, `folders` is
    /// empty.
    case missing(name: String, folders: [String])
    /// The file exists but does not contain a valid cascade.
    case unusable(path: String, reason: String)
    /// The file contains a cascade for another purpose, or with unsupported features.
    case unsuitable(path: String, reason: String)

    package var description: String {
        switch self {
        case .missing(let name, []):
            "cannot read \"\(name)\": no such file. Use a file from the package opencv-data."
        case .missing(let name, let folders):
            "cannot find the cascade file \"\(name)\" in \(folders.joined(separator: ", ")). "
                + "Install the package opencv-data."
        case .unusable(let path, let reason):
            "cannot read \"\(path)\": not a cascade file: \(reason). Use a file from the package opencv-data."
        case .unsuitable(let path, let reason):
            "cannot use \"\(path)\": unsuitable cascade: \(reason). Use another file from the package opencv-data."
        }
    }
}

/// Locates cascade files by name.
package struct CascadeLibrary: Sendable, Hashable {
    /// Folders in which the packages of OpenCV install data files.
    package static let usualRoots = [
        "/usr/share/opencv4", "/usr/local/share/opencv4", "/usr/share/opencv", "/usr/local/share/opencv",
        "/usr/share/OpenCV", "/usr/local/share/OpenCV",
    ]

    /// The searched folders, in search order.
    package let folders: [String]

    /// - Parameters:
    ///   - directory: a folder that is searched first (property `cascade-dir`). If nil or empty, only `roots` are
    ///     searched.
    ///   - roots: folders. The search uses their subfolders `haarcascades` and `lbpcascades`.
    package init(directory: String? = nil, roots: [String] = usualRoots) {
        let named = directory.flatMap { $0.isEmpty ? nil : $0 }
        let userFolders = named.map { [$0, "\($0)/haarcascades", "\($0)/lbpcascades"] } ?? []
        folders = userFolders + roots.flatMap { ["\($0)/haarcascades", "\($0)/lbpcascades"] }
    }

    /// Returns the path of a cascade file.
    /// - Parameter name: a file name, or a path if the name contains a slash. The ending ".xml" may be omitted.
    package func path(of name: String) throws(CascadeError) -> String {
        guard !name.isEmpty else { throw .missing(name: name, folders: folders) }
        let candidates = name.hasSuffix(".xml") ? [name] : [name, "\(name).xml"]
        if name.contains("/") {
            guard let path = candidates.first(where: isFile) else { throw .missing(name: name, folders: []) }
            return path
        }
        for folder in folders {
            if let file = candidates.first(where: { isFile("\(folder)/\($0)") }) { return "\(folder)/\(file)" }
        }
        throw .missing(name: name, folders: folders)
    }

    private func isFile(_ path: String) -> Bool {
        var status = stat()
        return !path.utf8.contains(0) && stat(path.systemPath, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
