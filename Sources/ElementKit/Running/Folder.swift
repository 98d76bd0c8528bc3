// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Files
import Glibc

/// The contents of a folder, sorted by name, without hidden files (names with a leading dot).
package struct Folder: Sendable {
    /// The paths of the files.
    package let files: [String]
    /// The paths of the subfolders.
    package let folders: [String]

    /// - Throws: `ElementError` resource/not-found or resource/open-read, with the path.
    package init(_ path: String) throws {
        guard Self.exists(path) else {
            throw ElementError(.notFound, "cannot read \"\(path)\": no such folder")
        }
        var error: UnsafeMutablePointer<GError>?
        guard let folder = g_dir_open(path.systemPath, 0, &error) else {
            let details = error?.pointee.message.map { String(cString: $0) }
            g_clear_error(&error)
            throw ElementError(.openRead, "cannot read the folder \"\(path)\"", details: details)
        }
        defer { g_dir_close(folder) }
        var names: [String] = []
        while let name = g_dir_read_name(folder) { names.append(String(systemPath: name)) }
        let paths = names.filter { $0.utf8.first != UInt8(ascii: ".") }.sorted().map { "\(path)/\($0)" }
        files = paths.filter { g_file_test($0.systemPath, G_FILE_TEST_IS_REGULAR) != 0 }
        folders = paths.filter(Self.exists)
    }

    /// Loads all files of a folder, sorted by name. Skips files that fail to load.
    /// - Parameters:
    ///   - complaint: the text of the error message if no file could be loaded. The path of the folder comes before
    ///     this text.
    ///   - isObsolete: called before each file. If it returns true, loading stops.
    package static func loadAll<Item>(
        _ path: String, or complaint: String, unless isObsolete: () -> Bool, _ load: (String) throws -> [Item]
    ) throws -> [Item] {
        var items: [Item] = []
        var reasons: [String] = []
        for file in try Folder(path).files where !isObsolete() {
            do { items += try load(file) } catch { reasons.append(ElementError(error).message) }
        }
        guard !items.isEmpty else {
            throw ElementError(
                .wrongType, "cannot use \"\(path)\": \(complaint)", details: reasons.joined(separator: "\n"))
        }
        return items
    }

    package static func exists(_ path: String) -> Bool { g_file_test(path.systemPath, G_FILE_TEST_IS_DIR) != 0 }

    /// Creates the folder and its parents if they do not exist.
    package static func make(_ path: String) throws(ElementError) {
        guard g_mkdir_with_parents(path.systemPath, 0o777) == 0 else {
            throw ElementError(.openWrite, "cannot create the folder \"\(path)\"")
        }
    }

    /// Returns true if both paths refer to the same existing folder.
    package static func isSame(_ first: String, _ second: String) -> Bool {
        var (a, b) = (stat(), stat())
        return stat(first.systemPath, &a) == 0 && stat(second.systemPath, &b) == 0 && a.st_dev == b.st_dev
            && a.st_ino == b.st_ino
    }
}
