// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Imaging

/// A network that computes the embedding of an aligned face: a vector. An example is MobileFaceNet (Chen et al.,
/// "MobileFaceNets: Efficient CNNs for Accurate Real-Time Face Verification on Mobile Devices", 2018). Only one thread
/// at a time may use an instance.
package final class EmbeddingNetwork {
    /// Width and height of the face image, in pixels.
    package static let side = 112
    /// Maximum number of values of an embedding.
    package static let maxLength = 4096

    /// Number of values of an embedding.
    package let dimension: Int
    /// SHA-256 of the file, as hexadecimal digits.
    package let digest: String
    private let network: Network

    /// Input channels in the order RGB, normalised with the mean and standard deviation of the ImageNet data set.
    private static let channels: Network.Channels = {
        let (mean, deviation) = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
        return Network.Channels(order: .rgb, mean: mean.map { 255 * $0 }, scale: deviation.map { 1 / (255 * $0) })
    }()

    /// Checks the contents of an ONNX file, and creates a network from the contents. The network must have a 3x112x112
    /// input and one vector as output.
    package convenience init(bytes: [UInt8]) throws(VisionError) {
        try self.init(try EmbeddingModel.checked(bytes), digest: sha256(bytes))
    }

    /// - Parameter digest: the SHA-256 of the network's original file.
    init(_ file: ONNXFile, digest: String) throws(VisionError) {
        guard file.outputs.count == 1, case .vector(let count) = file.outputs[0].shape,
            (2...Self.maxLength).contains(count)
        else { throw VisionError(description: "expected one vector of 2 to \(Self.maxLength) numbers as output") }
        (dimension, self.digest) = (count, digest)
        network = try Network(file, channels: Self.channels)
    }

    /// Returns the embedding of a face: the sum of the vectors of the face and of its mirror image, normalised to
    /// length 1.
    /// - Parameters:
    ///   - face: the aligned face of 112x112 pixels, grey or in colour.
    ///   - withMirror: false to omit the mirror image, which halves the computing time.
    package func embedding(
        of face: Image, withMirror: Bool = true, usesThreads: Bool = false
    ) throws(VisionError) -> [Float] {
        var sum = [Float](repeating: 0, count: dimension)
        for isMirrored in withMirror ? [false, true] : [false] {
            let input = Network.Input(
                image: face, width: Self.side, height: Self.side, isMirrored: isMirrored, usesThreads: usesThreads)
            for (index, value) in try network.run(input).outputs[0].enumerated() { sum[index] += value }
        }
        let length = sum.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
        guard length.isFinite, length > 0 else {
            throw VisionError(description: "the network's output is zero or not finite")
        }
        return sum.map { Float(Double($0) / length) }
    }
}
