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

    package init(
        leftEye: Point, rightEye: Point, nose: Point, mouthLeft: Point, mouthRight: Point, isLeftEyeFound: Bool = true,
        isRightEyeFound: Bool = true
    ) {
        self.leftEye = leftEye
        self.rightEye = rightEye
        self.nose = nose
        self.mouthLeft = mouthLeft
        self.mouthRight = mouthRight
        self.isLeftEyeFound = isLeftEyeFound
        self.isRightEyeFound = isRightEyeFound
    }

    /// Puts all points in one place.
    package init(at point: Point) {
        self.init(leftEye: point, rightEye: point, nose: point, mouthLeft: point, mouthRight: point)
    }

    /// Returns the points, each moved by `move`.
    package func moved(_ move: (Point) -> Point) -> FaceLandmarks {
        FaceLandmarks(
            leftEye: move(leftEye), rightEye: move(rightEye), nose: move(nose), mouthLeft: move(mouthLeft),
            mouthRight: move(mouthRight), isLeftEyeFound: isLeftEyeFound, isRightEyeFound: isRightEyeFound)
    }
}
