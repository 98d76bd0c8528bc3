// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// An affine map of points (x, y) to points (x', y'): x' = xx x + xy y + x0, y' = yx x + yy y + y0. If the points are
/// pixels of images, the centre of the top left pixel is at (0, 0), as in OpenCV.
struct AffineMap: Sendable, Hashable {
    var xx = 1.0, xy = 0.0, x0 = 0.0
    var yx = 0.0, yy = 1.0, y0 = 0.0

    /// Returns the composition of two maps: the result maps a point by `second`, and then by `first`.
    static func * (first: AffineMap, second: AffineMap) -> AffineMap {
        let start = first(Point(second.x0, second.y0))
        return AffineMap(
            xx: first.xx * second.xx + first.xy * second.yx, xy: first.xx * second.xy + first.xy * second.yy,
            x0: start.x,
            yx: first.yx * second.xx + first.yy * second.yx, yy: first.yx * second.xy + first.yy * second.yy,
            y0: start.y)
    }

    func callAsFunction(_ point: Point) -> Point {
        Point(xx * point.x + xy * point.y + x0, yx * point.x + yy * point.y + y0)
    }

    /// Factor by which the map changes areas. The factor is negative if the map mirrors points.
    var determinant: Double { xx * yy - xy * yx }

    /// The inverse map. If the map has no inverse, all coefficients are 0.
    var inverse: AffineMap {
        let scale = determinant == 0 ? 0 : 1 / determinant
        var result = AffineMap(xx: yy * scale, xy: -xy * scale, yx: -yx * scale, yy: xx * scale)
        let start = result(Point(x0, y0))
        (result.x0, result.y0) = (-start.x, -start.y)
        return result
    }

    /// All coefficients: the coefficients of x', followed by the coefficients of y'.
    var rows: [Double] { [xx, xy, x0, yx, yy, y0] }
    var isFinite: Bool { rows.allSatisfy(\.isFinite) }

    /// The smallest factor (`least`) and the largest factor (`most`) by which the map changes lengths: the singular
    /// values of the map's matrix.
    var stretch: (least: Double, most: Double) {
        // The map turns the unit circle into an ellipse. A point on this ellipse is the sum of two vectors that rotate
        // in opposite directions. The lengths of the vectors are `first` and `second`. So the half axes of the ellipse
        // are the sum and the absolute difference of both lengths.
        let (first, second) = (hypot(xx + yy, yx - xy) / 2, hypot(xx - yy, yx + xy) / 2)
        return (abs(first - second), first + second)
    }
}

/// A similarity transformation of points: z → turn · z + shift. Points are treated as complex numbers z. `turn` rotates
/// and scales, `shift` translates.
struct Similarity: Sendable, Hashable {
    var turn = Point(1, 0)
    var shift = Point(0, 0)

    func callAsFunction(_ point: Point) -> Point { turn.times(point) + shift }

    /// Fits the similarity that maps `points` to `targets` with the least sum of squared errors. If all points
    /// coincide, the similarity maps every point to the mean of `targets`.
    init(from points: [Point], to targets: [Point]) {
        let count = Double(max(1, min(points.count, targets.count)))
        var (from, to) = (Point(0, 0), Point(0, 0))
        for (point, target) in zip(points, targets) { (from, to) = (from + point / count, to + target / count) }
        var (product, power) = (Point(0, 0), 0.0)
        for (point, target) in zip(points, targets) {
            let offset = point - from
            product = product + (target - to).times(offset.conjugate)
            power += offset.squaredLength
        }
        turn = power > 0 ? product / power : Point(0, 0)
        shift = to - turn.times(from)
    }

    init(turn: Point = Point(1, 0), shift: Point = Point(0, 0)) { (self.turn, self.shift) = (turn, shift) }
}

extension AffineMap {
    /// Creates a map that first scales and then shifts.
    init(scaleX: Double = 1, scaleY: Double = 1, shiftX: Double = 0, shiftY: Double = 0) {
        self.init(xx: scaleX, x0: shiftX, yy: scaleY, y0: shiftY)
    }

    /// Converts a similarity whose coordinates have the centre of the top left pixel at (0, 0).
    init(pixels similarity: Similarity) {
        let (turn, shift) = (similarity.turn, similarity.shift)
        self.init(xx: turn.x, xy: -turn.y, x0: shift.x, yx: turn.y, yy: turn.x, y0: shift.y)
    }

    /// Converts a similarity whose coordinates have the centre of the top left pixel at (0.5, 0.5). The coordinates of
    /// the affine map have this centre at (0, 0).
    init(_ similarity: Similarity) {
        let half = Point(0.5, 0.5)
        self.init(pixels: Similarity(turn: similarity.turn, shift: similarity(half) - half))
    }
}

// Operations that treat points as complex numbers.
extension Point {
    var conjugate: Point { Point(x, -y) }
    var squaredLength: Double { x * x + y * y }

    func times(_ other: Point) -> Point { Point(x * other.x - y * other.y, x * other.y + y * other.x) }
}
