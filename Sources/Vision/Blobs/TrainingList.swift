// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// A list of training images and their labels. The file is a property list (XML or binary), as in the app BeanCounter,
/// or JSON with the same structure.
package struct TrainingList: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        /// Path of the image file, relative to the list's folder.
        package var imageFilename: String
        /// Index of the label in `labelDescriptions`.
        package var label: Int
        /// Diameter of a disc with the same area as the object, in 1/10000 of the frame's height. Nil if the size is
        /// unknown, as in BeanCounter's lists.
        package var sizePer10000: Int?

        package init(imageFilename: String, label: Int, sizePer10000: Int? = nil) {
            (self.imageFilename, self.label, self.sizePer10000) = (imageFilename, label, sizePer10000)
        }
    }

    /// Names of the labels; the first is for unidentified blobs.
    package var labelDescriptions: [String]
    package var blobs: [Entry]
    /// Folder to which the paths of the images are relative.
    package var folder = ""

    package init(labelDescriptions: [String], blobs: [Entry]) {
        (self.labelDescriptions, self.blobs) = (labelDescriptions, blobs)
    }

    /// Returns the path of an entry's image.
    package func path(of entry: Entry) -> String {
        entry.imageFilename.hasPrefix("/") || folder.isEmpty
            ? entry.imageFilename : "\(folder)/\(entry.imageFilename)"
    }
}

/// An error in a training list.
package struct TrainingError: Error, CustomStringConvertible, Hashable {
    package let reason: String

    package var description: String { reason }
}

// MARK: - Folders

extension TrainingList {
    /// File name extensions that training images may have.
    private static let endings = [
        ".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".gif", ".pgm", ".ppm", ".pnm",
    ]

    /// Creates a list from a folder. Each subfolder that contains images becomes a label.
    /// - Parameters:
    ///   - folder: the path of the folder.
    ///   - files: the name of each subfolder, and the names of its files.
    package init(folder: String, files: [(label: String, names: [String])]) throws(TrainingError) {
        self.init(labelDescriptions: ["unidentified"], blobs: [])
        self.folder = folder
        for (label, names) in files.sorted(by: { $0.label < $1.label }) {
            let pictures = names.filter { name in Self.endings.contains { name.lowercased().hasSuffix($0) } }.sorted()
            guard !pictures.isEmpty else { continue }
            blobs += pictures.map { Entry(imageFilename: "\(label)/\($0)", label: labelDescriptions.count) }
            labelDescriptions.append(label)
        }
        guard !blobs.isEmpty else {
            throw TrainingError(
                reason: "the folder contains no training.plist, no training.json and no subfolder with images")
        }
        guard blobs.count <= Self.largestCount else {
            throw TrainingError(reason: "\(blobs.count) images are more than the maximum of \(Self.largestCount)")
        }
    }
}

// MARK: - Contents of a file

extension TrainingList {
    /// Maximum size of a training list's file, in bytes.
    package static let largestFile = 4 << 20
    /// Maximum number of images, and maximum number of labels.
    package static let largestCount = 10_000
    /// Each entry of a training list counts as up to four values: a dictionary and its two or three members.
    private static let limits = ParsingLimits(depth: 32, values: 100_000, text: largestFile)

    /// Reads a training list from the contents of a file: a property list or JSON.
    /// - Parameter folder: the folder to which the paths of the images are relative.
    package init(_ bytes: [UInt8], folder: String) throws(TrainingError) {
        let contents: JSONValue
        do {
            contents = try JSONValue(propertyListOrJSON: bytes, limits: Self.limits)
        } catch {
            guard !error.isTooMuch else { throw TrainingError(reason: "too large for a training list: \(error)") }
            throw TrainingError(
                reason: "not a training list (a dictionary with labelDescriptions and blobs): \(error)")
        }
        guard contents.isTable else {
            throw TrainingError(reason: "not a training list (a dictionary with labelDescriptions and blobs)")
        }
        self.init(labelDescriptions: [], blobs: [])
        self.folder = folder
        for (index, label) in try contents.list("labelDescriptions").enumerated() {
            guard let text = label.text else {
                throw TrainingError(reason: "labelDescriptions[\(index)] is not a text")
            }
            labelDescriptions.append(text)
        }
        guard !labelDescriptions.isEmpty else {
            throw TrainingError(
                reason: "labelDescriptions is empty. The first entry must be the label of unidentified blobs")
        }
        for (index, entry) in try contents.list("blobs").enumerated() {
            blobs.append(try Entry(entry, "blobs[\(index)]", labels: labelDescriptions.count))
        }
        guard !blobs.isEmpty else { throw TrainingError(reason: "blobs is empty") }
    }
}

extension TrainingList.Entry {
    fileprivate init(_ value: JSONValue, _ place: String, labels: Int) throws(TrainingError) {
        guard value.isTable else { throw TrainingError(reason: "\(place) is not a dictionary") }
        let file = try value.member("imageFilename", "\(place).")
        guard let name = file.text, !name.isEmpty, !name.utf8.contains(0) else {
            throw TrainingError(reason: "\(place).imageFilename is not a file name")
        }
        guard let label = try value.member("label", "\(place).").integer else {
            throw TrainingError(reason: "\(place).label is not a whole number")
        }
        guard 0..<labels ~= label else {
            throw TrainingError(
                reason: "\(place).label is \(label), but labelDescriptions has only the labels 0 to \(labels - 1)")
        }
        var size: Int?
        if let stored = value["sizePer10000"] {
            guard let number = stored.integer, 1...1_000_000 ~= number else {
                throw TrainingError(reason: "\(place).sizePer10000 is not a whole number from 1 to 1000000")
            }
            size = number
        }
        self.init(imageFilename: name, label: label, sizePer10000: size)
    }
}

extension JSONValue {
    fileprivate func member(_ key: String, _ place: String = "") throws(TrainingError) -> JSONValue {
        guard let value = self[key] else { throw TrainingError(reason: "\(place)\(key) is missing") }
        return value
    }

    fileprivate func list(_ key: String) throws(TrainingError) -> [JSONValue] {
        guard let list = try member(key).list else { throw TrainingError(reason: "\(key) is not a list") }
        guard list.count <= TrainingList.largestCount else {
            throw TrainingError(reason: "\(key) has more than \(TrainingList.largestCount) entries")
        }
        return list
    }
}

// MARK: - Writing

extension TrainingList {
    /// Returns the list as an XML property list.
    /// - Throws: `TrainingError` if the list is too large to be read again.
    package func propertyList() throws(TrainingError) -> [UInt8] {
        let entries = blobs.map { entry in
            var members: [(name: String, value: JSONValue)] = [
                ("imageFilename", .text(entry.imageFilename)), ("label", .whole(Int64(entry.label))),
            ]
            if let size = entry.sizePer10000 { members.append(("sizePer10000", .whole(Int64(size)))) }
            return JSONValue.table(members)
        }
        let list = JSONValue.table([
            ("labelDescriptions", .list(labelDescriptions.map { .text($0) })), ("blobs", .list(entries)),
        ]).propertyList
        let most = max(labelDescriptions.count, blobs.count)
        guard most <= Self.largestCount, list.count <= Self.largestFile else {
            throw TrainingError(reason: "\(blobs.count) images are too many for a training list")
        }
        return list
    }
}
