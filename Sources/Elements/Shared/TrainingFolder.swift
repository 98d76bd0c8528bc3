// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Vision

extension TrainingList {
    /// Returns the path of the list file that `write` creates.
    static func path(in folder: String) -> String { "\(folder)/training.plist" }

    /// Returns the path of an existing list file in a folder; nil if there is none. The property list has priority over
    /// the JSON file.
    static func existing(in folder: String) -> String? {
        [path(in: folder), "\(folder)/training.json"].first(where: fileExists)
    }

    /// Writes the list as `training.plist`, and one image per entry, to a folder. Creates the folder if necessary.
    ///
    /// Each file is written completely or not at all. The function replaces only the old list and the images in the old
    /// list. If another file already has the name of an image, the image gets a different name.
    /// - Parameter pictures: one image for each entry; nil for an entry whose image file already exists.
    /// - Throws: `ElementError` with the path of the file that cannot be written.
    func write(to folder: String, _ pictures: [Picture?]) throws(ElementError) {
        try Folder.make(folder)
        let path = Self.path(in: folder)
        let earlier = try Self.names(inListAt: path)
        var list = self
        var taken = Set(zip(blobs, pictures).filter { $1 == nil }.map { $0.0.imageFilename.lowercased() })
        for (index, picture) in zip(blobs.indices, pictures) {
            guard let picture else { continue }
            let bytes = try picture.png(for: "\(folder)/\(blobs[index].imageFilename)")
            for name in PictureNames(first: blobs[index].imageFilename) where taken.insert(name.lowercased()).inserted {
                guard try Self.write(bytes, to: "\(folder)/\(name)", replacing: earlier.contains(name)) else {
                    continue
                }
                list.blobs[index].imageFilename = name
                break
            }
        }
        // Write the list last, so that it never names an image that does not exist.
        do {
            try replaceFile(path, with: try list.propertyList(), isPrivate: false)
        } catch let error as FileError {
            throw ElementError(error, writing: path)
        } catch {
            throw ElementError(.write, "cannot write \"\(path)\": \(error)")
        }
    }

    /// Writes an image file.
    /// - Returns: false if a file with this name exists and must not be replaced.
    private static func write(_ bytes: [UInt8], to path: String, replacing: Bool) throws(ElementError) -> Bool {
        do {
            if replacing {
                try replaceFile(path, with: bytes, isPrivate: false, followsLinks: false)
            } else {
                try createFile(path, with: bytes, isPrivate: false)
            }
            return true
        } catch {
            guard error.cause == .exists else { throw ElementError(error, writing: path) }
            return false
        }
    }

    /// Returns the file names of the images in the existing list, or no names if there is no list. `write` may replace
    /// these images.
    private static func names(inListAt path: String) throws(ElementError) -> Set<String> {
        let problem: String
        do {
            return Set(try TrainingList(try readFile(path, atMost: largestFile), folder: "").blobs.map(\.imageFilename))
        } catch let error as FileError {
            guard error.cause != .missing else { return [] }
            problem = "\(error)"
        } catch {
            problem = "\(error)"
        }
        throw ElementError(
            .write,
            "cannot replace \"\(path)\": the file is not a valid training list. Use another folder. (\(problem))")
    }
}

/// A file name and its alternatives: `cup.png`, `cup_1.png`, …
private struct PictureNames: Sequence, IteratorProtocol {
    private let first: String
    private var number = 0

    init(first: String) { self.first = first }

    mutating func next() -> String? {
        defer { number += 1 }
        guard number > 0 else { return first }
        let stem = first.hasSuffix(".png") ? first.dropLast(4) : first[...]
        // Replace an existing number at the end, so that `cup_1.png` is followed by `cup_2.png` and not by
        // `cup_1_2.png`.
        let digits = stem.reversed().prefix { $0.isASCII && $0.isNumber }.count
        let name = digits > 0 && stem.dropLast(digits).last == "_" ? stem.dropLast(digits + 1) : stem
        return "\(name)_\(number).png"
    }
}
