import CGStreamer

/// What is in a folder, sorted by name; hidden files, whose names begin with a dot, are left out.
package struct Folder: Sendable {
    /// The paths of files.
    package let files: [String]
    /// The paths of folders within.
    package let folders: [String]

    /// - Throws: `ElementError` resource/not-found or resource/open-read, with the path.
    package init(_ path: String) throws {
        guard g_file_test(path, G_FILE_TEST_IS_DIR) != 0 else {
            throw ElementError(.resource(GST_RESOURCE_ERROR_NOT_FOUND), "\(path): there is no such folder")
        }
        var error: UnsafeMutablePointer<GError>?
        guard let folder = g_dir_open(path, 0, &error) else {
            let details = error?.pointee.message.map { String(cString: $0) }
            g_clear_error(&error)
            throw ElementError(
                .resource(GST_RESOURCE_ERROR_OPEN_READ), "\(path): the folder cannot be read", details: details)
        }
        defer { g_dir_close(folder) }
        var names: [String] = []
        while let name = g_dir_read_name(folder) { names.append(String(cString: name)) }
        let paths = names.filter { !$0.hasPrefix(".") }.sorted().map { "\(path)/\($0)" }
        files = paths.filter { g_file_test($0, G_FILE_TEST_IS_REGULAR) != 0 }
        folders = paths.filter { g_file_test($0, G_FILE_TEST_IS_DIR) != 0 }
    }
}
