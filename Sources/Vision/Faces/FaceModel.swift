// SPDX-License-Identifier: LGPL-2.1-or-later
import Files

/// The file of a trained network that finds faces, read and checked.
package struct FaceModel: Sendable {
    package let path: String
    /// An ONNX file of what was checked.
    package let bytes: [UInt8]

    /// Maximum size of a file in bytes; YuNet's have 0.1 to 0.4 MB.
    package static let largestFile = 4 << 20

    /// Reads the file at a path, and checks that it is a network of YuNet's kind.
    package init(path: String) throws(FaceModelError) {
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, atMost: Self.largestFile)
        } catch {
            throw error.cause == .missing ? .missing(path: path) : .unusable(path: path, reason: "\(error)")
        }
        try self.init(bytes, path: path)
    }

    /// Takes a file's contents, and checks them.
    package init(_ bytes: [UInt8], path: String) throws(FaceModelError) {
        let network: NetworkFile
        do {
            network = try NetworkFile(bytes)
        } catch {
            throw .unusable(path: path, reason: error.reason)
        }
        self.path = path
        self.bytes = network.bytes
        do {
            _ = try FaceNetwork(bytes: self.bytes)
        } catch {
            throw .unusable(path: path, reason: error.description)
        }
    }
}

/// Reasons why a network cannot be used.
package enum FaceModelError: Error, CustomStringConvertible, Hashable {
    case missing(path: String)
    /// The file exists but is no such network.
    case unusable(path: String, reason: String)

    package var description: String {
        switch self {
        case .missing(let path): "there is no network file \"\(path)\""
        case .unusable(let path, let reason):
            "\"\(path)\" is no network that finds faces: \(reason); expected is YuNet in an ONNX file, "
                + "as face_detection_yunet_2023mar.onnx"
        }
    }
}
