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
    }

    /// What the labels are called; the first one is for what is not identified.
    package var labelDescriptions: [String]
    package var blobs: [Entry]
    /// Where the pictures are.
    package var folder = ""

    /// The file that `write` makes, and that a folder is searched for.
    package static let fileName = "training.plist"

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

/// Why there is no training list.
package enum TrainingError: Error, CustomStringConvertible, Hashable {
    /// Neither a file nor a folder is there.
    case missing(path: String)
    /// It cannot be read or written.
    case unusable(path: String, reason: String)
    /// Its contents are not what they should be; the reason names the key.
    case malformed(path: String, reason: String)

    package var description: String {
        switch self {
        case .missing(let path): "there is no training file or folder \"\(path)\""
        case .unusable(let path, let reason): "\"\(path)\": \(reason)"
        case .malformed(let path, let reason): "\"\(path)\" is not a training list: \(reason)"
        }
    }
}

// MARK: - Reading

extension TrainingList {
    /// Reads a list, or makes one of a folder: its `training.plist`, else a label for each sub-folder that has pictures, in
    /// alphabetical order.
    package init(path: String) throws(TrainingError) {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw .missing(path: path)
        }
        let list = "\(path)/\(Self.fileName)"
        if !isFolder {
            try self.init(file: path)
        } else if FileManager.default.fileExists(atPath: list) {
            try self.init(file: list)
        } else {
            try self.init(folder: path)
        }
    }

    private init(file path: String) throws(TrainingError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .unusable(path: path, reason: "the file cannot be read")
        }
        do throws(Malformation) {
            try self.init(data)
        } catch {
            throw .malformed(path: path, reason: error.reason)
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        folder = parts.isEmpty ? "." : parts.count == 1 && parts.first == "" ? "/" : parts.joined(separator: "/")
    }

    /// What pictures are called that a folder is searched for.
    private static let endings = [
        ".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".gif", ".pgm", ".ppm", ".pnm",
    ]

    private init(folder path: String) throws(TrainingError) {
        self.init(labelDescriptions: ["unidentified"], blobs: [])
        folder = path
        for label in try Self.contents(of: path) {
            var isFolder = false
            guard FileManager.default.fileExists(atPath: "\(path)/\(label)", isDirectory: &isFolder), isFolder else {
                continue
            }
            let pictures = try Self.contents(of: "\(path)/\(label)").filter { name in
                Self.endings.contains { name.lowercased().hasSuffix($0) }
            }
            guard !pictures.isEmpty else { continue }
            blobs += pictures.map { Entry(imageFilename: "\(label)/\($0)", label: labelDescriptions.count) }
            labelDescriptions.append(label)
        }
        guard !blobs.isEmpty else {
            throw .unusable(
                path: path, reason: "the folder has neither a \(Self.fileName) nor sub-folders with pictures")
        }
    }

    private static func contents(of path: String) throws(TrainingError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).filter { !$0.hasPrefix(".") }.sorted()
        } catch {
            throw .unusable(path: path, reason: "the folder cannot be read")
        }
    }
}

// MARK: - What is in a file

extension TrainingList {
    /// What a file is not, in words.
    private struct Malformation: Error {
        let reason: String
    }

    private struct Contents: Codable {
        var labelDescriptions: [String]
        var blobs: [Entry]
    }

    private init(_ data: Data) throws(Malformation) {
        let isJSON = data.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
        let contents: Contents
        do {
            contents =
                isJSON
                ? try JSONDecoder().decode(Contents.self, from: data)
                : try PropertyListDecoder().decode(Contents.self, from: data)
        } catch let error as DecodingError {
            throw Malformation(reason: Self.reason(error))
        } catch {
            throw Malformation(reason: "neither a property list nor JSON")
        }
        self.init(labelDescriptions: contents.labelDescriptions, blobs: contents.blobs)
        guard !labelDescriptions.isEmpty else {
            throw Malformation(reason: "labelDescriptions is empty; the first one is for what is not identified")
        }
        for (index, entry) in blobs.enumerated() {
            guard labelDescriptions.indices.contains(entry.label) else {
                throw Malformation(
                    reason: "blobs[\(index)].label is \(entry.label), and labelDescriptions has 0 to "
                        + "\(labelDescriptions.count - 1)")
            }
            guard !entry.imageFilename.isEmpty, !entry.imageFilename.utf8.contains(0) else {
                throw Malformation(reason: "blobs[\(index)].imageFilename is no file name")
            }
        }
        guard !blobs.isEmpty else { throw Malformation(reason: "blobs is empty") }
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
                default: context.codingPath.isEmpty ? "a dictionary" : "what it should be"
                }
            return "\(context.codingPath.isEmpty ? "the top" : place(context.codingPath)) is not \(wanted)"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            return "\(place(context.codingPath)) is not what it should be"
        default:
            return "neither a property list nor JSON"
        }
    }
}

// MARK: - Writing

extension TrainingList {
    /// Writes `training.plist`, an XML property list, into a folder that is there.
    package func write(intoFolder path: String) throws(TrainingError) {
        let file = "\(path)/\(Self.fileName)"
        do {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .xml
            let data = try encoder.encode(Contents(labelDescriptions: labelDescriptions, blobs: blobs))
            try data.write(to: URL(filePath: file), options: .atomic)
        } catch {
            throw .unusable(path: file, reason: "the file cannot be written")
        }
    }
}
