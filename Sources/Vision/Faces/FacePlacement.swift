// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Glibc

/// Position, size and rotation of a face: a rotated square in pixels of the full frame.
struct FacePlacement: Sendable, Hashable {
    var center: Point
    var size: Double
    /// Angle of the square in degrees, clockwise on the screen.
    var angle = 0.0

    /// Returns the point at the offset (`u`, `v`) from the centre of the square. `u` and `v` are fractions of the
    /// square's size along its rotated axes.
    func point(_ u: Double, _ v: Double) -> Point {
        let (c, s) = axes
        return Point(center.x + size * (c * u - s * v), center.y + size * (s * u + c * v))
    }

    /// Returns the offset of `target` from the centre of the square, in fractions of the square's size along its
    /// rotated axes. This method is the inverse of `point`.
    func fractions(of target: Point) -> Point {
        guard size > 0 else { return Point(0, 0) }
        let (c, s) = axes
        let shift = (target - center) / size
        return Point(c * shift.x + s * shift.y, c * shift.y - s * shift.x)
    }

    private var axes: (cosine: Double, sine: Double) { (cos(angle * .pi / 180), sin(angle * .pi / 180)) }

    /// The upright square that has the centre and the size of this rotated square.
    var box: Box { Box(center: center, width: size, height: size) }
}

/// Returns the smallest rotation from the angle `old` to the angle `new` in degrees, −180…180.
func turn(from old: Double, to new: Double) -> Double { remainder(new - old, 360) }

/// Returns the angle of the vector from `left` to `right`, in degrees clockwise on the screen.
func slope(from left: Point, to right: Point) -> Double {
    atan2(right.y - left.y, right.x - left.x) * 180 / .pi
}
