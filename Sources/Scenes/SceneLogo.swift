// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
package import Imaging

/// The logo of the scene `logo`: one connected mark with three holes, different at every turn, on a plain card.
/// Lengths are in units of which the mark is 176 wide and high; the origin is its middle, x to the right, y down.
package enum SceneLogo {
    /// The mark's width and height in units.
    static let size = 176.0
    /// Half of the card's width and height in units.
    static let cardHalf = 124.0

    /// The mark's edge: a square with three round corners, and a notch on its left.
    static let outline =
        corner(-38, -38, 50, from: 180) + corner(38, -38, 50, from: 270) + corner(38, 38, 50, from: 0)
        + [Point(-88, 88), Point(-88, 46), Point(-46, 14), Point(-88, -18)]

    /// Holes cut out of the mark.
    static let holes = [
        [Point(-24, -34), Point(54, 12), Point(-24, 56)],
        arc(Point(46, -48), 20, steps: 40),
        [Point(-52, -66), Point(8, -66), Point(8, -48), Point(-52, -48)],
    ]

    static let card =
        corner(-94, -94, 30, from: 180) + corner(94, -94, 30, from: 270) + corner(94, 94, 30, from: 0)
        + corner(-94, 94, 30, from: 90)

    /// Returns a quarter of a circle.
    private static func corner(_ x: Double, _ y: Double, _ radius: Double, from angle: Double) -> [Point] {
        arc(Point(x, y), radius, from: angle, to: angle + 90, steps: 10)
    }

    /// Fills a frame with a picture of it, upright and alone, to learn from.
    /// - Parameter isBright: whether the mark is brighter than its card.
    package static func draw(on frame: FrameImage, isBright: Bool = false) {
        let ink = Ink(isBright: isBright)
        let scale = Double(min(frame.width, frame.height)) / (2 * cardHalf)
        func placed(_ shape: [Point]) -> [Point] {
            shape.map { Point(Double(frame.width) / 2 + scale * $0.x, Double(frame.height) / 2 + scale * $0.y) }
        }
        frame.fill(frame.bounds, color: ink.card)
        frame.polygon(placed(outline), color: ink.mark)
        for hole in holes { frame.polygon(placed(hole), color: ink.card) }
    }
}

/// The colours of mark and card.
struct Ink: Sendable {
    let mark: Color
    let card: Color

    init(isBright: Bool) {
        mark = isBright ? Color(250, 208, 84) : Color(26, 62, 132)
        card = isBright ? Color(24, 44, 84) : Color(214, 212, 204)
    }
}

/// Pose of the logo in space, and how it is seen through a camera with a field of view of 45 degrees.
package struct LogoPose: Sendable, Hashable {
    /// Place where its middle is seen, in pixels.
    package var center: Point
    /// The mark's height in pixels, if it faced the camera.
    package var size: Double
    /// Degrees clockwise.
    package var turn: Double
    /// Degrees by which it is turned away from the camera, less than 90.
    package var tilt: Double
    /// The direction in which its far side lies, in degrees clockwise from the right.
    package var tiltDirection: Double
    /// The camera's focal length in pixels.
    package var focalLength: Double

    /// - Parameter frameHeight: in pixels.
    package init(
        center: Point, size: Double, turn: Double = 0, tilt: Double = 0, tiltDirection: Double = 0, frameHeight: Double
    ) {
        self.center = center
        self.size = size
        self.turn = turn
        self.tilt = tilt
        self.tiltDirection = tiltDirection
        focalLength = 1.2 * frameHeight
    }

    /// Returns where the points of the card's plane are seen, in pixels.
    func seen(_ shape: [Point]) -> [Point] {
        let (turnSine, turnCosine) = sineAndCosine(degrees: turn)
        let (sine, cosine) = sineAndCosine(degrees: tilt)
        let (farY, farX) = sineAndCosine(degrees: tiltDirection)
        let scale = size / SceneLogo.size
        return shape.map { point in
            let x = scale * (turnCosine * point.x - turnSine * point.y)
            let y = scale * (turnSine * point.x + turnCosine * point.y)
            // Points away from the axis of the tilt move closer to it, and closer to the camera or farther from it.
            let far = x * farX + y * farY
            let (flatX, flatY) = (x + (cosine - 1) * far * farX, y + (cosine - 1) * far * farY)
            let depth = focalLength + sine * far
            let factor = depth > 1 ? focalLength / depth : focalLength
            return Point(center.x + factor * flatX, center.y + factor * flatY)
        }
    }

    /// The smallest rectangle around the mark, which a detector should find.
    package var rectangle: Rectangle {
        let edge = seen(SceneLogo.outline)
        let (xs, ys) = (edge.map(\.x), edge.map(\.y))
        guard edge.allSatisfy(\.isFinite), let left = xs.min(), let right = xs.max(), let top = ys.min(),
            let bottom = ys.max(), max(left.magnitude, right.magnitude, top.magnitude, bottom.magnitude) < 1e9
        else { return Rectangle(width: 0, height: 0) }
        let (x, y) = (Int(left.rounded()), Int(top.rounded()))
        return Rectangle(x: x, y: y, width: Int(right.rounded()) - x, height: Int(bottom.rounded()) - y)
    }

    /// Draws the logo on its card.
    /// - Parameters:
    ///   - isBright: whether the mark is brighter than its card.
    ///   - light: factor of the colours.
    package func draw(on frame: FrameImage, isBright: Bool = false, light: Double = 1) {
        let ink = Ink(isBright: isBright)
        let (mark, card) = (light * ink.mark, light * ink.card)
        frame.polygon(seen(SceneLogo.card), color: card)
        frame.polygon(seen(SceneLogo.outline), color: mark)
        for hole in SceneLogo.holes { frame.polygon(seen(hole), color: card) }
    }
}
