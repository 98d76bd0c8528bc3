// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Vision

/// Labels and training images that are read from files.
package struct TrainingSet: Sendable {
    package var labels = ["unidentified"]
    package var samples: [BlobClassifier.Sample] = []
    /// An error for each image that cannot be read.
    var warnings: [ElementError] = []
    var path = ""
    /// Folder of the images.
    var folder: String?

    init() {}

    /// Reads a training list (XML or binary property list, or JSON) and its images. If the path is a folder, reads the
    /// list in this folder. If the folder has no list, each subfolder with images becomes a label. Images that cannot
    /// be read are skipped.
    /// - Parameter isObsolete: called before each image. If it returns true, the initializer throws an error.
    /// - Throws: `ElementError` with the path, if the list cannot be read or is malformed, or if no image can be used.
    package init(_ path: String, unless isObsolete: () -> Bool) throws {
        let list = try TrainingList(at: path)
        self.path = path
        labels = list.labelDescriptions
        folder = list.folder.isEmpty ? "." : list.folder
        for entry in list.blobs {
            do {
                let file = try Picture.load(list.path(of: entry), unless: isObsolete)
                let picture = try file.withImage { try BlobPicture(photo: $0, hasAlpha: file.hasAlpha) }
                guard let picture else { continue }
                samples.append(
                    BlobClassifier.Sample(
                        label: entry.label, name: entry.imageFilename, picture: try picture.forKeeping(),
                        sizePer10000: entry.sizePer10000))
            } catch {
                guard !isObsolete() else { throw error }
                warnings.append(ElementError(error))
            }
        }
        guard !samples.isEmpty else { throw Self.unusable(path, list.blobs.count, warnings) }
    }

    static func unusable(_ path: String, _ count: Int, _ reasons: [ElementError]) -> ElementError {
        ElementError(
            .notFound, "cannot read \"\(path)\": none of the \(count) training images can be used",
            details: reasons.map(\.message).joined(separator: "\n"))
    }
}

extension TrainingList {
    fileprivate init(at given: String) throws {
        let path = Folder.exists(given) ? Self.existing(in: given) ?? given : given
        do {
            if Folder.exists(path) {
                let files = try Folder(path).folders.map { folder in
                    (label: folder.lastPathComponent, names: try Folder(folder).files.map(\.lastPathComponent))
                }
                try self.init(folder: path, files: files)
            } else {
                try self.init(
                    try readFile(path, as: "a training list", atMost: Self.largestFile),
                    folder: path.utf8.contains(UInt8(ascii: "/")) ? path.pathParts.folder : "")
            }
        } catch let error as TrainingError {
            throw ElementError(.read, "cannot read \"\(path)\": \(error)")
        }
    }
}
