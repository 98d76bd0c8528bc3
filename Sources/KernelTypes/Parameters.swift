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

/// The weight of luma by its distance from a key, computed in 16-bit lanes. Levels are counted in 256ths.
package struct LumaKeyNumbers: Sendable, Hashable {
    /// Luma below this has a weight, and so has luma above `upper`.
    package let lower: UInt16
    package let upper: UInt16
    /// The distance from there at which the weight is 255.
    package let most: UInt16
    /// A distance of at most that times `scale` is a word; times `slope` and divided by 2²³, it is the weight.
    package let scale: UInt16
    package let slope: UInt16

    /// - Parameters:
    ///   - place: the key's luma, 0…255.
    ///   - range: distance up to which the weight is 0, in levels.
    ///   - slope: weight, of 255, for each level beyond; above 0.
    package init(place: Double, range: Double, slope: Double) {
        func word(_ value: Double) -> UInt16 { value > 0 ? UInt16(value < 65535 ? value.rounded() : 65535) : 0 }
        // The slope of a whole number of steps.
        let steps = max(1, (256 * 255 / slope).rounded())
        let slope = steps < 65536 ? 256 * 255 / steps : slope
        (lower, upper, most) = (word(256 * (place - range)), word(256 * (place + range)), word(steps))
        // As much as a word holds, for precision.
        var scale = 1.0
        while scale < 1024, slope * 32768 / scale > 65535 { scale *= 2 }
        self.scale = word(scale)
        self.slope = word(slope * 32768 / scale)
    }
}
