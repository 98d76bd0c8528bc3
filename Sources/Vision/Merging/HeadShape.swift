// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

extension FacePoints {
    /// Affine coordinates of the whole face. The origin is midway between the eyes, and the right eye is at (1, 0). In
    /// a human face, the mouth is at (0, 1). In a cat's face, the vertical unit is the distance between the eyes,
    /// perpendicular to the line between the eyes.
    var headAxes: FaceAxes {
        let axes = axes
        let side = axes.across.cross(axes.down) < 0 ? -2.0 : 2.0
        let down = Point(-axes.across.y, axes.across.x) * side
        guard species == .human else { return FaceAxes(origin: axes.origin, across: axes.across, down: down) }
        let mouth = (landmarks.mouthLeft + landmarks.mouthRight) / 2 - axes.origin
        let height = (mouth.x * down.x + mouth.y * down.y) / (down.x * down.x + down.y * down.y)
        let width = (landmarks.mouthRight - landmarks.mouthLeft).length
        let isSound = width > 0.4 * axes.across.length && (0.4...2.2).contains(height)
        return FaceAxes(
            origin: axes.origin, across: axes.across, down: isSound ? mouth : down * HeadShape.humanHeight)
    }

    /// True if the mouth of a human is measured, and its position is plausible.
    var hasMouth: Bool {
        let mouth = (landmarks.mouthLeft + landmarks.mouthRight) / 2 - axes.origin
        return species == .human && landmarks.isMouthFound && headAxes.down == mouth
    }

    /// True if a considerable part of the face is outside of its image.
    /// - Parameter bounds: the bounds of the image, in pixels.
    package func isCutOff(by bounds: Rectangle) -> Bool {
        let axes = headAxes
        let outline = (species == .human ? HeadShape.Outline.humanWithoutHair : .cat).fitted(to: self)
        let outside = outline.points(turn: species == .human ? headTurn : 0).count { point in
            let place = axes.point(point.x, point.y)
            return !(0...Double(max(0, bounds.width))).contains(place.x)
                || !(0...Double(max(0, bounds.height))).contains(place.y)
        }
        return outside > 2
    }

    /// True if the face is turned so far to the side, up or down that its points do not define a warp. False if the
    /// direction of the face is not known.
    package var isTurnedAway: Bool { isTurned(beyond: HeadShape.maxTurn) }

    func isTurned(beyond angle: Double) -> Bool {
        guard let pose = landmarks.pose else { return false }
        return pose.yaw.magnitude > angle || pose.pitch.magnitude > angle
    }

    /// Horizontal position of a human's nose in `headAxes`, −0.7…0.7: it shows how far the face is turned.
    var headTurn: Double {
        let turn = headAxes.coordinates(of: landmarks.nose).x
        return turn.isFinite ? min(0.7, max(-0.7, turn)) : 0
    }
}

/// The shape of a face, as points in `FacePoints.headAxes`.
struct HeadShape {
    /// Usual distance from the eyes to the mouth of a human, as a multiple of the distance between the eyes.
    static let humanHeight = 1.12
    /// Faces that are turned by more than `maxTurn` degrees are not merged until they turn back to `turnBack` degrees.
    /// The limits differ, because the measured angles vary by a few degrees.
    static let (maxTurn, turnBack) = (37.0, 33.0)
    /// Number of points of an outline.
    static let outlineCount = 16

    /// An ellipse that becomes narrower towards the chin.
    struct Outline {
        /// Half the width at the centre, and the vertical positions of top and bottom.
        let halfWidth: Double
        let top: Double
        var bottom: Double
        /// Fraction by which the chin is narrower than the ellipse.
        var taper = 0.0

        static let human = Outline(halfWidth: 2.26, top: -0.92, bottom: 1.72, taper: 0.1)
        /// Without hair, hats and their shadows.
        static let humanWithoutHair = Outline(halfWidth: 2.05, top: -0.72, bottom: 1.72, taper: 0.1)
        /// The part that covers another human's face.
        static let humanInner = Outline(halfWidth: 1.92, top: -0.58, bottom: 1.6, taper: 0.1)
        /// The part that covers another human's face, if the partner has a beard.
        static let humanWithBeard = Outline(halfWidth: 2.3, top: -0.58, bottom: 2.3, taper: 0.1)
        /// The skin from the brows to the upper lip, where hats, hair and beards do not matter.
        static let cheeks = Outline(halfWidth: 1.75, top: -0.45, bottom: 0.95)
        static let cat = Outline(halfWidth: 2.4, top: -0.95, bottom: 1.15)
        /// The part of a cat's face that a human face covers: the ears and a rim of fur remain.
        static let catWithoutRim = Outline(halfWidth: 2.12, top: -0.9, bottom: 1.35, taper: 0.08)

        /// Returns the outline with the chin of a face, if the chin is known.
        func fitted(to face: FacePoints) -> Outline {
            guard let chin = face.chin else { return self }
            var outline = self
            outline.bottom = min(3, max(0.8, face.headAxes.coordinates(of: chin).y))
            return outline
        }

        var middle: Double { (top + bottom) / 2 }
        var halfHeight: Double { (bottom - top) / 2 }

        /// The points of the outline, clockwise from the top.
        /// - Parameter turn: see `FacePoints.headTurn`. If a head turns, its outline moves less than its nose.
        func points(turn: Double = 0) -> [Point] {
            HeadShape.directions.map { direction in
                let low = max(0, direction.y)
                let x = halfWidth * (1 - taper * low * low) * direction.x
                return Point(x - 0.9 * turn * (1 - 0.4 * direction.y.magnitude), middle + halfHeight * direction.y)
            }
        }

    }

    /// Returns the bounds of a head with its ears or its beard, and of enough background to find a cat's outline, in
    /// pixels.
    /// - Parameter hasBeard: false to end at a human's chin.
    static func bounds(of face: FacePoints, hasBeard: Bool = true) -> Rectangle {
        let axes = face.headAxes
        let (top, bottom) = face.species == .human ? (-1.0, hasBeard ? 2.6 : 1.9) : (-3.0, 2.4)
        let half = face.species == .human ? 2.8 : 4.4
        let corners = [(-half, top), (half, top), (-half, bottom), (half, bottom)].map { axes.point($0.0, $0.1) }
        guard let left = corners.map(\.x).min(), let right = corners.map(\.x).max(),
            let upper = corners.map(\.y).min(), let lower = corners.map(\.y).max(),
            [left, right, upper, lower].allSatisfy({ $0.magnitude < 1e8 })
        else { return Rectangle(width: 0, height: 0) }
        return Rectangle(left: left, right: right, top: upper, bottom: lower)
    }

    /// Unit vectors, clockwise from the top.
    static let directions: [Point] = (0..<outlineCount).map { index in
        let (sine, cosine) = sineAndCosine(degrees: 360 * Double(index) / Double(outlineCount))
        return Point(sine, -cosine)
    }
}
