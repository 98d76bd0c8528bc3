// SPDX-License-Identifier: LGPL-2.1-or-later

/// The kind of image that a network takes: three channels of a square of fixed size, or of any size whose sides are
/// multiples of `NetworkInput.multiple`.
package enum NetworkInput: Equatable, Sendable {
    case anySize
    case square(Int)

    /// Each step of a network's maps divides it.
    static let multiple = 32

    var extent: Extent {
        switch self {
        case .anySize: .step(1)
        case .square(let side): .fixed(side)
        }
    }
}

/// Height and width of a map.
enum Extent: Equatable, Sendable {
    /// The input's height and width divided by this number.
    case step(Int)
    /// A fixed square.
    case fixed(Int)

    /// Number of cells; of a step, for each pixel of the input.
    var area: Double {
        switch self {
        case .step(let step): 1 / Double(step * step)
        case .fixed(let side): Double(side * side)
        }
    }

    /// Returns the extent of what a square window yields that moves over the map; nil if that is not supported.
    /// - Parameter margin: number of cells that are added at each edge.
    func after(window: Int, stride: Int, margin: Int) -> Extent? {
        guard (1...64).contains(window), [1, 2, 4].contains(stride), (0..<window).contains(margin) else { return nil }
        switch self {
        case .fixed(let side):
            let way = side + 2 * margin - window
            return way >= 0 ? .fixed(way / stride + 1) : nil
        case .step(let step):
            // Exactly one place for each `stride` cells, at every size.
            let isWhole = window - stride <= 2 * margin && 2 * margin < window
            return isWhole && step * stride <= NetworkInput.multiple ? .step(step * stride) : nil
        }
    }

    /// Returns the extent with twice the sides; nil if that is not supported.
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

/// Shape of a value in a network, for one image.
enum NetworkShape: Equatable, Sendable {
    /// `channels` x height x width.
    case map(channels: Int, Extent)
    /// height x width x `channels`.
    case last(channels: Int, Extent)
    /// The cells of a map, with `channels` numbers each.
    case cells(channels: Int, Extent)
    case vector(Int)

    /// The sizes, with the batch, for an input of this size.
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

    /// Number of values; of shapes that depend on the input's size, for each pixel of the input.
    var count: Double {
        switch self {
        case .map(let channels, let extent), .last(let channels, let extent), .cells(let channels, let extent):
            Double(channels) * extent.area
        case .vector(let count): Double(count)
        }
    }
}
