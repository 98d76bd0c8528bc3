// SPDX-License-Identifier: LGPL-2.1-or-later
/// The shape in which a pixel is shown.
package struct PixelAspect: Hashable, Sendable {
    package static let square = PixelAspect(1, 1)

    /// The width of a pixel, measured in heights of a pixel.
    package let ratio: Double

    /// Ratios below 1/16 and above 16/1 occur in broken streams alone: they count as 1/1, as do those that are no ratio.
    package init(_ numerator: Int32, _ denominator: Int32) {
        let ratio = denominator > 0 ? Double(numerator) / Double(denominator) : 0
        self.ratio = (1 / 16...16).contains(ratio) ? ratio : 1
    }

    /// True unless a pixel is wider than high, or higher than wide.
    package var isSquare: Bool { ratio == 1 }
}
