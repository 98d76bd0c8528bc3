// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A neural network. OpenCV's module `dnn` runs the network. Only one thread at a time may use an instance.
final class Network {
    /// The order and normalisation of the input's channels. Levels 0…255 are normalised to (level − mean) · scale.
    struct Channels: Sendable {
        enum Order { case bgr, rgb }

        let order: Order
        /// `mean` and `scale` each contain values for red, green and blue, in this order.
        let mean, scale: [Double]

        /// Returns channels with levels 0…255, without normalisation.
        static func levels(_ order: Order) -> Channels {
            Channels(order: order, mean: [0, 0, 0], scale: [1, 1, 1])
        }

        /// Returns the conversions from the channels of an image with this pixel format to the three input channels.
        fileprivate func openCV(of format: PixelFormat) -> (SVCVInputChannel, SVCVInputChannel, SVCVInputChannel) {
            let red = SVCVInputChannel(source: Int32(format.red), mean: mean[0], scale: scale[0])
            let green = SVCVInputChannel(source: Int32(format.green), mean: mean[1], scale: scale[1])
            let blue = SVCVInputChannel(source: Int32(format.blue), mean: mean[2], scale: scale[2])
            return order == .rgb ? (red, green, blue) : (blue, green, red)
        }
    }

    /// The outputs of a run. The outputs are valid until the next run of the network.
    struct Result {
        /// Width and height of the network's input, in pixels.
        let width, height: Int
        /// The values of each output. The outputs are in the order of the network's file. The number of values matches
        /// the shape of the output.
        let outputs: [UnsafeBufferPointer<Float>]
    }

    struct Input {
        let image: Image
        /// Size to which the image is scaled, in pixels. If the network has a fixed input size, the input is the scaled
        /// image. Otherwise, the sides of the input are `width` and `height`, rounded up to multiples of 32.
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

    /// Runs the network, and checks that the outputs have the expected shapes.
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
            let dimensions = [tensor.sizes.0, tensor.sizes.1, tensor.sizes.2, tensor.sizes.3].map { Int($0) }
            let (sizes, expected) = (
                Array(dimensions.prefix(Int(tensor.dimensions))), output.shape.sizes(width: width, height: height)
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
