// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// A rectangle of whole pixels. It can have a rectangular hole. Coordinates are clipped to ±2⁶¹.
struct Box: Shape {
    let bounds: Rectangle
    private let edges: (left: Int, right: Int)
    private let hole: (left: Int, right: Int, top: Int, bottom: Int)
    private let top: Int
    private let dash: Int?

    /// - Parameters:
    ///   - border: the width of the border around the hole, in pixels; nil for no hole.
    ///   - dash: the length of the border's dashes and gaps, in pixels; nil for a border without gaps. Each side begins
    ///     with a dash at its top or left end.
    init(_ rectangle: Rectangle, border: Int? = nil, dash: Int? = nil) {
        let (left, right) = ends(rectangle.x, rectangle.width)
        let (top, bottom) = ends(rectangle.y, rectangle.height)
        bounds = rectangle
        edges = (left, right)
        let border = min(max(0, border ?? .max), 1 << 61)
        hole = (left + border, right - border, top + border, bottom - border)
        self.top = top
        self.dash = dash.map { max(1, $0) }
    }

    private func isSide(_ y: Int) -> Bool { y >= hole.top && y < hole.bottom }

    func spans(_ y: Int) -> Spans {
        isSide(y) && hole.left < hole.right
            ? Spans(from: edges.left, to: hole.left, second: (hole.right, edges.right))
            : Spans(from: edges.left, to: edges.right)
    }

    func cover(_ output: UnsafeMutablePointer<UInt8>, x: Int, y: Int, count: Int) {
        let isSide = isSide(y)
        let hasHole = isSide && hole.left < hole.right
        var i = 0
        while i < count {
            let column = x &+ i
            let isIn = column >= edges.left && column < edges.right
            let isInHole = hasHole && column >= hole.left && column < hole.right
            output[i] = isIn && !isInHole ? 255 : 0
            i &+= 1
        }
        guard let dash else { return }
        func isGap(_ distance: Int) -> Bool { distance / dash & 1 != 0 }
        if isSide {
            if isGap(y - top) { output.update(repeating: 0, count: count) }
        } else {
            for i in 0..<count where output[i] > 0 && isGap(x + i - edges.left) { output[i] = 0 }
        }
    }
}

/// Returns the start and the end of a range of coordinates, clipped to ±2⁶¹.
private func ends(_ start: Int, _ length: Int) -> (Int, Int) {
    let limit = 1 << 61
    let (end, overflow) = start.addingReportingOverflow(max(0, length))
    return (min(limit, max(-limit, start)), overflow ? limit : min(limit, max(-limit, end)))
}

/// A line with round ends.
struct Line: Shape {
    let bounds: Rectangle
    private let start: Point
    private let direction: Point
    private let inverseSquare: Double
    private let radius: Double

    /// - Parameter width: the width of the line in pixels. A line that is thinner than a pixel is drawn with one pixel
    ///   and less opacity.
    init?(from start: Point, to end: Point, width: Double) {
        guard start.isFinite, end.isFinite, width > 0 else { return nil }
        // Clip coordinates to this limit. The limit is large enough to keep the visible slope of the line, and small
        // enough that no product overflows.
        let limit = 1e12
        self.start = Point(min(limit, max(-limit, start.x)), min(limit, max(-limit, start.y)))
        let end = Point(min(limit, max(-limit, end.x)), min(limit, max(-limit, end.y)))
        direction = Point(end.x - self.start.x, end.y - self.start.y)
        let square = direction.x * direction.x + direction.y * direction.y
        inverseSquare = square > 0 ? 1 / square : 0
        radius = min(width / 2, limit)
        let reach = radius + 0.5
        bounds = Rectangle(
            left: min(self.start.x, end.x) - reach, right: max(self.start.x, end.x) + reach,
            top: min(self.start.y, end.y) - reach, bottom: max(self.start.y, end.y) + reach)
    }

    func spans(_ y: Int) -> Spans {
        guard direction.y != 0 else { return Spans(from: bounds.x, to: bounds.x + bounds.width) }
        // Find the part of the line that is near this row, and compute the columns of this part.
        let reach = radius + 1
        let near = (Double(y) + 0.5 - reach - start.y) / direction.y
        let far = (Double(y) + 0.5 + reach - start.y) / direction.y
        let a = start.x + direction.x * min(1, max(0, near))
        let b = start.x + direction.x * min(1, max(0, far))
        return Spans(from: floored(min(a, b) - reach), to: floored(max(a, b) + reach) + 1)
    }

