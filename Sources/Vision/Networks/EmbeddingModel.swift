// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Imaging

/// A network that computes embeddings of faces. The network is read from a file, which is checked.
package struct EmbeddingModel: Sendable {
    package let path: String
    /// SHA-256 of the file, as hexadecimal digits.
    package let digest: String
    /// Number of values of an embedding that the network computes.
    package let dimension: Int
    private let file: ONNXFile

    /// Maximum size of a network file, in bytes.
    package static let largestFile = 256 << 20

    /// Reads and checks the file at `path`.
    package init(path: String) throws(FaceModelError) {
        try self.init(try FaceModelError.bytes(path, atMost: Self.largestFile, for: .recognition), path: path)
    }

    /// Creates a model from the contents of a file. Checks the contents, and runs the network once as a test.
    package init(_ bytes: [UInt8], path: String) throws(FaceModelError) {
        do {
            (self.path, file, digest) = (path, try Self.checked(bytes), sha256(bytes))
            let network = try EmbeddingNetwork(file, digest: digest)
            dimension = network.dimension
            let blank = OwnedImage(.gray8, width: EmbeddingNetwork.side, height: EmbeddingNetwork.side)
            for y in 0..<blank.image.height {
                for x in 0..<blank.image.width { blank.image.row(y)[x] = UInt8(x + y) }
            }
            _ = try network.embedding(of: blank.image)
        } catch {
            throw .unusable(path: path, reason: error.description, purpose: .recognition)
        }
    }

    /// Returns a new network that no other caller uses.
    package func network() throws(VisionError) -> EmbeddingNetwork {
        try EmbeddingNetwork(file, digest: digest)
    }

    static func checked(_ bytes: [UInt8]) throws(VisionError) -> ONNXFile {
        do {
            return try ONNXFile(bytes, input: .square(EmbeddingNetwork.side))
        } catch {
            throw VisionError(description: error.description)
        }
    }
}
