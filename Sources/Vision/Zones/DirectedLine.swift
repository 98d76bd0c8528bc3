// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A line segment with a direction. Its left and right sides are relative to the direction from start to end, as seen
/// on the screen.
package struct DirectedLine: Sendable, Hashable {
    package let start: Point
    package let end: Point
    private let along: Point
    private let inverseLength: Double

    package init(from start: Point, to end: Point) {
        (self.start, self.end) = (start, end)
        along = end - start
        let length = along.length
        inverseLength = length > 0 ? 1 / length : 0
    }

    /// A crossing of the segment by a path between two points.
    package struct Crossing: Equatable {
        /// True if the path goes from the left side to the right side.
        package var isForward: Bool
        /// The position of the crossing on the path, as a fraction of the path's length.
        package var share: Double
    }

    /// Returns the distance from the infinite extension of the line: positive on the right side, negative on the left
    /// side.
    func distance(of point: Point) -> Double { along.cross(point - start) * inverseLength }

    /// Returns the crossing of the segment by a straight path. A point on the line counts as a point on the right side.
    /// So if one step of a longer path ends on the line and the next step continues to the other side, this counts as
    /// one crossing. Returns nil if the path does not cross the segment.
    package func crossing(from first: Point, to last: Point) -> Crossing? {
        let (before, after) = (distance(of: first), distance(of: last))
        guard (before >= 0) != (after >= 0) else { return nil }
        let share = before / (before - after)
        let place = first.moved(towards: last, by: share)
        let position = (place - start).dot(along) * inverseLength * inverseLength
        // The tolerance is for rounding errors of the position.
        return (-1e-9...1 + 1e-9).contains(position) ? Crossing(isForward: after >= 0, share: share) : nil
    }
}
