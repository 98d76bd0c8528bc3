// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Imaging

/// A network that maps an aligned face to a vector, such as MobileFaceNet (Chen et al., "MobileFaceNets: Efficient CNNs for
/// Accurate Real-Time Face Verification on Mobile Devices", 2018). One thread at a time may use it.
package final class EmbeddingNetwork {
    /// Side of the face's image, in pixels.
    package static let side = 112
    /// Maximum length of a vector.
    package static let mostNumbers = 4096

    /// Length of the vectors.
    package let dimension: Int
    /// SHA-256 of the file, as hexadecimal digits.
    package let digest: String
    private let network: Network

    /// RGB, by mean and standard deviation of ImageNet's images.
    private static let channels: Network.Channels = {
        let (mean, deviation) = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
        return Network.Channels(order: .rgb, mean: mean.map { 255 * $0 }, scale: deviation.map { 1 / (255 * $0) })
    }()

    /// Reads and checks the contents of an ONNX file with a 3x112x112 input and one vector as output.
    package convenience init(bytes: [UInt8]) throws(VisionError) {
        try self.init(try EmbeddingModel.checked(bytes), digest: sha256(bytes))
    }

    /// - Parameter digest: SHA-256 of the file that was checked.
    init(_ file: ONNXFile, digest: String) throws(VisionError) {
        guard file.outputs.count == 1, case .vector(let count) = file.outputs[0].shape,
            (2...Self.mostNumbers).contains(count)
        else { throw VisionError(description: "expected one vector of 2 to \(Self.mostNumbers) numbers as output") }
        (dimension, self.digest) = (count, digest)
        network = try Network(file, channels: Self.channels)
    }

    /// Returns the sum of the vectors of a face and its mirror image, divided by the sum's length.
    /// - Parameters:
    ///   - face: the aligned face with 112x112 pixels, grey or in colours.
    ///   - withMirror: false for the vector of the face alone, which takes half the time.
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
