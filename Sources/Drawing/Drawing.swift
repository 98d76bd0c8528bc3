// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging

// Methods that draw on frames of all formats. Coordinates may be outside of the frame; pixels outside of the frame are
// not drawn. If a coordinate is NaN, nothing is drawn.

extension FrameImage {
    package func fill(_ rectangle: Rectangle, color: Color) {
        draw(Box(rectangle), color)
    }

    package func fill(_ region: Region, color: Color) {
        switch region {
        case .rectangle(let rectangle): draw(Box(rectangle), color)
        case .ellipse(let rectangle): draw(Oval(rectangle), color)
        case .polygon(let corners): polygon(corners, color: color)
        }
    }

    /// Draws the outline of a rectangle. The whole line is inside the rectangle.
    /// - Parameters:
    ///   - lineWidth: the width of the line in pixels, at least 1.
    ///   - dash: the length of each dash and gap in pixels, at least 1; nil for a solid line.
    package func outline(_ rectangle: Rectangle, lineWidth: Int, dash: Int? = nil, color: Color) {
        draw(Box(rectangle, border: max(1, lineWidth), dash: dash), color)
    }

    /// Draws a line with round ends.
    /// - Parameter width: the width of the line in pixels. A line that is thinner than a pixel is drawn with one pixel
    ///   and less opacity.
    package func line(from start: Point, to end: Point, width: Double, color: Color) {
        if let line = Line(from: start, to: end, width: width) { draw(line, color) }
    }

    /// Draws the outline of a polygon.
    /// - Parameter lineWidth: the width of the line in pixels. The line is centred on the polygon's edge.
    package func outline(_ corners: [Point], lineWidth: Double, color: Color) {
        guard var last = corners.last else { return }
        for corner in corners {
            line(from: last, to: corner, width: lineWidth, color: color)
            last = corner
        }
    }

    /// Draws the outline of a circle. The shape is a circle on the display, even if pixels are not square. The line is
    /// centred on the circle.
    /// - Parameters:
    ///   - radius: the radius, in pixel rows.
    ///   - lineWidth: the width of the line, in pixel rows.
    package func circle(_ center: Point, radius: Double, lineWidth: Double, color: Color) {
        guard radius > 0, lineWidth > 0 else { return }
        let ring = Ring(
            center, outer: radius + lineWidth / 2, inner: radius - lineWidth / 2, pixelAspect: pixelAspect)
        if let ring { draw(ring, color) }
    }

    /// Fills a circle. The shape is a circle on the display, even if pixels are not square.
    /// - Parameter radius: the radius, in pixel rows.
    package func disc(_ center: Point, radius: Double, color: Color) {
        if let disc = Ring(center, outer: radius, pixelAspect: pixelAspect) { draw(disc, color) }
    }

    /// Fills an ellipse with a soft edge. The edge is blurred by a Gaussian with sigma `softness`, in pixels.
    /// - Parameters:
    ///   - halfAxes: half the width and half the height before rotation, in pixels.
    ///   - angle: clockwise rotation in degrees.
    package func ellipse(
        _ center: Point, halfAxes: Point, angle: Double = 0, softness: Double = 0, color: Color
    ) {
        fill(Mask(ellipse: center, halfAxes: halfAxes, angle: angle, softness: softness, clip: bounds), color: color)
    }

    /// Fills a polygon with a soft edge. The edge is blurred by a Gaussian with sigma `softness`, in pixels.
    package func polygon(_ corners: [Point], softness: Double = 0, color: Color) {
        fill(Mask(polygon: corners, softness: softness, clip: bounds), color: color)
    }

    /// Draws a colour over the area that a mask covers.
    package func fill(_ mask: Mask, color: Color) {
        draw(mask, color)
    }

    /// Draws a colour over the frame. The levels of a grey image are the opacity of each pixel, and level 255 is
    /// opaque. The image is at the top left corner of the frame.
    package func fill(_ levels: Image, color: Color) {
        guard levels.format.isGray, !levels.isEmpty else { return }
        draw(AlphaShape(bounds: levels.bounds, alpha: levels.row(0), stride: levels.stride), color)
    }

