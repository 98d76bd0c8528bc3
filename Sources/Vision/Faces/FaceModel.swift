// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Imaging
import Synchronization

/// A trained network that detects faces, read from a file and checked.
package struct FaceModel: Sendable {
    package let path: String
    private let file: ONNXFile
    private let checked: Checked

    /// Holds the network that `FaceModel` has created to check the file, until the first call of `take`.
    private final class Checked: Sendable {
        private let network: Mutex<FaceNetwork?>

        init(_ network: sending FaceNetwork) { self.network = Mutex(network) }

        func take() -> sending FaceNetwork? { network.withLock { $0.take() } }
    }

    /// Maximum size of a network file, in bytes. YuNet's files have 0.1 to 0.4 MB, and CenterFace's file has 7 MB.
    package static let largestFile = 16 << 20

    /// Reads a file, and checks that the file is a network that detects faces.
    package init(path: String) throws(FaceModelError) {
        try self.init(try FaceModelError.bytes(path, atMost: Self.largestFile, for: .detection), path: path)
    }

    /// Checks the contents of a file, and creates a model from the contents.
    package init(_ bytes: [UInt8], path: String) throws(FaceModelError) {
        self.path = path
        do {
            file = try FaceNetwork.checked(bytes)
            let network = try FaceNetwork(file)
            let blank = OwnedImage(.gray8, width: 96, height: 64)
            _ = try network.finds(in: blank.image, width: 96, height: 64, minConfidence: 1)
            checked = Checked(network)
        } catch {
            throw .unusable(path: path, reason: error.description, purpose: .detection)
        }
    }

    /// Returns a network that no other caller uses. The first call is fast, because it returns the network that was
    /// created to check the file.
    func network() throws(VisionError) -> FaceNetwork {
        if let network = checked.take() { return network }
        return try FaceNetwork(file)
    }
}

/// Reasons why a network cannot be used.
package enum FaceModelError: Error, CustomStringConvertible, Hashable {
    /// Purpose of a network.
    package enum Purpose: Sendable { case detection, recognition }

    case missing(path: String)
    /// The file exists but is not a network for `purpose`.
    case unusable(path: String, reason: String, purpose: Purpose)

    package var description: String {
        switch self {
        case .missing(let path): "cannot read \"\(path)\": no such file"
        case .unusable(let path, let reason, .detection):
            "cannot use \"\(path)\": not a face detection network: \(reason). Use YuNet or CenterFace as an ONNX file, "
                + "such as face_detection_yunet_2023mar.onnx."
        case .unusable(let path, let reason, .recognition):
            "cannot use \"\(path)\": not a face recognition network: \(reason). Use an ONNX file with a 3x112x112 input "
                + "and one vector as output, such as MobileFaceNet.onnx."
        }
    }

    /// Returns the contents of a file that contains a network.
    /// - Parameter limit: the maximum size of the file in bytes.
    static func bytes(_ path: String, atMost limit: Int, for purpose: Purpose) throws(FaceModelError) -> [UInt8] {
        do {
            return try readFile(path, atMost: limit)
        } catch {
            throw error.cause == .missing
                ? .missing(path: path) : .unusable(path: path, reason: "\(error)", purpose: purpose)
        }
    }
}
