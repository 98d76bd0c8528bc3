// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A rectangle with fractional coordinates in pixels. `Rectangle` has whole coordinates.
package struct Box: Sendable, Hashable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    package init(center: Point, width: Double, height: Double) {
        self.init(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
    }

    package init(_ rectangle: Rectangle) {
        self.init(
            x: Double(rectangle.x), y: Double(rectangle.y), width: Double(rectangle.width),
            height: Double(rectangle.height))
    }

    /// The top left corner of the box.
    var corner: Point {
        get { Point(x, y) }
        set { (x, y) = (newValue.x, newValue.y) }
    }
    package var center: Point { Point(x + width / 2, y + height / 2) }
    package var area: Double { width * height }

    var right: Double { x + width }
    var bottom: Double { y + height }

    /// Returns the point of the box at these distances from the top left corner: `x` as a fraction of the width, `y` as
    /// a fraction of the height.
    package func point(_ x: Double, _ y: Double) -> Point {
        Point(self.x + x * width, self.y + y * height)
    }

    /// Returns the area of the intersection with another box, in square pixels.
    package func overlap(_ other: Box) -> Double {
        let width = min(x + width, other.x + other.width) - max(x, other.x)
        let height = min(y + height, other.y + other.height) - max(y, other.y)
        return width > 0 && height > 0 ? width * height : 0
    }

    /// Returns the area of the intersection divided by the area of the union, 0…1.
    package func intersectionOverUnion(_ other: Box) -> Double {
        let common = overlap(other)
        let all = area + other.area - common
        return all > 0 ? common / all : 0
    }

    /// Returns the area of the intersection divided by the area of the smaller box, 0…1. Two different faces overlap
    /// only slightly. So a high value means that both boxes show the same face.
    func overlapOfSmaller(_ other: Box) -> Double {
        let smaller = min(area, other.area)
        return smaller > 0 ? overlap(other) / smaller : 0
    }

    /// Returns the common part of both boxes. If the boxes do not overlap, the result is empty.
    func intersection(_ other: Box) -> Box {
        let (left, top) = (max(x, other.x), max(y, other.y))
        return Box(
            x: left, y: top, width: max(0, min(right, other.right) - left),
            height: max(0, min(bottom, other.bottom) - top))
    }

    /// Returns the smallest box that contains both boxes.
    func union(_ other: Box) -> Box {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return Box(
            x: left, y: top, width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }

    /// Returns the box extended by `margin` pixels on each side.
    func grown(by margin: Double) -> Box {
        Box(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }

    func contains(_ other: Box) -> Bool {
        other.x >= x && other.y >= y && other.x + other.width <= x + width && other.y + other.height <= y + height
    }

    /// Returns the linear interpolation between this box (for `share` 0) and `other` (for `share` 1).
    func moved(towards other: Box, by share: Double) -> Box {
        Box(
            x: x + share * (other.x - x), y: y + share * (other.y - y), width: width + share * (other.width - width),
            height: height + share * (other.height - height))
    }
}

extension [Box] {
    /// If the intersection over union of two boxes exceeds this value, the boxes count as the same face. The limit
    /// applies to boxes of one frame and to boxes of consecutive frames.
    static let sameFace = 0.3

    /// Finds pairs of boxes that show the same face: one box of this array (an owner), and one box of `boxes`. Returns,
    /// for each element of `boxes`, the index of its owner; nil for a new face. Pairs with a larger overlap take
    /// precedence. Each box belongs to at most one pair.
    func owners(of boxes: [Box]) -> [Int?] {
        var pairs: [(box: Int, owner: Int, overlap: Double)] = []
        for (b, box) in boxes.enumerated() {
            for (o, owner) in enumerated() {
                let overlap = owner.intersectionOverUnion(box)
                if overlap > Self.sameFace { pairs.append((b, o, overlap)) }
            }
        }
        pairs.sort { ($0.overlap, $1.box, $1.owner) > ($1.overlap, $0.box, $0.owner) }
        var owners = [Int?](repeating: nil, count: boxes.count)
        var isTaken = [Bool](repeating: false, count: count)
        for pair in pairs where owners[pair.box] == nil && !isTaken[pair.owner] {
            owners[pair.box] = pair.owner
            isTaken[pair.owner] = true
        }
        return owners
    }
}

/// A box that moves with a velocity in pixels per frame. Each movement sets the velocity to the mean of the old
/// velocity and the velocity of the movement.
struct MovingBox {
    private(set) var box: Box
    private var velocity: Point

    init(_ box: Box, velocity: Point = Point(0, 0)) { (self.box, self.velocity) = (box, velocity) }

    func expected(after frames: Int) -> Box {
        var box = box
        box.corner = box.corner + velocity * Double(frames)
        return box
    }

    mutating func move(to new: Box, after frames: Int) {
        velocity = velocity.moved(towards: (new.center - box.center) / Double(frames), by: 0.5)
        box = new
    }
}

extension Point {
    static func + (a: Point, b: Point) -> Point { Point(a.x + b.x, a.y + b.y) }
    package static func - (a: Point, b: Point) -> Point { Point(a.x - b.x, a.y - b.y) }
    static func * (a: Point, factor: Double) -> Point { Point(a.x * factor, a.y * factor) }
    static func / (a: Point, divisor: Double) -> Point { Point(a.x / divisor, a.y / divisor) }

    var length: Double { (x * x + y * y).squareRoot() }

    func dot(_ other: Point) -> Double { x * other.x + y * other.y }

    /// Returns the cross product of two vectors: the signed area of the parallelogram that the vectors span.
    func cross(_ other: Point) -> Double { x * other.y - y * other.x }

    /// Returns the linear interpolation between this point (for `share` 0) and `other` (for `share` 1).
    func moved(towards other: Point, by share: Double) -> Point {
        Point(x + share * (other.x - x), y + share * (other.y - y))
    }
}

extension Rectangle {
    /// Creates a rectangle by rounding the edges of a box. If an edge is NaN or beyond ±2³⁰, the rectangle is empty.
    package init(_ box: Box) {
        let edges = [box.x, box.y, box.x + box.width, box.y + box.height].map { $0.rounded() }
        guard edges.allSatisfy({ $0.magnitude <= 1_073_741_824 }) else {
            self.init(width: 0, height: 0)
            return
        }
        self.init(
            x: Int(edges[0]), y: Int(edges[1]), width: Int(edges[2] - edges[0]), height: Int(edges[3] - edges[1]))
    }

    /// Creates the smallest rectangle that contains a box. Edges that are NaN or infinite become 0. Other edges are
    /// limited to ±10⁶.
    init(covering box: Box) {
        func pixel(_ position: Double) -> Int { Int(max(-1e6, min(1e6, position.isFinite ? position : 0))) }
        let (left, top) = (pixel(box.x.rounded(.down)), pixel(box.y.rounded(.down)))
        self.init(
            x: left, y: top, width: pixel((box.x + box.width).rounded(.up)) - left,
            height: pixel((box.y + box.height).rounded(.up)) - top)
    }

    /// Creates a square centred on the pixel that contains `center`. On each side, the square extends by up to `reach`
    /// pixels beyond this pixel.
    init(around center: Point, reach: Double) {
        self.init(
            x: Int(center.x - reach), y: Int(center.y - reach), width: Int(2 * reach) + 1, height: Int(2 * reach) + 1)
    }

    package var corner: Point { Point(Double(x), Double(y)) }

    /// Returns the rectangle extended by `margin` pixels on each side.
    func grown(by margin: Int) -> Rectangle {
        Rectangle(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }
}
