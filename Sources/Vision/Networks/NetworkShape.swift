// SPDX-License-Identifier: LGPL-2.1-or-later

/// The size of a network's input image, which has three channels. The image is a square of fixed size, or its sides are
/// any multiples of `NetworkInput.multiple`.
package enum NetworkInput: Equatable, Sendable {
    case anySize
    case square(Int)

    /// For `anySize`, the sides of the input must be multiples of this number of pixels. The value of each
    /// `Extent.step` is a divisor of this number, so that the sides of all feature maps are whole numbers of cells.
    static let multiple = 32

    var extent: Extent {
        switch self {
        case .anySize: .step(1)
        case .square(let side): .fixed(side)
        }
    }
}

/// Height and width of a feature map.
enum Extent: Equatable, Sendable {
    /// For networks whose input may have any size: height and width are those of the network's input, divided by this
    /// number.
    case step(Int)
    /// The feature map is a square with this side, in cells.
    case fixed(Int)

    /// Number of cells. For `fixed`, this is the total number. For `step`, this is the number of cells per input pixel.
    var area: Double {
        switch self {
        case .step(let step): 1 / Double(step * step)
        case .fixed(let side): Double(side * side)
        }
    }

    /// Returns the extent after a convolution or pooling over this feature map. Returns nil if the parameters are not
    /// supported.
    /// - Parameters:
    ///   - window: the side of the square window, in cells.
    ///   - stride: the distance between two neighbouring positions of the window, in cells.
    ///   - margin: the padding at each edge, in cells.
    func after(window: Int, stride: Int, margin: Int) -> Extent? {
        guard (1...64).contains(window), [1, 2, 4].contains(stride), (0..<window).contains(margin) else { return nil }
        switch self {
        case .fixed(let side):
            let distance = side + 2 * margin - window
            return distance >= 0 ? .fixed(distance / stride + 1) : nil
        case .step(let step):
            // If the input may have any size, the sides of the output must be exactly the sides of the feature map,
            // divided by `stride`.
            let keepsSize = window - stride <= 2 * margin && 2 * margin < window
            return keepsSize && step * stride <= NetworkInput.multiple ? .step(step * stride) : nil
        }
    }

    /// The extent with doubled sides. Nil if the doubled extent is not supported.
    var doubled: Extent? {
        switch self {
        case .fixed(let side): side <= 2048 ? .fixed(2 * side) : nil
        case .step(let step): step >= 2 ? .step(step / 2) : nil
        }
    }

    func sides(width: Int, height: Int) -> (width: Int, height: Int) {
        switch self {
        case .step(let step): (width / step, height / step)
        case .fixed(let side): (side, side)
        }
    }
}

/// Shape of a tensor in a network, without the batch dimension.
enum NetworkShape: Equatable, Sendable {
    /// A tensor with the dimensions `channels`, height, width.
    case map(channels: Int, Extent)
    /// A tensor with the dimensions height, width, `channels`.
    case last(channels: Int, Extent)
    /// A tensor with two dimensions: the cells of a feature map, row by row, and `channels`.
    case cells(channels: Int, Extent)
    case vector(Int)

    /// Returns the sizes of all dimensions for an input of `width` x `height` pixels. The first dimension is the batch,
    /// with the size 1.
    func sizes(width: Int, height: Int) -> [Int] {
        switch self {
        case .map(let channels, let extent):
            let sides = extent.sides(width: width, height: height)
            return [1, channels, sides.height, sides.width]
        case .last(let channels, let extent):
            let sides = extent.sides(width: width, height: height)
            return [1, sides.height, sides.width, channels]
        case .cells(let channels, let extent):
            let sides = extent.sides(width: width, height: height)
            return [1, sides.height * sides.width, channels]
        case .vector(let count): return [1, count]
        }
    }

    /// Number of values of the tensor. If the tensor's size depends on the size of the network's input, the number of
    /// values per input pixel.
    var count: Double {
        switch self {
        case .map(let channels, let extent), .last(let channels, let extent), .cells(let channels, let extent):
            Double(channels) * extent.area
        case .vector(let count): Double(count)
        }
    }
}
