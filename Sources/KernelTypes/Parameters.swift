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
