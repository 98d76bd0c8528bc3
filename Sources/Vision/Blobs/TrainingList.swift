import FoundationEssentials

/// Which pictures show what: BeanCounter's training file, a property list (XML or binary) or JSON of the same shape.
package struct TrainingList: Sendable, Hashable {
    package struct Entry: Sendable, Hashable, Codable {
        /// Relative to the list's folder.
        package var imageFilename: String
        /// A place in `labelDescriptions`.
        package var label: Int

        package init(imageFilename: String, label: Int) {
            self.imageFilename = imageFilename
            self.label = label
        }

        package init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            imageFilename = try values.decode(String.self, forKey: .imageFilename)
            do {
                label = try values.decode(Int.self, forKey: .label)
            } catch  where !(error is DecodingError) {
                // JSON's decoder does not say where a number with a fraction, or too large a one, is.
                throw DecodingError.typeMismatch(
                    Int.self, .init(codingPath: decoder.codingPath + [CodingKeys.label], debugDescription: "\(error)"))
            }
        }
    }

    /// What the labels are called; the first one is for what is not identified.
    package var labelDescriptions: [String]
    package var blobs: [Entry]
    /// Where the pictures are.
    package var folder = ""

    package init(labelDescriptions: [String], blobs: [Entry]) {
        self.labelDescriptions = labelDescriptions
        self.blobs = blobs
    }

    /// Where an entry's picture is.
    package func path(of entry: Entry) -> String {
        entry.imageFilename.hasPrefix("/") || folder.isEmpty
            ? entry.imageFilename : "\(folder)/\(entry.imageFilename)"
    }
}

/// What is wrong with a training list; the reason names the key.
package struct TrainingError: Error, CustomStringConvertible, Hashable {
    package let reason: String

    package var description: String { reason }
}

// MARK: - Folders

extension TrainingList {
    /// How names of files end that are taken for pictures.
    private static let endings = [
        ".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".gif", ".pgm", ".ppm", ".pnm",
    ]

    /// A list of what is in a folder: a label for each sub-folder that has pictures.
    /// - Parameters:
    ///   - folder: where the sub-folders are.
    ///   - files: for each sub-folder's name the names of the files in it.
    package init(folder: String, files: [String: [String]]) throws(TrainingError) {
        self.init(labelDescriptions: ["unidentified"], blobs: [])
        self.folder = folder
        for (label, names) in files.sorted(by: { $0.key < $1.key }) {
            let pictures = names.filter { name in Self.endings.contains { name.lowercased().hasSuffix($0) } }.sorted()
            guard !pictures.isEmpty else { continue }
            blobs += pictures.map { Entry(imageFilename: "\(label)/\($0)", label: labelDescriptions.count) }
            labelDescriptions.append(label)
        }
        guard !blobs.isEmpty else { throw TrainingError(reason: "no sub-folder has pictures") }
    }
}

// MARK: - What is in a file

extension TrainingList {
    private struct Contents: Codable {
        var labelDescriptions: [String]
        var blobs: [Entry]
    }

    /// Reads the contents of a file.
    /// - Parameter folder: where the pictures are.
    package init(_ bytes: [UInt8], folder: String) throws(TrainingError) {
        let data = Data(bytes)
        let isJSON = bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
        let contents: Contents
        do {
            contents =
                isJSON
                ? try JSONDecoder().decode(Contents.self, from: data)
                : try PropertyListDecoder().decode(Contents.self, from: data)
        } catch let error as DecodingError {
            throw TrainingError(reason: Self.reason(error))
        } catch {
            throw TrainingError(reason: "neither a property list nor JSON")
        }
        self.init(labelDescriptions: contents.labelDescriptions, blobs: contents.blobs)
        self.folder = folder
        guard !labelDescriptions.isEmpty else {
            throw TrainingError(reason: "labelDescriptions is empty; the first one is for what is not identified")
        }
        for (index, entry) in blobs.enumerated() {
            guard labelDescriptions.indices.contains(entry.label) else {
                throw TrainingError(
                    reason: "blobs[\(index)].label is \(entry.label), and labelDescriptions has 0 to "
                        + "\(labelDescriptions.count - 1)")
            }
            guard !entry.imageFilename.isEmpty, !entry.imageFilename.utf8.contains(0) else {
                throw TrainingError(reason: "blobs[\(index)].imageFilename is no file name")
            }
        }
        guard !blobs.isEmpty else { throw TrainingError(reason: "blobs is empty") }
    }

    private static func reason(_ error: DecodingError) -> String {
        func place(_ path: [any CodingKey]) -> String {
            let text = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
            return text.hasPrefix(".") ? String(text.dropFirst()) : text
        }
        switch error {
        case .keyNotFound(let key, let context):
            return "\(place(context.codingPath + [key])) is missing"
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let wanted =
                switch type {
                case is String.Type: "a text"
                case is Int.Type: "a whole number"
                case is [Any].Type: "a list"
                default: "what it should be"
                }
            return context.codingPath.isEmpty
                ? "no dictionary of labelDescriptions and blobs" : "\(place(context.codingPath)) is not \(wanted)"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            return "\(place(context.codingPath)) is not what it should be"
        default:
            return "neither a property list nor JSON"
        }
    }
}

// MARK: - Writing

extension TrainingList {
    /// The list as an XML property list.
    package func propertyList() throws(TrainingError) -> [UInt8] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        do {
            return [UInt8](try encoder.encode(Contents(labelDescriptions: labelDescriptions, blobs: blobs)))
        } catch {
            throw TrainingError(reason: "the list cannot be written")
        }
    }
}
