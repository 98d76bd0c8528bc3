// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc

/// The files that may be chosen from afar.
package enum ControlledFiles: Sendable {
    /// Those in this folder, if there is one, and those beside the file that a property names already.
    case uploads(in: String?)
    /// All files, and all texts of all elements.
    case any
}

extension ControlledFiles {
    var isAny: Bool {
        if case .any = self { true } else { false }
    }

    /// Returns why a path must not be chosen; nil if it may.
    /// - Parameters:
    ///   - now: the path that the property has; nil for none.
    ///   - isFolder: true if it is to be a folder.
    func obstacle(to path: String, now: String?, isFolder: Bool) -> String? {
        guard case .uploads(let uploads) = self, !path.isEmpty, path != "none", path != now else { return nil }
        let refusal =
            "the page can use only uploads and files in the same folder as the current file. To allow all files, set "
            + "files=any in svwebsink"
        if isFolder {
            guard let real = Self.realPath(path) else { return "cannot use \"\(path)\": no such folder" }
            return [uploads, now].contains { $0.flatMap(Self.realPath) == real } ? nil : refusal
        }
        let (folder, name) = path.pathParts
        guard !["", ".", ".."].contains(name), let real = Self.realPath(folder),
            [uploads, now.flatMap(Self.folder(of:))].contains(where: { $0.flatMap(Self.realPath) == real })
        else { return refusal }
        // A link may lead anywhere.
        var status = stat()
        guard lstat(path.systemPath, &status) == 0 else { return "cannot use \"\(path)\": no such file" }
        return status.st_mode & S_IFMT == S_IFREG ? nil : "cannot use \"\(path)\": not a regular file"
    }

    /// The most files that are offered.
    private static let mostChoices = 500

    /// Returns what may be chosen beside a path, by name: the files of a kind or, if it is nil, the folder that the path is.
    static func choices(beside path: String?, _ kind: FileKind?) -> JSONValue {
        guard let path, !path.isEmpty else { return .list([]) }
        guard let kind, let folder = folder(of: path) else { return .list([choice(path)]) }
        let files = ((try? Folder(folder).files) ?? []).filter { $0 == path || FileKind(ofFileAt: $0) == kind }
        return .list(files.prefix(mostChoices).map(choice))
    }

    /// Returns the folder that a file is in; nil for a name alone: it is in whatever folder the program was started in, or in none, as
    /// the name of a cascade.
    private static func folder(of path: String) -> String? {
        let folder = path.pathParts.folder
        return folder == "." ? nil : folder
    }

    private static func choice(_ path: String) -> JSONValue {
        .table([("name", .text(path.pathParts.name)), ("path", .text(path))])
    }

    /// Returns the path without links; nil if nothing is there.
    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path.systemPath, nil) else { return nil }
        defer { free(real) }
        return String(systemPath: real)
    }
}
