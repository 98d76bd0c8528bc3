// SPDX-License-Identifier: LGPL-2.1-or-later
/// The points of a face, in pixels. Left and right are the viewer's.
package struct FaceLandmarks: Sendable, Hashable {
    package var leftEye: Point
    package var rightEye: Point
    package var nose: Point
    package var mouthLeft: Point
    package var mouthRight: Point
    /// True if the eye was seen rather than placed by geometry.
    package var isLeftEyeFound: Bool
    package var isRightEyeFound: Bool
    /// True if the mouth was seen rather than placed by geometry.
    package var isMouthFound: Bool
    /// The eyes that are closed; nil if nobody has looked.
    package var closedEyes: ClosedEyes?
    /// The direction of the face; nil if not all the points were measured.
    package var pose: HeadPose?

    package init(
        leftEye: Point, rightEye: Point, nose: Point, mouthLeft: Point, mouthRight: Point, isLeftEyeFound: Bool = true,
        isRightEyeFound: Bool = true, isMouthFound: Bool = true
    ) {
        self.leftEye = leftEye
        self.rightEye = rightEye
        self.nose = nose
        self.mouthLeft = mouthLeft
        self.mouthRight = mouthRight
        self.isLeftEyeFound = isLeftEyeFound
        self.isRightEyeFound = isRightEyeFound
        self.isMouthFound = isMouthFound
    }

    /// Puts all points in one place.
    package init(at point: Point) {
        self.init(leftEye: point, rightEye: point, nose: point, mouthLeft: point, mouthRight: point)
    }

    /// The points, in the order of the metadata.
    package static let points: [any WritableKeyPath<FaceLandmarks, Point> & Sendable] = [
        \.leftEye, \.rightEye, \.nose, \.mouthLeft, \.mouthRight,
    ]

    /// Returns the points, each moved by `move`.
    package func moved(_ move: (Point) -> Point) -> FaceLandmarks {
        var moved = self
        for path in Self.points { moved[keyPath: path] = move(self[keyPath: path]) }
        return moved
    }
}

/// What is known of the lids of a face. Left and right are the viewer's.
package struct ClosedEyes: Sendable, Hashable {
    package var left: Bool
    package var right: Bool

    package init(left: Bool, right: Bool) { (self.left, self.right) = (left, right) }

    package var areBoth: Bool { left && right }
}
