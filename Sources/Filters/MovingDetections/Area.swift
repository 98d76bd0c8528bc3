// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// A rectangular area of a frame, with real-valued edges in pixels. The edges belong to the area. Each pixel is
/// represented by its centre, so the area of a single pixel has the width 0 and the height 0.
struct Area: Hashable {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double

    init(left: Double, top: Double, right: Double, bottom: Double) {
        (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    }

    /// Creates an area with the centre `point`. `across` is half of its width, and `down` is half of its height.
    init(around point: Point, _ across: Double, _ down: Double) {
        self.init(left: point.x - across, top: point.y - down, right: point.x + across, bottom: point.y + down)
    }

    /// - Parameter pixels: a rectangle that is not empty.
    init(_ pixels: Rectangle) {
        let (left, top) = (Double(pixels.x) + 0.5, Double(pixels.y) + 0.5)
        self.init(
            left: left, top: top, right: left + Double(pixels.width - 1), bottom: top + Double(pixels.height - 1))
    }

    var middle: Point { Point((left + right) / 2, (top + bottom) / 2) }
    /// Half of the width (`across`) and half of the height (`down`).
    var halves: (across: Double, down: Double) { ((right - left) / 2, (bottom - top) / 2) }

    func grown(_ across: Double, _ down: Double) -> Area {
        Area(left: left - across, top: top - down, right: right + across, bottom: bottom + down)
    }

    /// Returns the smallest area that contains this area and `other`.
    func union(_ other: Area) -> Area {
        Area(
            left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
            bottom: max(bottom, other.bottom))
    }

    /// Returns the area, scaled about `center`.
    func scaled(_ scale: Double, _ center: Point) -> Area {
        Area(
            left: center.x + (left - center.x) * scale, top: center.y + (top - center.y) * scale,
            right: center.x + (right - center.x) * scale, bottom: center.y + (bottom - center.y) * scale)
    }

    /// Returns the area with its edges limited to the range of the frame's pixel centres. Positions outside of this
    /// range get the colour of the nearest pixel of the frame.
    func inside(_ frame: Rectangle) -> Area {
        let (width, height) = (Double(frame.width), Double(frame.height))
        let first = Point(left, top).inside(width: width, height: height)
        let last = Point(right, bottom).inside(width: width, height: height)
        return Area(left: first.x, top: first.y, right: last.x, bottom: last.y)
    }

    /// Returns the intersection with a frame of this size. Returns nil if the intersection is empty.
    func clipped(width: Double, height: Double) -> Area? {
        // Because of rounding errors, an area at the frame's border may be slightly outside of the frame. The tolerance
        // (in pixels) accepts such an area.
        let tolerance = 1e-6
        guard left <= width + tolerance, top <= height + tolerance, right >= -tolerance, bottom >= -tolerance else {
            return nil
        }
        return Area(
            left: max(0, left), top: max(0, top), right: min(width, right), bottom: min(height, bottom))
    }

    /// The smallest area that contains the centres of all pixels that bilinear interpolation reads for the positions in
    /// this area.
    var read: Area {
        // Bilinear interpolation rounds weights to multiples of 1/256 (see `fixedPoint`). So a pixel with a weight
        // below 1/512 has no effect.
        let tolerance = 1.0 / 512
        return Area(
            left: (left - 0.5 + tolerance).rounded(.down) + 0.5, top: (top - 0.5 + tolerance).rounded(.down) + 0.5,
            right: (right - 0.5 - tolerance).rounded(.up) + 0.5, bottom: (bottom - 0.5 - tolerance).rounded(.up) + 0.5)
    }
}

/// A rectangle of whole pixels, stored as its first and last column and row.
struct PixelSpan: Hashable {
    /// First column, first row, −last column, −last row. With negated values, one vector comparison checks whether a
    /// rectangle contains another rectangle.
    private let edges: SIMD4<Int32>

    private init(edges: SIMD4<Int32>) { self.edges = edges }

    /// An empty rectangle.
    static let none = PixelSpan(edges: SIMD4(repeating: .max))
    /// Placeholder for a rectangle that is not computed yet.
    static let unknown = PixelSpan(edges: SIMD4(repeating: .min))

    /// Creates the rectangle of all pixels that bilinear interpolation reads for the positions in `area`.
    /// - Parameter area: an area in a frame with a width and height below 2³⁰ pixels.
    init(reading area: Area) {
        let read = area.read
        edges = SIMD4(Int32(read.left), Int32(read.top), -Int32(read.right), -Int32(read.bottom))
    }

    /// - Parameter rectangle: a rectangle in a frame with a width and height below 2³⁰ pixels. It must not be empty.
    init(_ rectangle: Rectangle) {
        edges = SIMD4(
            Int32(rectangle.x), Int32(rectangle.y), 1 - Int32(rectangle.x + rectangle.width),
            1 - Int32(rectangle.y + rectangle.height))
    }

    /// Returns true if this rectangle and `other` overlap.
    func meets(_ other: PixelSpan) -> Bool {
        let other = other.edges
        return all(edges .<= SIMD4(repeating: 0) &- SIMD4(lowHalf: other.highHalf, highHalf: other.lowHalf))
    }

    /// Returns true if `other` contains this rectangle.
    func lies(in other: PixelSpan) -> Bool { all(edges .>= other.edges) }
}

extension Rectangle {
    /// Creates the rectangle of all pixels that bilinear interpolation reads for the positions in `area`.
    init(reading area: Area) {
        let read = area.read
        self.init(
            x: Int(read.left), y: Int(read.top), width: Int(read.right - read.left) + 1,
            height: Int(read.bottom - read.top) + 1)
    }
}
