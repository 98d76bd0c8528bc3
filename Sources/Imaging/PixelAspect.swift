// SPDX-License-Identifier: LGPL-2.1-or-later
/// The aspect ratio of a displayed pixel.
package struct PixelAspect: Hashable, Sendable {
    package static let square = PixelAspect(1, 1)

    /// The width of a pixel divided by its height.
    package let ratio: Double

    /// Creates the ratio. Ratios below 1/16, ratios above 16/1 and invalid ratios occur only in broken streams. They
    /// become 1/1.
    package init(_ numerator: Int32, _ denominator: Int32) {
        let ratio = denominator > 0 ? Double(numerator) / Double(denominator) : 0
        self.ratio = (1 / 16...16).contains(ratio) ? ratio : 1
    }

    package var isSquare: Bool { ratio == 1 }
}
