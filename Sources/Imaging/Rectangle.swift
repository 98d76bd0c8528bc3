// SPDX-License-Identifier: LGPL-2.1-or-later
/// A rectangle in whole pixels. (`x`, `y`) is the top left corner. All values are valid: a negative width or height
/// counts as 0, and an edge that would overflow `Int` is limited to the range of `Int`.
package struct Rectangle: Sendable, Hashable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    @inlinable package init(x: Int = 0, y: Int = 0, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Creates the smallest rectangle of pixels that contains the area between these edges, including the edges.
    package init(left: Double, right: Double, top: Double, bottom: Double) {
        let (x, y) = (floored(left), floored(top))
        self.init(x: x, y: y, width: floored(right) + 1 - x, height: floored(bottom) + 1 - y)
    }

    @inlinable package var isEmpty: Bool { width <= 0 || height <= 0 }

    /// Returns the intersection of this rectangle and `other`. If the rectangles do not overlap, the size of the result
    /// is 0 x 0.
    @inlinable package func intersection(_ other: Rectangle) -> Rectangle {
        let (x, width) = overlap(self.x, self.width, other.x, other.width)
        let (y, height) = overlap(self.y, self.height, other.y, other.height)
        return width > 0 && height > 0
            ? Rectangle(x: x, y: y, width: width, height: height) : Rectangle(x: x, y: y, width: 0, height: 0)
    }

    /// Returns the smallest rectangle that contains both rectangles. Empty rectangles are ignored.
    package func union(_ other: Rectangle) -> Rectangle {
        guard !isEmpty else { return other }
        guard !other.isEmpty else { return self }
        let (x, width) = hull(self.x, self.width, other.x, other.width)
        let (y, height) = hull(self.y, self.height, other.y, other.height)
        return Rectangle(x: x, y: y, width: width, height: height)
    }
}

/// Returns the start and the length of the intersection of two intervals. The intervals start at `a` and `b`. If the
/// intervals do not overlap, the length is 0.
@inlinable func overlap(_ a: Int, _ aLength: Int, _ b: Int, _ bLength: Int) -> (start: Int, length: Int) {
    let start = max(a, b)
    let end = min(saturatedSum(a, max(0, aLength)), saturatedSum(b, max(0, bLength)))
    guard end > start else { return (start, 0) }
    let (length, overflow) = end.subtractingReportingOverflow(start)
    return (start, overflow ? .max : length)
}

/// Returns the start and the length of the shortest interval that contains two intervals. The intervals start at `a`
/// and `b`, and must not be empty.
private func hull(_ a: Int, _ aLength: Int, _ b: Int, _ bLength: Int) -> (start: Int, length: Int) {
    let start = min(a, b)
    let (length, overflow) = max(saturatedSum(a, aLength), saturatedSum(b, bLength)).subtractingReportingOverflow(start)
    return (start, overflow ? .max : length)
}

/// Returns `a + b`, at most `Int.max`. `b` must not be negative.
@inlinable func saturatedSum(_ a: Int, _ b: Int) -> Int {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : sum
}
