// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc
import Vision

/// How human faces are found.
enum HumanDetector: Int32, PropertyEnum {
    case auto, cascade, network
    static let typeName = "GstSvFaceDetector"

    static let members: [(value: Self, blurb: String)] = [
        (.auto, "The network YuNet if it is installed, otherwise cascades"),
        (.cascade, "Cascades that come with OpenCV"),
        (.network, "The network YuNet"),
    ]
}

/// Finds the network of known contents where models are installed.
package struct FaceModels {
    package static let fileName = "face_detection_yunet_2023mar.onnx"
    /// SHA-256 of the files that are taken without being named.
    static let knownSums: Set = ["8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4"]

    /// The folders that are searched, in this order.
    package let folders: [String]

    package init(folders: [String]) { self.folders = folders }

    /// The user's folder by the XDG Base Directory Specification, then the machine's: of `models get --system`, of the
    /// administrator, of packages.
    package static var installed: FaceModels {
        func variable(_ name: String) -> String? {
            // Empty and relative paths are to be ignored.
            getenv(name).map { String(systemPath: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let own = variable("XDG_DATA_HOME") ?? variable("HOME").map { $0 + "/.local/share" }
        let roots = [own, "/var/lib", "/usr/local/share", "/usr/share"].compactMap { $0 }
        return FaceModels(folders: roots.map { $0 + "/swiftvision/models" })
    }

    /// Returns the first known model; nil if no folder has a file of its name.
    /// - Throws: `ElementError` if there is such a file, but none that is known and can be used.
    package func known() throws -> FaceModel? {
        var failure: ElementError?
        for folder in folders {
            do {
                if let model = try known(in: folder) { return model }
            } catch {
                failure = failure ?? ElementError(error)
            }
        }
        if let failure { throw failure }
        return nil
    }

    private func known(in folder: String) throws -> FaceModel? {
        let path = "\(folder)/\(Self.fileName)"
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, atMost: FaceModel.largestFile)
        } catch {
            guard error.cause != .missing else { return nil }
            throw FaceModelError.unusable(path: path, reason: "\(error)")
        }
        let sum = sha256(bytes)
        guard Self.knownSums.contains(sum) else {
            throw ElementError(
                .read,
                "cannot use \"\(path)\": modified or truncated. The SHA-256 begins with \(sum.prefix(8)), not "
                    + "\(Self.knownSums.map { $0.prefix(8) }.joined(separator: " or ")). Delete the file and "
                    + "download it again, or set model to this file."
            )
        }
        return try FaceModel(bytes, path: path)
    }

    /// What is wrong if there is none.
    var absence: ElementError {
        ElementError(
            .notFound,
            "detector=network needs \(Self.fileName), which is not in \(folders.joined(separator: ", ")). Run "
                + "\"./launch models get yunet\" or \"swiftvision models get yunet\", or set model to a network file.")
    }
}

extension HumanDetector {
    /// Returns the network to use; nil for cascades.
    /// - Parameters:
    ///   - path: a network's file, which is taken in place of an installed one.
    ///   - wantsCascade: true if cascades are to be used where nobody asks for a network.
    ///   - warn: is called with what is wrong with an installed network that nobody asked for.
    func model(
        at path: String? = nil, in models: FaceModels = .installed, unless wantsCascade: Bool = false,
        warn: (ElementError) -> Void
    ) throws -> FaceModel? {
        guard self != .cascade else { return nil }
        if let path { return try FaceModel(path: path) }
        guard self == .auto else {
            guard let known = try models.known() else { throw models.absence }
            return known
        }
        guard !wantsCascade else { return nil }
        do {
            return try models.known()
        } catch {
            let error = ElementError(error)
            warn(
                ElementError(
                    error.reason, error.message + " Cascades detect the faces instead.", details: error.details))
            return nil
        }
    }
}

extension FaceModelError: ElementErrorConvertible {
    package var elementError: ElementError {
        switch self {
        case .missing: ElementError(.notFound, description)
        case .unusable: ElementError(.read, description)
        }
    }
}
