// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Vision

/// Logo templates from image files. The name of a template is the file name.
struct Templates: Sendable {
    var logos: [LogoTemplate] = []
    /// The errors of images that were skipped.
    var errors: [ElementError] = []

    /// Loads the logo in an image file.
    /// - Throws: `ElementError` if the file is not an image, or the image has too few details.
    static func load(_ path: String, unless isObsolete: () -> Bool) throws -> Templates {
        do {
            return Templates(logos: try learn(path, unless: isObsolete))
        } catch let error as TemplateError {
            throw unsuitable(path, error)
        }
    }

    private static func learn(_ path: String, unless isObsolete: () -> Bool) throws -> [LogoTemplate] {
        let picture = try Picture.load(path, unless: isObsolete)
        return try picture.withImage { try LogoTemplate($0, name: name(path)) }.map { [$0] } ?? []
    }

    private static func unsuitable(_ path: String, _ error: TemplateError) -> ElementError {
        ElementError(.wrongType, "cannot use \"\(path)\": \(error)")
    }

    /// Loads the logos at a path: a folder of images, an image file, or several image files with commas between them.
    /// The images of a folder are loaded in the order of their names; files that are no images are skipped. Images
    /// without a logo are skipped, and their errors are stored.
    /// - Throws: `ElementError` if there is no logo at all, or a file in the list is missing or no image.
    static func loadAll(_ path: String, unless isObsolete: () -> Bool) throws -> Templates {
        let files = path.split(separator: ",").map { String($0.drop { $0 == " " }) }
        var errors: [ElementError] = []
        func logos(_ path: String) throws -> [LogoTemplate] {
            do {
                return try learn(path, unless: isObsolete)
            } catch let error as TemplateError {
                errors.append(unsuitable(path, error))
                return []
            }
        }
        if files.count > 1, !fileExists(path) {
            let logos = try files.flatMap(logos)
            if logos.isEmpty, let error = errors.first { throw error }
            return Templates(logos: logos, errors: errors)
        }
        if FileStamp(path)?.isFolder == false { return try load(path, unless: isObsolete) }
        let logos = try Folder.loadAll(
            path, or: "no image in this folder shows a logo", unless: isObsolete, logos)
        return Templates(logos: logos, errors: errors)
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
