// SPDX-License-Identifier: LGPL-2.1-or-later
/// The landmarks of a face, in pixels of the image. Left and right are from the viewer's point of view.
package struct FaceLandmarks: Sendable, Hashable {
    package var leftEye: Point
    package var rightEye: Point
    package var nose: Point
    package var mouthLeft: Point
    package var mouthRight: Point
    /// True if the eye was detected. False if its position is an estimate from the geometry of the face.
    package var isLeftEyeFound: Bool
    package var isRightEyeFound: Bool
    /// True if the mouth was detected. False if its position is an estimate from the geometry of the face.
    package var isMouthFound: Bool
    /// The closed eyes. Nil if no detector has checked whether the eyes are closed.
    package var closedEyes: ClosedEyes?
    /// The direction of the face. Nil if some landmarks are estimates.
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

    /// Creates landmarks that are all at the same position.
    package init(at point: Point) {
        self.init(leftEye: point, rightEye: point, nose: point, mouthLeft: point, mouthRight: point)
    }

    /// The key paths of the landmarks, in the order in which the metadata of faces contains them.
    package static let points: [any WritableKeyPath<FaceLandmarks, Point> & Sendable] = [
        \.leftEye, \.rightEye, \.nose, \.mouthLeft, \.mouthRight,
    ]

    /// Returns a copy of the landmarks, with `move` applied to each position.
    package func moved(_ move: (Point) -> Point) -> FaceLandmarks {
        var moved = self
        for path in Self.points { moved[keyPath: path] = move(self[keyPath: path]) }
        return moved
    }
}

/// States which eyes of a face are closed. Left and right are from the viewer's point of view.
package struct ClosedEyes: Sendable, Hashable {
    package var left: Bool
    package var right: Bool

    package init(left: Bool, right: Bool) { (self.left, self.right) = (left, right) }

    package var areBoth: Bool { left && right }
}
