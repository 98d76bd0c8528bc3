// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A measured rectangle, in pixels and fractions of them; `Rectangle` has whole pixels.
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

    /// Top left corner.
    var corner: Point {
        get { Point(x, y) }
        set { (x, y) = (newValue.x, newValue.y) }
    }
    package var center: Point { Point(x + width / 2, y + height / 2) }
    package var area: Double { width * height }

    /// Returns the point at fractions of the box's width and height.
    package func point(_ x: Double, _ y: Double) -> Point {
        Point(self.x + x * width, self.y + y * height)
    }

    /// Returns the area of the intersection.
    package func overlap(_ other: Box) -> Double {
        let width = min(x + width, other.x + other.width) - max(x, other.x)
        let height = min(y + height, other.y + other.height) - max(y, other.y)
        return width > 0 && height > 0 ? width * height : 0
    }

    /// Returns the area of the intersection as a fraction of that of the union, 0…1.
    package func intersectionOverUnion(_ other: Box) -> Double {
        let common = overlap(other)
        let all = area + other.area - common
        return all > 0 ? common / all : 0
    }

    /// Returns the area of the intersection as a fraction of the smaller box, 0…1: two faces cannot cover each other
    /// much.
    func overlapOfSmaller(_ other: Box) -> Double {
        let smaller = min(area, other.area)
        return smaller > 0 ? overlap(other) / smaller : 0
    }

    func contains(_ other: Box) -> Bool {
        other.x >= x && other.y >= y && other.x + other.width <= x + width && other.y + other.height <= y + height
    }

    /// Returns the box a `share` of the way to `other`.
    func moved(towards other: Box, by share: Double) -> Box {
        Box(
            x: x + share * (other.x - x), y: y + share * (other.y - y), width: width + share * (other.width - width),
            height: height + share * (other.height - height))
    }
}

/// A box that moves on at its velocity, in pixels per frame, which follows half of each change.
struct MovingBox {
    private(set) var box: Box
    private var velocity = Point(0, 0)

    init(_ box: Box) { self.box = box }

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

    /// Returns the signed area of the parallelogram that two vectors span.
    func cross(_ other: Point) -> Double { x * other.y - y * other.x }

    /// Returns the point a `share` of the way to `other`.
    func moved(towards other: Point, by share: Double) -> Point {
        Point(x + share * (other.x - x), y + share * (other.y - y))
    }
}

extension Rectangle {
    /// Creates the whole pixels nearest to a box; none if a number is NaN or beyond ±2³⁰.
    package init(_ box: Box) {
        let edges = [box.x, box.y, box.x + box.width, box.y + box.height].map { $0.rounded() }
        guard edges.allSatisfy({ $0.magnitude <= 1_073_741_824 }) else {
            self.init(width: 0, height: 0)
            return
        }
        self.init(
            x: Int(edges[0]), y: Int(edges[1]), width: Int(edges[2] - edges[0]), height: Int(edges[3] - edges[1]))
    }

    /// Creates the pixels around a point, its own among them, up to `reach` away.
    init(around center: Point, reach: Double) {
        self.init(
            x: Int(center.x - reach), y: Int(center.y - reach), width: Int(2 * reach) + 1, height: Int(2 * reach) + 1)
    }

    package var corner: Point { Point(Double(x), Double(y)) }

    /// Returns the rectangle with this many pixels more on each side.
    func grown(by margin: Int) -> Rectangle {
        Rectangle(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }
}