    func cover(_ output: UnsafeMutablePointer<UInt8>, x: Int, y: Int, count: Int) {
        let dy = Double(y) + 0.5 - start.y
        let dx = Double(x) + 0.5 - start.x
        var i = 0
        while i < count {
            let px = dx + Double(i)
            let t = (px * direction.x + dy * direction.y) * inverseSquare
            let along = t > 0 ? (t < 1 ? t : 1) : 0
            let (ex, ey) = (px - along * direction.x, dy - along * direction.y)
            output[i] = overlap((ex * ex + ey * ey).squareRoot(), radius)
            i &+= 1
        }
    }
}

/// A ring, or a disc if the inner radius is 0 or less. The shape is round on the display, even if pixels are not
/// square. Radii are in pixel rows.
struct Ring: Shape {
    let bounds: Rectangle
    private let center: Point
    private let outer: Double
    private let inner: Double
    /// The width of a pixel divided by the height of a pixel.
    private let pixel: Double

    init?(_ center: Point, outer: Double, inner: Double = 0, pixelAspect: PixelAspect) {
        guard center.isFinite, outer > 0, outer > inner else { return nil }
        self.center = center
        self.outer = min(outer, 1e12)
        self.inner = min(max(inner, 0), 1e12)
        pixel = pixelAspect.ratio
        let reach = self.outer + 0.5
        bounds = Rectangle(
            left: center.x - reach / pixel, right: center.x + reach / pixel, top: center.y - reach,
            bottom: center.y + reach)
    }

    func spans(_ y: Int) -> Spans {
        let dy = Double(y) + 0.5 - center.y
        let reach = halfChord(outer + 1, dy)
        let (from, to) = (floored(center.x - reach), floored(center.x + reach) + 1)
        let gap = halfChord(inner - 1.5, dy)
        guard gap > 0 else { return Spans(from: from, to: to) }
        return Spans(from: from, to: floored(center.x - gap) + 1, second: (floored(center.x + gap), to))
    }

    func cover(_ output: UnsafeMutablePointer<UInt8>, x: Int, y: Int, count: Int) {
        let dy = Double(y) + 0.5 - center.y
        let dx = Double(x) + 0.5 - center.x
        let middle = (outer + inner) / 2
        let half = inner > 0 ? (outer - inner) / 2 : outer
        var i = 0
        while i < count {
            let px = (dx + Double(i)) * pixel
            let distance = (px * px + dy * dy).squareRoot()
            output[i] = overlap(inner > 0 ? distance - middle : distance, half)
            i &+= 1
        }
    }

    private func halfChord(_ radius: Double, _ dy: Double) -> Double {
        radius > abs(dy) ? (radius * radius - dy * dy).squareRoot() / pixel : 0
    }
}

/// The largest ellipse in a rectangle.
struct Oval: Shape {
    let bounds: Rectangle
    private let center: Point
    private let half: Point

    init(_ rectangle: Rectangle) {
        bounds = rectangle
        half = Point(Double(max(0, rectangle.width)) / 2, Double(max(0, rectangle.height)) / 2)
        center = Point(Double(rectangle.x) + half.x, Double(rectangle.y) + half.y)
    }

    func cover(_ output: UnsafeMutablePointer<UInt8>, x: Int, y: Int, count: Int) {
        let dy = (Double(y) + 0.5 - center.y) / half.y
        var i = 0
        while i < count {
            let dx = (Double(x) + Double(i) + 0.5 - center.x) / half.x
            // The approximate distance from the pixel to the edge of the ellipse is f / |∇f|, with f = |p| − 1. p is
            // the position of the pixel relative to the centre, divided by the half axes.
            let length = (dx * dx + dy * dy).squareRoot()
            let (gx, gy) = (dx / half.x, dy / half.y)
            let distance = (1 - length) * length / (gx * gx + gy * gy).squareRoot()
            output[i] = length > 0 ? byte((distance + 0.5) * 255) : 255
            i &+= 1
        }
    }
}

/// Returns the fraction of a pixel (0…255) that a stripe of the width 2 · `half` covers. `distance` is the distance
/// between the centre of the pixel and the centre line of the stripe.
@inline(__always)
private func overlap(_ distance: Double, _ half: Double) -> UInt8 {
    let upper = distance + 0.5 < half ? distance + 0.5 : half
    let lower = distance - 0.5 > -half ? distance - 0.5 : -half
    return byte((upper - lower) * 255)
}
