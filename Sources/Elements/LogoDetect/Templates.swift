// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Vision

/// Logos from picture files, named after them.
enum Templates {
    /// Loads the logo in a picture file.
    /// - Throws: `ElementError` if there is no such picture or it has too little in it to recognise a logo by.
    static func load(_ path: String, unless isObsolete: () -> Bool) throws -> [LogoTemplate] {
        let picture = try Picture.load(path, unless: isObsolete)
        do {
            return try picture.withImage { try LogoTemplate($0, name: name(path)) }.map { [$0] } ?? []
        } catch let error as TemplateError {
            throw ElementError(.wrongType, "cannot use \"\(path)\": \(error)")
        }
    }

    /// Loads the logo of each picture in a folder, in the order of their names; files that are not pictures, or have no
    /// logo, are left out. Or loads the logos of picture files, with commas between.
    /// - Throws: `ElementError` if no logo is left of a folder, or one of several files has none.
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

    /// Returns a file's name without folder and extension.
    private static func name(_ path: String) -> String {
        let file = path.lastPathComponent
        guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return file }
        return String(file[..<dot])
    }

    static let missing = ElementError(
        .unsuitable,
        "no logo to detect. Set template to an image file, or templates to a folder of images.")
}
