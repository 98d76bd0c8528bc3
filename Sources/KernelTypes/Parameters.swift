// SPDX-License-Identifier: LGPL-2.1-or-later
/// Places of the colours among a pixel's four samples, 0…3 each.
package struct ChannelOffsets: Sendable, Hashable {
    package let red: UInt32
    package let green: UInt32
    package let blue: UInt32

    package init(red: UInt32, green: UInt32, blue: UInt32) {
        self.red = red
        self.green = green
        self.blue = blue
    }
}

/// Side of Sobel's operator, in pixels.
package enum SobelAperture: Int32, Sendable, CaseIterable {
    case three = 3
    case five = 5
    case seven = 7
}

/// Ways to change a colour other than by a curve.
package enum ColorStageKind: Sendable {
    case matrix, vibrance, posterize, solarize, threshold, overlay, screen, limit
}

/// Filters of 3 x 3 pixels, or 5 x 5.
package enum NeighbourhoodKind: Sendable {
    case edges, emboss, comic, median3, median5
}

/// Ways to combine a picture with another.
package enum CombinationKind: Sendable {
    case unsharp, sharpLuma, screen, darken, sketch
}

/// Rows of pixels, from top to bottom.
package struct SixRows {
    package let first, second, third, fourth, fifth, last: UnsafeRawPointer

    package init(_ row: (_ index: Int) -> UnsafeRawPointer) {
        (first, second, third, fourth, fifth, last) = (row(0), row(1), row(2), row(3), row(4), row(5))
    }
}

/// Numbers by which kernels compute a matte. In a plane of the key's own, a pixel lies at `along`, the weighted sum of its
/// samples in the direction in which the key lies, and `across`; the key lies at `place`, 0.
package struct KeyNumbers: Sendable, Hashable {
    /// Shares of a sample in a pixel's place, and what each unit of spill changes in it.
    package struct Sample: Sendable, Hashable {
        package var along: Float = 0
        package var across: Float = 0
        package var change: Float = 0

        package init(along: Float = 0, across: Float = 0, change: Float = 0) {
            (self.along, self.across, self.change) = (along, across, change)
        }
    }

    package var first = Sample()
    package var second = Sample()
    package var third = Sample()
    /// Summands of the pixel's place.
    package var along: Float = 0
    package var across: Float = 0
    package var place: Float = 0
    /// Share of its distance that counts for a pixel beyond the key, negative: 0 or −1.
    package var beyond: Float = 0
    /// A weight of 0…255 is slope · distance + offset.
    package var slope: Float = 0
    package var offset: Float = 0
    /// A pixel has spill of `along` − `aside` · |`across`|, if that is above 0.
    package var aside: Float = 0

    package init() {}
}
