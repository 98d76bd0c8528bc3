// SPDX-License-Identifier: LGPL-2.1-or-later
/// A colour with opacity. Red, green and blue are straight, not premultiplied.
package struct Color: Sendable, Hashable {
    /// Levels of the colour, 0…255. Intermediate results may exceed this range. Drawing functions limit and round the
    /// levels.
    package var red: Double
    package var green: Double
    package var blue: Double
    /// Opacity, 0…1.
    package var opacity: Double

    @inlinable package init(_ red: Double, _ green: Double, _ blue: Double, opacity: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.opacity = opacity
    }

    /// - Parameter argb: 0xAARRGGBB.
    package init(argb: UInt32) {
        func level(_ shift: UInt32) -> Double { Double(argb >> shift & 255) }
        self.init(level(16), level(8), level(0), opacity: level(24) / 255)
    }

    package static let black = gray(0)
    package static let white = gray(255)
    package static func gray(_ level: Double) -> Color { Color(level, level, level) }

    /// Multiplies the levels by a factor. An integer literal can also be a colour. Because of the attribute, Swift
    /// still reads the 2 in `x * 2` as a number.
    @_disfavoredOverload
    package static func * (factor: Double, color: Color) -> Color {
        Color(factor * color.red, factor * color.green, factor * color.blue, opacity: color.opacity)
    }

    package func with(opacity: Double) -> Color { Color(red, green, blue, opacity: opacity) }

    /// The opacity as a byte, 0…255.
    package var alpha: UInt8 { byte(opacity * 255) }

    /// The colour as 0xAARRGGBB, with rounded levels.
    package var argb: UInt32 {
        [alpha, byte(red), byte(green), byte(blue)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The colour with its levels and opacity rounded to bytes. Drawing functions draw this colour.
    package var rounded: Color { Color(argb: argb) }

    /// Rec.601 luma, 0…255.
    package var luma: Double { (299 * red + 587 * green + 114 * blue) / 1000 }
}

extension Color: ExpressibleByIntegerLiteral {
    /// - Parameter value: 0xAARRGGBB.
    package init(integerLiteral value: UInt32) { self.init(argb: value) }
}
