import CGStreamer
import ElementKit
import Vision

/// Labels, and pictures of what they stand for, as they were read.
struct TrainingSet: Sendable {
    struct Sample: Sendable {
        let label: Int
        let name: String
        let picture: BlobPicture
    }

    let labels: [String]
    let samples: [Sample]
    /// What of it could not be read.
    let warnings: [ElementError]

    /// Reads a list (XML or binary property list, or JSON) with its pictures, or a folder with a sub-folder of pictures
    /// for each label. A picture that cannot be read is left out.
    /// - Parameter isObsolete: asked before each picture; true ends the work with an error.
    /// - Throws: `ElementError` with the path: what cannot be read, is wrong in the list, or leaves no picture at all.
    init(_ path: String, unless isObsolete: () -> Bool) throws {
        let list = try TrainingList(at: path)
        var samples: [Sample] = []
        var warnings: [ElementError] = []
        for entry in list.blobs {
            do {
                let file = list.path(of: entry)
                let picture = try Picture.load(file, unless: isObsolete)
                guard let picture = try picture.withImage({ try BlobPicture($0) }) else { continue }
                samples.append(Sample(label: entry.label, name: entry.imageFilename, picture: picture))
            } catch {
                warnings.append(ElementError(error))
            }
            if isObsolete() { break }
        }
        guard !samples.isEmpty else {
            throw ElementError(
                .resource(GST_RESOURCE_ERROR_NOT_FOUND),
                "\(path): none of the \(list.blobs.count) training pictures can be used",
                details: warnings.map(\.message).joined(separator: "\n"))
        }
        labels = list.labelDescriptions
        self.samples = samples
        self.warnings = warnings
    }
}

extension TrainingList {
    fileprivate init(at path: String) throws {
        do {
            if g_file_test(path, G_FILE_TEST_IS_DIR) != 0 {
                var files: [String: [String]] = [:]
                for folder in try Folder(path).folders {
                    files[folder.lastComponent] = try Folder(folder).files.map(\.lastComponent)
                }
                try self.init(folder: path, files: files)
            } else {
                let slash = path.lastIndex(of: "/")
                try self.init(
                    try readFile(path, as: "a training list"), folder: slash.map { String(path[..<$0]) } ?? "")
            }
        } catch let error as TrainingError {
            throw ElementError(.resource(GST_RESOURCE_ERROR_READ), "\(path): \(error)")
        }
    }
}

extension String {
    fileprivate var lastComponent: String { split(separator: "/").last.map(String.init) ?? self }
}