    private func draw(_ shape: some Shape, _ color: Color) {
        guard color.alpha > 0, !bounds.intersection(shape.bounds).isEmpty else { return }
        PlainPaint.with(color, for: self) { paint in
            Painter.paint(self) { $0.paint(shape, paint, opacity: color.alpha) }
        }
    }
}

// MARK: - Labels

extension FrameImage {
    /// Draws a text on a filled box near a rectangle. The box is always inside the frame. The preferred position is
    /// above the rectangle, with the same left edge. Other positions are below, beside or inside the rectangle, or
    /// shifted to the right. The method chooses the position at which the box hides the smallest area of other labels
    /// and objects.
    /// - Parameters:
    ///   - margin: distance between the text and the edges of the box, in pixels.
    ///   - taken: boxes of other labels.
    ///   - objects: areas that should stay visible, such as other rectangles.
    /// - Returns: the box.
    @discardableResult
    package func label(
        _ text: Stamp, at rectangle: Rectangle, margin: Int = 2, color: Color, avoiding taken: [Rectangle] = [],
        objects: [Rectangle] = []
    ) -> Rectangle {
        let boxes = Self.labelBoxes(
            width: text.bounds.width, height: text.bounds.height, margin: margin, at: rectangle, in: bounds)
        let box = Self.best(of: boxes, avoiding: taken, objects)
        fill(box, color: color)
        text.draw(on: self, x: box.x + min(1 << 20, max(0, margin)), y: box.y + min(1 << 20, max(0, margin)))
        return box
    }

    /// Returns the box that hides the smallest area of other labels and objects. A pixel of a hidden label costs 40
    /// times as much as a pixel of a hidden object, because a hidden label cannot be read. If costs are similar, an
    /// earlier box is preferred.
    private static func best(of boxes: [Rectangle], avoiding taken: [Rectangle], _ objects: [Rectangle]) -> Rectangle {
        var best = (box: boxes[0], cost: Double.infinity)
        for (index, box) in boxes.enumerated() {
            func hidden(_ others: [Rectangle]) -> Double {
                others.reduce(0) { sum, other in
                    let part = box.intersection(other)
                    return sum + Double(part.width) * Double(part.height)
                }
            }
            let preference = Double(index) * Double(box.width) * Double(box.height) / 100
            let cost = 40 * hidden(taken) + hidden(objects) + preference
            if cost < best.cost { best = (box, cost) }
            if cost <= preference, index == 0 { break }
        }
        return best.box
    }

    /// Returns the possible boxes for a label, at least one. The preferred box comes first.
    private static func labelBoxes(
        width: Int, height: Int, margin: Int, at rectangle: Rectangle, in frame: Rectangle
    ) -> [Rectangle] {
        // Clip the coordinates to ±2⁴⁰, so that no sum overflows.
        let limit = 1 << 40
        func tamed(_ value: Int) -> Int { min(limit, max(-limit, value)) }
        let margin = min(1 << 20, max(0, margin))
        let (width, height) = (width + 2 * margin, height + 2 * margin)
        let (top, bottom) = (tamed(rectangle.y), tamed(tamed(rectangle.y) + max(0, tamed(rectangle.height))))
        let (left, right) = (tamed(rectangle.x), tamed(tamed(rectangle.x) + max(0, tamed(rectangle.width))))
        func inFrame(_ x: Int) -> Int { max(0, min(x, frame.width - width)) }
        let x = inFrame(left)
        let room = frame.height - height
        let above = top - height >= 0 ? min(top - height, room) : nil
        let below = bottom <= room ? max(0, bottom) : nil
        func box(_ x: Int, _ y: Int) -> Rectangle { Rectangle(x: x, y: y, width: width, height: height) }
        let outside = [above, below].compactMap { $0 }
        var boxes = outside.map { box(x, $0) }
        for quarter in 1...4 {
            let moved = inFrame(left + (right - width - left) / 4 * quarter)
            if moved != x { boxes += outside.map { box(moved, $0) } }
        }
        let beside = max(0, min(top, room))
        if right + width <= frame.width { boxes.append(box(max(0, right), beside)) }
        if left - width >= 0 { boxes.append(box(min(left, frame.width) - width, beside)) }
        return boxes + [box(x, max(0, top)), box(x, max(0, min(bottom, frame.height) - height))]
    }
}
