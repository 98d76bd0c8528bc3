// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
package import Imaging

/// The logo of the scene `logo`: a mark on a plain card. The mark has three holes and no rotational symmetry. The mark
/// is 176 units wide and high. The origin is the centre of the mark; x points to the right, y points down.
package enum SceneLogo {
    /// Width and height of the mark, in units.
    static let size = 176.0
    /// Half the width and height of the card, in units.
    static let cardHalf = 124.0

    /// The outline of the mark: a square with three round corners and a notch on the left.
    static let outline =
        corner(-38, -38, 50, from: 180) + corner(38, -38, 50, from: 270) + corner(38, 38, 50, from: 0)
        + [Point(-88, 88), Point(-88, 46), Point(-46, 14), Point(-88, -18)]

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

    /// Fills a frame with the upright logo. The frame can be used as a training image.
    /// - Parameter isBright: true if the mark is brighter than the card.
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

struct Ink: Sendable {
    let mark: Color
    let card: Color

    init(isBright: Bool) {
        mark = isBright ? Color(250, 208, 84) : Color(26, 62, 132)
        card = isBright ? Color(24, 44, 84) : Color(214, 212, 204)
    }
}

/// The position and rotation of the logo in space, and its projection by a camera. The camera has a vertical field of
/// view of 45 degrees.
package struct LogoPose: Sendable, Hashable {
    /// Position of the logo's centre in the frame, in pixels.
    package var center: Point
    /// Height of the mark in pixels, if the mark faces the camera.
    package var size: Double
    /// Clockwise rotation of the logo in degrees.
    package var turn: Double
    /// Angle between the card and the image plane, in degrees, less than 90.
    package var tilt: Double
    /// Direction in which the card is farthest from the camera, in degrees clockwise from the right.
    package var tiltDirection: Double
    /// Focal length of the camera in pixels.
    package var focalLength: Double

    /// - Parameter frameHeight: height of the frame in pixels.
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

    /// Projects points of the card to the frame. The results are in pixels.
    func projected(_ shape: [Point]) -> [Point] {
        let (turnSine, turnCosine) = sineAndCosine(degrees: turn)
        let (sine, cosine) = sineAndCosine(degrees: tilt)
        let (farY, farX) = sineAndCosine(degrees: tiltDirection)
        let scale = size / SceneLogo.size
        return shape.map { point in
            let x = scale * (turnCosine * point.x - turnSine * point.y)
            let y = scale * (turnSine * point.x + turnCosine * point.y)
            // The tilt moves each point closer to the tilt axis. Points on one side of the axis also move away from the
            // camera; points on the other side move towards the camera.
            let far = x * farX + y * farY
            let (flatX, flatY) = (x + (cosine - 1) * far * farX, y + (cosine - 1) * far * farY)
            let depth = focalLength + sine * far
            let factor = depth > 1 ? focalLength / depth : focalLength
            return Point(center.x + factor * flatX, center.y + factor * flatY)
        }
    }

    /// Bounding box of the mark, which a detector should report.
    package var rectangle: Rectangle {
        let edge = projected(SceneLogo.outline)
        let (xs, ys) = (edge.map(\.x), edge.map(\.y))
        guard edge.allSatisfy(\.isFinite), let left = xs.min(), let right = xs.max(), let top = ys.min(),
            let bottom = ys.max(), max(left.magnitude, right.magnitude, top.magnitude, bottom.magnitude) < 1e9
        else { return Rectangle(width: 0, height: 0) }
        let (x, y) = (Int(left.rounded()), Int(top.rounded()))
        return Rectangle(x: x, y: y, width: Int(right.rounded()) - x, height: Int(bottom.rounded()) - y)
    }

    /// Draws the logo on its card.
    /// - Parameters:
    ///   - isBright: true if the mark is brighter than the card.
    ///   - light: factor by which the colours are multiplied.
    package func draw(on frame: FrameImage, isBright: Bool = false, light: Double = 1) {
        let ink = Ink(isBright: isBright)
        let (mark, card) = (light * ink.mark, light * ink.card)
        frame.polygon(projected(SceneLogo.card), color: card)
        frame.polygon(projected(SceneLogo.outline), color: mark)
        for hole in SceneLogo.holes { frame.polygon(projected(hole), color: card) }
    }
}
