// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A closed polygon, filled by the even-odd rule. Positions may have any unit.
package struct ZonePolygon: Sendable, Hashable {
    package let corners: [Point]
    private let least: Point
    private let most: Point

    package init(_ corners: [Point]) {
        self.corners = corners
        least = Point(corners.map(\.x).min() ?? 0, corners.map(\.y).min() ?? 0)
        most = Point(corners.map(\.x).max() ?? 0, corners.map(\.y).max() ?? 0)
    }

    /// The position of a point relative to the polygon. `isClear` is true if the distance to the border is above a
    /// margin.
    struct Placement: Equatable {
        var isInside: Bool
        var isClear: Bool
    }

    func placement(of point: Point, margin: Double) -> Placement {
        guard point.x >= least.x - margin, point.x <= most.x + margin, point.y >= least.y - margin,
            point.y <= most.y + margin
        else { return Placement(isInside: false, isClear: true) }
        return Placement(isInside: contains(point), isClear: !isBorder(within: margin, of: point))
    }

    /// Returns true if a ray from the point to the right crosses an odd number of edges.
    package func contains(_ point: Point) -> Bool {
        guard var last = corners.last else { return false }
        var isInside = false
        for corner in corners {
            if (corner.y > point.y) != (last.y > point.y) {
                let share = (point.y - corner.y) / (last.y - corner.y)
                if point.x < corner.x + share * (last.x - corner.x) { isInside.toggle() }
            }
            last = corner
        }
        return isInside
    }

    /// Returns true if the distance between the point and the border is at most `margin`.
    private func isBorder(within margin: Double, of point: Point) -> Bool {
        guard var last = corners.last else { return false }
        for corner in corners {
            let (edge, offset) = (corner - last, point - last)
            let square = edge.dot(edge)
            let share = square > 0 ? min(1, max(0, offset.dot(edge) / square)) : 0
            let gap = offset - edge * share
            if gap.dot(gap) <= margin * margin { return true }
            last = corner
        }
        return false
    }

    /// Returns the last position at which the straight path from `start` to `end` crosses the border, as a fraction of
    /// the path's length. If the path does not cross the border, returns 1.
    func lastCrossing(from start: Point, to end: Point) -> Double {
        guard var last = corners.last else { return 1 }
        var found = -1.0
        for corner in corners {
            let edge = DirectedLine(from: last, to: corner)
            if let crossing = edge.crossing(from: start, to: end) { found = max(found, crossing.share) }
            last = corner
        }
        return found < 0 ? 1 : found
    }

    /// Area divided by perimeter. The radius of the largest circle inside a convex polygon is 1 to 2 times this value.
    var thickness: Double {
        let length = corners.perimeter
        return length > 0 ? corners.enclosedArea / length : 0
    }
}
