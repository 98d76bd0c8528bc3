// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc
import Vision

/// A type of network that elements load by a fixed file name from the folders for installed models.
package protocol InstallableModel {
    static var fileName: String { get }
    /// The SHA-256 checksums of the supported files with this name, in hexadecimal.
    static var knownSums: Set<String> { get }
    /// Maximum size of the file, in bytes.
    static var largestFile: Int { get }
    /// The name of the property that accepts any network file.
    static var property: String { get }

    init(_ bytes: [UInt8], path: String) throws(FaceModelError)
}

extension FaceModel: InstallableModel {
    package static let fileName = "face_detection_yunet_2023mar.onnx"
    package static let knownSums: Set = ["8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4"]
    package static let property = "model"
}

extension EmbeddingModel: InstallableModel {
    package static let fileName = "MobileFaceNet.onnx"
    package static let knownSums: Set = ["b7120c095d60094f28a4a54ba6a8bf51b297a6273fb40ef6350dfec1f63d9507"]
    package static let property = "embedding-model"
}

/// Loads networks with known checksums from the folders for installed models.
package struct InstalledModels {
    /// The folders to search, in this order.
    package let folders: [String]

    package init(folders: [String]) { self.folders = folders }

    /// The standard folders. The first is the user's folder (XDG Base Directory Specification). Then follow the folders
    /// for `models get --system` (/var/lib), for the administrator (/usr/local/share) and for packages (/usr/share).
    package static var standard: InstalledModels {
        func variable(_ name: String) -> String? {
            // Ignores empty and relative paths, as the XDG Base Directory Specification requires.
            getenv(name).map { String(systemPath: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let userFolder = variable("XDG_DATA_HOME") ?? variable("HOME").map { $0 + "/.local/share" }
        let roots = [userFolder, "/var/lib", "/usr/local/share", "/usr/share"].compactMap { $0 }
        return InstalledModels(folders: roots.map { $0 + "/swiftvision/models" })
    }

    /// Returns the first model of this type with a known checksum. Returns nil if no folder contains a file with the
    /// name of the model.
    /// - Throws: `ElementError` if files with this name exist, but no such file has a known checksum and can be loaded.
    package func installed<Model: InstallableModel>(_ kind: Model.Type) throws -> Model? {
        var failure: ElementError?
        for folder in folders {
            do {
                if let model = try installed(kind, at: "\(folder)/\(kind.fileName)") { return model }
            } catch {
                failure = failure ?? ElementError(error)
            }
        }
        if let failure { throw failure }
        return nil
    }

    private func installed<Model: InstallableModel>(_ kind: Model.Type, at path: String) throws -> Model? {
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, atMost: kind.largestFile)
        } catch {
            guard error.cause != .missing else { return nil }
            throw ElementError(.read, "cannot use \"\(path)\": \(error)")
        }
        let sum = sha256(bytes)
        guard kind.knownSums.contains(sum) else {
            throw ElementError(
                .read,
                "cannot use \"\(path)\": modified or truncated. The file's SHA-256 begins with \(sum.prefix(8)) "
                    + "instead of \(kind.knownSums.map { $0.prefix(8) }.joined(separator: " or ")). Delete the file "
                    + "and download the file again. To use the file without this check, set \(kind.property) to the "
                    + "path of the file."
            )
        }
        return try kind.init(bytes, path: path)
    }
}
