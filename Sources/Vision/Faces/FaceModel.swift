// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Imaging
import Synchronization

/// The file of a trained network that finds faces, read and checked.
package struct FaceModel: Sendable {
    package let path: String
    /// An ONNX file of what was checked.
    package let bytes: [UInt8]
    private let checked: Checked

    /// The network that was made for the check, until somebody takes it.
    private final class Checked: Sendable {
        private let network: Mutex<FaceNetwork?>

        init(_ network: sending FaceNetwork) { self.network = Mutex(network) }

        func take() -> sending FaceNetwork? { network.withLock { $0.take() } }
    }

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
            let network = try FaceNetwork(bytes: self.bytes)
            let blank = OwnedImage(.gray8, width: 96, height: 64)
            _ = try network.finds(in: blank.image, width: 96, height: 64, minConfidence: 1)
            checked = Checked(network)
        } catch {
            throw .unusable(path: path, reason: error.description)
        }
    }

    /// Returns a network of the caller's own. The first one has been made already.
    func network() throws(VisionError) -> FaceNetwork {
        if let network = checked.take() { return network }
        return try FaceNetwork(bytes: bytes)
    }
}

/// Reasons why a network cannot be used.
package enum FaceModelError: Error, CustomStringConvertible, Hashable {
    case missing(path: String)
    /// The file exists but is no such network.
    case unusable(path: String, reason: String)

    package var description: String {
        switch self {
        case .missing(let path): "cannot read \"\(path)\": no such file"
        case .unusable(let path, let reason):
            "cannot use \"\(path)\": not a face detection network: \(reason). Use YuNet as an ONNX file, "
                + "such as face_detection_yunet_2023mar.onnx."
        }
    }
}
