// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// An affine map of places: x' = xx x + xy y + x0, y' = yx x + yy y + y0. Between pixels of images, the centre of the first
/// pixel is at (0, 0), as OpenCV has it.
struct AffineMap: Sendable, Hashable {
    var xx = 1.0, xy = 0.0, x0 = 0.0
    var yx = 0.0, yy = 1.0, y0 = 0.0

    /// Returns the map that first applies `second`, then `first`.
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

    /// Factor by which areas grow; negative if the map mirrors.
    var determinant: Double { xx * yy - xy * yx }

    /// The inverse map; all zeros if there is none.
    var inverse: AffineMap {
        let scale = determinant == 0 ? 0 : 1 / determinant
        var result = AffineMap(xx: yy * scale, xy: -xy * scale, yx: -yx * scale, yy: xx * scale)
        let start = result(Point(x0, y0))
        (result.x0, result.y0) = (-start.x, -start.y)
        return result
    }

    /// Both rows, one after the other.
    var rows: [Double] { [xx, xy, x0, yx, yy, y0] }
    var isFinite: Bool { rows.allSatisfy(\.isFinite) }

    /// The smallest and the largest factor by which the map changes lengths: its singular values.
    var stretch: (least: Double, most: Double) {
        // The map is the sum of two circles that turn in opposite senses.
        let (first, second) = (hypot(xx + yy, yx - xy) / 2, hypot(xx - yy, yx + xy) / 2)
        return (abs(first - second), first + second)
    }
}

/// A similarity of places as complex numbers: z → turn · z + shift. `turn` rotates and scales.
struct Similarity: Sendable, Hashable {
    var turn = Point(1, 0)
    var shift = Point(0, 0)

    func callAsFunction(_ point: Point) -> Point { turn.times(point) + shift }

    /// Fits the similarity that maps places to others with the least squares of errors. All places get the same image if
    /// they coincide.
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
    /// A map that scales, and then shifts.
    init(scaleX: Double = 1, scaleY: Double = 1, shiftX: Double = 0, shiftY: Double = 0) {
        self.init(xx: scaleX, x0: shiftX, yy: scaleY, y0: shiftY)
    }

    /// Converts a similarity of pixels whose first one has its centre at 0.
    init(pixels similarity: Similarity) {
        let (turn, shift) = (similarity.turn, similarity.shift)
        self.init(xx: turn.x, xy: -turn.y, x0: shift.x, yx: turn.y, yy: turn.x, y0: shift.y)
    }

    /// Converts a similarity of places where a pixel covers 0…1.
    init(_ similarity: Similarity) {
        let half = Point(0.5, 0.5)
        self.init(pixels: Similarity(turn: similarity.turn, shift: similarity(half) - half))
    }
}

// Points as complex numbers.
extension Point {
    var conjugate: Point { Point(x, -y) }
    var squaredLength: Double { x * x + y * y }

    func times(_ other: Point) -> Point { Point(x * other.x - y * other.y, x * other.y + y * other.x) }
}
