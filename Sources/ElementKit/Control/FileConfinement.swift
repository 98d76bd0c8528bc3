// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc

/// The files that a web page of svwebsink may choose.
package enum ControlledFiles: Sendable {
    /// The files in the upload folder (nil = no folder), and the files in the same folder as a property's current file.
    case uploads(in: String?)
    /// All files, and all text properties of all elements.
    case any
}

extension ControlledFiles {
    var isAny: Bool {
        if case .any = self { true } else { false }
    }

    /// Returns the reason why a web page must not choose this path; nil if a web page may choose it.
    /// - Parameters:
    ///   - now: the current path of the property; nil if the property has no path.
    ///   - isFolder: true if the path must be a folder.
    func obstacle(to path: String, now: String?, isFolder: Bool) -> String? {
        guard case .uploads(let uploads) = self, !path.isEmpty, path != "none", path != now else { return nil }
        let refusal =
            "the page can use only uploaded files, and files in the folder of the property's current file. To allow "
            + "all files, set files=any in svwebsink"
        if isFolder {
            guard let real = Self.realPath(path) else { return "cannot use \"\(path)\": no such folder" }
            return [uploads, now].contains { $0.flatMap(Self.realPath) == real } ? nil : refusal
        }
        let (folder, name) = path.pathParts
        guard !["", ".", ".."].contains(name), let real = Self.realPath(folder),
            [uploads, now.flatMap(Self.folder(of:))].contains(where: { $0.flatMap(Self.realPath) == real })
        else { return refusal }
        // A symbolic link may point to any file, so only regular files are allowed.
        var status = stat()
        guard lstat(path.systemPath, &status) == 0 else { return "cannot use \"\(path)\": no such file" }
        return status.st_mode & S_IFMT == S_IFREG ? nil : "cannot use \"\(path)\": not a regular file"
    }

    /// The maximum number of files in the list of choices.
    private static let maxChoices = 500

    /// Returns the files that a web page can choose for a property with this path. These are the files of type `kind`
    /// in the same folder, sorted by name. If `kind` is nil, the path is a folder, and the folder is the only choice.
    static func choices(beside path: String?, _ kind: FileKind?) -> JSONValue {
        guard let path, !path.isEmpty else { return .list([]) }
        guard let kind, let folder = folder(of: path) else { return .list([choice(path)]) }
        let files = ((try? Folder(folder).files) ?? []).filter { $0 == path || FileKind(ofFileAt: $0) == kind }
        return .list(files.prefix(maxChoices).map(choice))
    }

    /// Returns the folder of a file; nil if the path has no folder. The folder is then unknown, because the path may be
    /// relative to the working directory, or the name of an installed cascade file.
    private static func folder(of path: String) -> String? {
        let folder = path.pathParts.folder
        return folder == "." ? nil : folder
    }

    private static func choice(_ path: String) -> JSONValue {
        .table([("name", .text(path.pathParts.name)), ("path", .text(path))])
    }

    /// Returns the path with symbolic links resolved; nil if the file does not exist.
    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path.systemPath, nil) else { return nil }
        defer { free(real) }
        return String(systemPath: real)
    }
}
