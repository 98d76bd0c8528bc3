// SPDX-License-Identifier: LGPL-2.1-or-later
/// A position in an image, in pixels from its top left corner. The centre of the top left pixel is (0.5, 0.5).
package struct Point: Sendable, Hashable {
    package var x: Double
    package var y: Double

    @inlinable package init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    @inlinable package var isFinite: Bool { x.isFinite && y.isFinite }
}

extension [Point] {
    /// Area of the polygon with these corners, by the shoelace formula. With fewer than three corners, the area is 0.
    /// If the edges of the polygon cross, the areas of loops in opposite directions are subtracted.
    package var enclosedArea: Double {
        guard var last else { return 0 }
        var twice = 0.0
        for corner in self {
            twice += last.x * corner.y - corner.x * last.y
            last = corner
        }
        return twice.magnitude / 2
    }
}
