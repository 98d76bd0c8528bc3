// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A neural network that OpenCV's `dnn` runs. One thread at a time may use it.
final class Network {
    /// The order of the input's channels, and the normalisation of their levels: (level − mean) · scale.
    struct Channels: Sendable {
        enum Order { case bgr, rgb }

        let order: Order
        /// For red, green and blue.
        let mean, scale: [Double]

        /// Levels from 0 to 255.
        static func levels(_ order: Order) -> Channels {
            Channels(order: order, mean: [0, 0, 0], scale: [1, 1, 1])
        }

        /// Returns the channels for an image of a format.
        fileprivate func openCV(of format: PixelFormat) -> (SVCVInputChannel, SVCVInputChannel, SVCVInputChannel) {
            let red = SVCVInputChannel(source: Int32(format.red), mean: mean[0], scale: scale[0])
            let green = SVCVInputChannel(source: Int32(format.green), mean: mean[1], scale: scale[1])
            let blue = SVCVInputChannel(source: Int32(format.blue), mean: mean[2], scale: scale[2])
            return order == .rgb ? (red, green, blue) : (blue, green, red)
        }
    }

    /// What a network computed, valid until its next run.
    struct Result {
        /// Size of the input, in pixels.
        let width, height: Int
        /// The values of each output, in the order of the file. Their numbers are those of the shapes in the file.
        let outputs: [UnsafeBufferPointer<Float>]
    }

    /// An image as input of a network.
    struct Input {
        let image: Image
        /// Size to which the image is scaled. The sides of the input are the next multiples of 32, or the fixed side.
        let width, height: Int
        var isMirrored = false
        var usesThreads = false
    }

    private let file: ONNXFile
    private let channels: Channels
    private let object: OpenCVObject

    init(_ file: ONNXFile, channels: Channels) throws(VisionError) {
        (self.file, self.channels) = (file, channels)
        let names = file.outputs.map(\.name).joined(separator: ",")
        object = try OpenCVObject { error in
            file.bytes.withUnsafeBufferPointer { bytes in
                names.withCString { sv_cv_network_create(bytes.baseAddress, bytes.count, $0, error) }
            }
        }
    }

    /// Computes the outputs, in the order of the file, and checks their shapes.
    func run(_ input: Input) throws(VisionError) -> Result {
        let multiple = if case .square(let side) = file.input { side } else { NetworkInput.multiple }
        guard !input.image.isEmpty, (1...16384).contains(input.width), (1...16384).contains(input.height) else {
            throw VisionError(description: "the image is empty or too large for a network")
        }
        let form = SVCVNetworkInput(
            width: Int32(input.width), height: Int32(input.height), multiple: Int32(multiple),
            isMirrored: input.isMirrored, channels: channels.openCV(of: input.image.format),
            usesThreads: input.usesThreads)
        let tensors = try lent { sv_cv_network_run(object.handle, input.image.openCV, form, $0, $1, $2) }
        func next(_ length: Int) -> Int { (length + multiple - 1) / multiple * multiple }
        let (width, height) = (next(input.width), next(input.height))
        guard tensors.count == file.outputs.count else { throw VisionError(description: "an output is missing") }
        var outputs: [UnsafeBufferPointer<Float>] = []
        for (tensor, output) in zip(tensors, file.outputs) {
            let found = [tensor.sizes.0, tensor.sizes.1, tensor.sizes.2, tensor.sizes.3].map { Int($0) }
            let (sizes, expected) = (
                Array(found.prefix(Int(tensor.dimensions))), output.shape.sizes(width: width, height: height)
            )
            guard sizes == expected, tensor.count == expected.reduce(1, *) else {
                func text(_ sizes: [Int]) -> String { sizes.map { "\($0)" }.joined(separator: "x") }
                throw VisionError(description: "an output has the size \(text(sizes)), not \(text(expected))")
            }
            outputs.append(UnsafeBufferPointer(start: tensor.values, count: tensor.count))
        }
        return Result(width: width, height: height, outputs: outputs)
    }
}
