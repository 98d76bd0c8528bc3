import Pixels
import Glibc

/// Position and rotation of a face: a square in pixels of the full frame.
struct Placement: Sendable, Hashable {
    var center: Point
    var size: Double
    /// Angle in degrees, clockwise on the screen.
    var angle = 0.0

    /// Returns the point at fractions of the size from the centre, along the rotated axes.
    func point(_ u: Double, _ v: Double) -> Point {
        let (c, s) = axes
        return Point(center.x + size * (c * u - s * v), center.y + size * (s * u + c * v))
    }

    /// Returns the arguments with which `point` gives `target`.
    func fractions(of target: Point) -> (u: Double, v: Double) {
        guard size > 0 else { return (0, 0) }
        let (c, s) = axes
        let dx = (target.x - center.x) / size
        let dy = (target.y - center.y) / size
        return (c * dx + s * dy, c * dy - s * dx)
    }

    private var axes: (cosine: Double, sine: Double) { (cos(angle * .pi / 180), sin(angle * .pi / 180)) }

    /// The upright square.
    var box: Box { Box(center: center, width: size, height: size) }
}

/// Returns the slope of the line from `left` to `right`, in degrees clockwise.
func slope(from left: Point, to right: Point) -> Double {
    atan2(right.y - left.y, right.x - left.x) * 180 / .pi
}
