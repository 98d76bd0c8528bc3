// SPDX-License-Identifier: LGPL-2.1-or-later
/// The positions of red, green and blue among the four samples of a pixel, each 0…3.
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

/// Side length of Sobel's operator, in pixels.
package enum SobelAperture: Int32, Sendable, CaseIterable {
    case three = 3
    case five = 5
    case seven = 7
}

/// Operations that change the colour of each pixel independently of other pixels. Colour curves have separate kernels.
package enum ColorStageKind: Sendable {
    case matrix, vibrance, posterize, solarize, threshold, overlay, screen, limit
}

/// Filters that compute a pixel from its neighbourhood of 3 x 3 or 5 x 5 pixels.
package enum NeighbourhoodKind: Sendable {
    case edges, emboss, comic, median3, median5
}

/// Formulas that combine an image with a second image.
package enum CombinationKind: Sendable {
    case unsharp, sharpLuma, screen, darken, sketch
}

/// Geometric distortions: formulas that map positions in the output to positions in the input.
package enum WarpKind: Sendable {
    case pinch, bump, twirl, lens, ripple, kaleidoscope, projective
}

/// Handling of positions outside of the image.
package enum WarpEdges: String, Sendable, CaseIterable {
    /// Use the nearest pixel of the image.
    case clamp
    /// Continue the image with mirrored copies.
    case mirror
    /// Continue the image with copies (tiles).
    case wrap
    /// Use transparent black.
    case transparent
}

/// The addresses of six consecutive rows of pixels, from top to bottom.
package struct SixRows {
    package let first, second, third, fourth, fifth, last: UnsafeRawPointer

    package init(_ row: (_ index: Int) -> UnsafeRawPointer) {
        (first, second, third, fourth, fifth, last) = (row(0), row(1), row(2), row(3), row(4), row(5))
    }
}

/// Constants from which kernels compute the matte (alpha mask) of a chroma key. A kernel computes two coordinates of
/// each pixel. `along` is the coordinate in the direction of the key colour, and `across` is the perpendicular
/// coordinate. Each coordinate is a weighted sum of the pixel's samples. The key colour has the coordinates
/// (`position`, 0).
package struct KeyParameters: Sendable, Hashable {
    /// The constants for one sample of a pixel. `along` and `across` are the weights of the sample in the two
    /// coordinates. `change` is the change of the sample per unit of spill.
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
    /// Constant terms of the coordinates `along` and `across`.
    package var along: Float = 0
    package var across: Float = 0
    package var position: Float = 0
    /// A factor for pixels beyond the key colour, for which the difference `position` − `along` is negative. The kernel
    /// multiplies the difference by this factor before it computes the distance from the key colour. With 0, the kernel
    /// ignores the difference. With −1, it uses the full difference.
    package var beyond: Float = 0
    /// The weight (opacity) of a pixel is slope · distance + offset, limited to 0…255. The distance is from the pixel
    /// to the key colour.
    package var slope: Float = 0
    package var offset: Float = 0
    /// The spill of a pixel with the coordinates `along` and `across` is max(0, `along` − `aside` · |`across`|).
    package var aside: Float = 0

    package init() {}
}

/// Constants of a luma key, from which kernels compute the weight (opacity, 0…255) of a pixel. The weight depends on
/// the difference between the luma of the pixel and the luma of the key. Luma is in units of 1/256 of an 8-bit level.
package struct LumaKeyParameters: Sendable, Hashable {
    /// If the luma of a pixel is below `lower` or above `upper`, the weight of the pixel is above 0.
    package let lower: UInt16
    package let upper: UInt16
    /// The luma distance from `lower` or `upper` at which the weight reaches 255.
    package let maximum: UInt16
    /// The weight is (min(distance, `maximum`) · `scale`) · `slope` / 2²³. The distance is from `lower` or `upper`. The
    /// product with `scale` fits into 16 bits.
    package let scale: UInt16
    package let slope: UInt16

    /// - Parameters:
    ///   - position: the luma of the key, 0…255.
    ///   - range: if the luma of a pixel differs from `position` by at most this number of levels, the weight of the
    ///     pixel is 0.
    ///   - slope: the increase of the weight (0…255) per level of luma beyond `range`; above 0.
    package init(position: Double, range: Double, slope: Double) {
        func word(_ value: Double) -> UInt16 { value > 0 ? UInt16(value < 65535 ? value.rounded() : 65535) : 0 }
        // Round the slope so that the weight reaches exactly 255 at a multiple of 1/256 level.
        let steps = max(1, (256 * 255 / slope).rounded())
        let slope = steps < 65536 ? 256 * 255 / steps : slope
        (lower, upper, maximum) = (word(256 * (position - range)), word(256 * (position + range)), word(steps))
        // Use the smallest power of two with which `slope` fits into 16 bits. The product with `scale` then also fits
        // into 16 bits.
        var scale = 1.0
        while scale < 1024, slope * 32768 / scale > 65535 { scale *= 2 }
        self.scale = word(scale)
        self.slope = word(slope * 32768 / scale)
    }
}
