// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Vision

/// Logo templates from image files. The name of a template is the file name.
enum Templates {
    /// Loads the logo in an image file.
    /// - Throws: `ElementError` if the file is not an image, or the image has too few details.
    static func load(_ path: String, unless isObsolete: () -> Bool) throws -> [LogoTemplate] {
        let picture = try Picture.load(path, unless: isObsolete)
        do {
            return try picture.withImage { try LogoTemplate($0, name: name(path)) }.map { [$0] } ?? []
        } catch let error as TemplateError {
            throw ElementError(.wrongType, "cannot use \"\(path)\": \(error)")
        }
    }

    /// Loads the logos at a path: a folder of images, an image file, or several image files with commas between them.
    /// The images of a folder are loaded in the order of their names; files without a logo are skipped.
    /// - Throws: `ElementError` if a folder has no file with a logo, or a file in the list has no logo.
    static func loadAll(_ path: String, unless isObsolete: () -> Bool) throws -> [LogoTemplate] {
        let files = path.split(separator: ",").map { String($0.drop { $0 == " " }) }
        if files.count > 1, !fileExists(path) {
            return try files.flatMap { try load($0, unless: isObsolete) }
        }
        if FileStamp(path)?.isFolder == false { return try load(path, unless: isObsolete) }
        return try Folder.loadAll(path, or: "no image in this folder shows a logo", unless: isObsolete) {
            try load($0, unless: isObsolete)
        }
    }

    /// Returns the name of a file without folder and extension.
    private static func name(_ path: String) -> String {
        let file = path.lastPathComponent
        guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return file }
        return String(file[..<dot])
    }

    static let missing = ElementError(
        .unsuitable,
        "no logo to detect. Set template to an image file, or templates to a folder of images.")
}
