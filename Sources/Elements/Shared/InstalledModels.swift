// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc
import Vision

/// A kind of network that elements find by its file name, without a property that names it.
package protocol InstallableModel {
    static var fileName: String { get }
    /// SHA-256 of the files that are known by this name.
    static var knownSums: Set<String> { get }
    /// Maximum size of a file in bytes.
    static var largestFile: Int { get }
    /// The property that takes any file.
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

/// Finds networks of known contents where models are installed.
package struct InstalledModels {
    /// The folders that are searched, in this order.
    package let folders: [String]

    package init(folders: [String]) { self.folders = folders }

    /// The user's folder by the XDG Base Directory Specification, then the machine's: of `models get --system`, of the
    /// administrator, of packages.
    package static var standard: InstalledModels {
        func variable(_ name: String) -> String? {
            // Empty and relative paths are to be ignored.
            getenv(name).map { String(systemPath: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let own = variable("XDG_DATA_HOME") ?? variable("HOME").map { $0 + "/.local/share" }
        let roots = [own, "/var/lib", "/usr/local/share", "/usr/share"].compactMap { $0 }
        return InstalledModels(folders: roots.map { $0 + "/swiftvision/models" })
    }

    /// Returns the first known model of a kind; nil if no folder has a file of its name.
    /// - Throws: `ElementError` if there is such a file, but none that is known and can be used.
    package func known<Model: InstallableModel>(_ kind: Model.Type) throws -> Model? {
        var failure: ElementError?
        for folder in folders {
            do {
                if let model = try known(kind, at: "\(folder)/\(kind.fileName)") { return model }
            } catch {
                failure = failure ?? ElementError(error)
            }
        }
        if let failure { throw failure }
        return nil
    }

    private func known<Model: InstallableModel>(_ kind: Model.Type, at path: String) throws -> Model? {
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
                "cannot use \"\(path)\": modified or truncated. Its SHA-256 begins with \(sum.prefix(8)), not "
                    + "\(kind.knownSums.map { $0.prefix(8) }.joined(separator: " or ")). Delete the file and download "
                    + "it again. To use the file as it is, set \(kind.property) to its path."
            )
        }
        return try kind.init(bytes, path: path)
    }
}
