// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
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
            throw ElementError(.wrongType, "\(path): \(error)")
        }
    }

    /// Loads the logo of each picture in a folder, in the order of their names. Files that are not pictures, or have no
    /// logo, are left out.
    /// - Throws: `ElementError` if none is left.
    static func loadAll(_ path: String, unless isObsolete: () -> Bool) throws -> [LogoTemplate] {
        try Folder.loadAll(path, or: "no picture of a logo is in this folder", unless: isObsolete) {
            try load($0, unless: isObsolete)
        }
    }

    /// Returns a file's name without folder and extension.
    private static func name(_ path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return file }
        return String(file[..<dot])
    }

    static let missing = ElementError(
        .unsuitable,
        "there is no logo to look for: set template to a picture of one, or templates to a folder of such pictures")
}
