// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

// Functions for outlines of objects. Coordinates are in the units of `Portrait` (1/200 of the size of an object). x
// points to the right, y points down.

func points(_ corners: (Double, Double)...) -> [Point] { corners.map { Point($0.0, $0.1) } }

func circle(_ x: Double, _ y: Double, _ radius: Double, steps: Int = 40) -> [Point] {
    arc(Point(x, y), radius, steps: steps).dropLast()
}

/// Returns the outline of a rectangle with round corners of the given radius.
func rounded(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double, _ radius: Double) -> [Point] {
    func corner(_ x: Double, _ y: Double, _ angle: Double) -> [Point] {
        arc(Point(x, y), radius, from: angle, to: angle + 90, steps: 6)
    }
    return corner(left + radius, top + radius, 180) + corner(right - radius, top + radius, 270)
        + corner(right - radius, bottom - radius, 0) + corner(left + radius, bottom - radius, 90)
}

func curve(_ start: Point, _ control: Point, _ end: Point, steps: Int = 14) -> [Point] {
    (0...steps).map { step in
        let t = Double(step) / Double(steps)
        let (a, b, c) = ((1 - t) * (1 - t), 2 * t * (1 - t), t * t)
        return Point(a * start.x + b * control.x + c * end.x, a * start.y + b * control.y + c * end.y)
    }
}

extension [Point] {
    /// The points with opposite y, in reverse order. If an object is symmetric about the x axis, these points complete
    /// its outline.
    var mirrored: [Point] { reversed().map { Point($0.x, -$0.y) } }

    func moved(_ x: Double, _ y: Double) -> [Point] { map { Point($0.x + x, $0.y + y) } }

    /// Returns the outline as one polygon with holes. Two identical lines in opposite directions connect the outline
    /// with each hole. The two lines enclose no area.
    func without(_ holes: [Point]...) -> [Point] {
        guard let corner = first else { return [] }
        return holes.reduce(self + [corner]) { $0 + $1 + $1.prefix(1) + [corner] }
    }
}

/// Returns the outline of a thick line along a path, with round ends.
/// - Parameter path: a path whose radius of curvature is at least half of `width`.
func band(_ path: [Point], _ width: Double) -> [Point] {
    let path = path.enumerated().filter { $0 == 0 || $1 != path[$0 - 1] }.map(\.element)
    guard path.count > 1 else { return [] }
    let directions = zip(path, path.dropFirst()).map { direction(from: $0, to: $1) }
    let half = width / 2
    let left = path.indices.map { index -> Point in
        let (before, after) = (directions[max(0, index - 1)], directions[min(index, directions.count - 1)])
        let sum = Point(before.x + after.x, before.y + after.y)
        // Each corner of the outline is a mitre joint: the point where the two lines beside the path intersect.
        let factor = half * 2 / Swift.max(0.5, sum.x * sum.x + sum.y * sum.y)
        return Point(factor * sum.y, -factor * sum.x)
    }
    func side(_ sign: Double) -> [Point] {
        zip(path, left).map { Point($0.x + sign * $1.x, $0.y + sign * $1.y) }
    }
    /// Returns a half circle around the end of the path, from the left side of the path to the right side.
    func cap(_ middle: Point, _ direction: Point) -> [Point] {
        (1..<10).map { step in
            let (sine, cosine) = sineAndCosine(degrees: 18 * Double(step))
            return Point(
                middle.x + half * (cosine * direction.y + sine * direction.x),
                middle.y + half * (sine * direction.y - cosine * direction.x))
        }
    }
    let (first, last) = (directions[0], directions[directions.count - 1])
    return side(1) + cap(path[path.count - 1], last) + side(-1).reversed() + cap(path[0], Point(-first.x, -first.y))
}

private func direction(from start: Point, to end: Point) -> Point {
    let (x, y) = (end.x - start.x, end.y - start.y)
    let length = (x * x + y * y).squareRoot()
    return length > 0 ? Point(x / length, y / length) : Point(1, 0)
}
