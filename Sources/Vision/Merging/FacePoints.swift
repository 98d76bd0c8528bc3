// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import COpenCV

/// A face as merging sees it: of its landmarks, the eyes and the nose count.
@dynamicMemberLookup
package struct FacePoints: Sendable, Equatable {
    /// Number of its track; 0 if faces are not tracked.
    package var track: Int
    /// Species of the face; nil for a hybrid of both.
    package var species: Species?
    /// Box of the face, in pixels of its picture. The points may lie outside.
    package var box: Box
    package var landmarks: FaceLandmarks

    package init(track: Int = 0, species: Species?, box: Box, landmarks: FaceLandmarks) {
        (self.track, self.species, self.box, self.landmarks) = (track, species, box, landmarks)
    }

    package init(_ face: Face) {
        self.init(track: face.id, species: face.species, box: face.box, landmarks: face.landmarks)
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<FaceLandmarks, Value>) -> Value {
        get { landmarks[keyPath: path] }
        set { landmarks[keyPath: path] = newValue }
    }

    /// True if a map to other points can be computed: numbers of a sensible size, eyes at least a pixel apart, and a
    /// nose neither on their line nor far away.
    package var isSound: Bool {
        guard points.allSatisfy({ $0.x.magnitude <= 1e6 && $0.y.magnitude <= 1e6 }) else { return false }
        let (across, down) = (axes.across.length, axes.down.length)
        return across >= 0.5 && down > 0.1 * across && down < 10 * across && axesArea > 0.1 * across * down
    }

    /// Returns the species of the hybrid of two faces: theirs if it is the same, else nil.
    package static func species(_ first: Species?, _ second: Species?) -> Species? { first == second ? first : nil }
}

extension FacePoints {
    var points: [Point] { [landmarks.leftEye, landmarks.rightEye, landmarks.nose] }

    /// Coordinates in which all faces are alike: the origin is midway between the eyes, the right eye at (1, 0), the
    /// nose at (0, 1). The map of three points to three others preserves them.
    var axes: FaceAxes {
        let (left, right) = (landmarks.leftEye, landmarks.rightEye)
        let origin = (left + right) / 2
        return FaceAxes(origin: origin, across: (right - left) / 2, down: landmarks.nose - origin)
    }

    /// Number of pixels in a unit square of those coordinates.
    var axesArea: Double { axes.across.cross(axes.down).magnitude }

    /// Returns the face in a picture that begins at `origin` of this one and is `scale` times as large.
    package func moved(from origin: Point, scale: Double = 1) -> FacePoints {
        let corner = (box.corner - origin) * scale
        return FacePoints(
            track: track, species: species,
            box: Box(x: corner.x, y: corner.y, width: box.width * scale, height: box.height * scale),
            landmarks: landmarks.moved { ($0 - origin) * scale })
    }

    /// Returns the largest distance of one of the points from the same point in `other`, in pixels.
    func distance(to other: FacePoints) -> Double {
        zip(points, other.points).map { ($0 - $1).length }.max() ?? 0
    }
}

/// Coordinates of a face; see `FacePoints.axes`.
struct FaceAxes {
    let origin: Point
    let across: Point
    let down: Point

    /// Returns the place with these coordinates.
    func point(_ u: Double, _ v: Double) -> Point {
        Point(origin.x + u * across.x + v * down.x, origin.y + u * across.y + v * down.y)
    }

    /// Returns the coordinates of a place.
    func coordinates(of place: Point) -> Point {
        let (shift, area) = (place - origin, across.cross(down))
        return Point(shift.cross(down) / area, across.cross(shift) / area)
    }
}

/// Maps `image` onto `output` by the affine transform that takes three points to three others, linearly interpolated.
func align(
    _ image: Image, _ from: [Point], to: [Point], border: SVCVBorder = sv_cv_border_zero, into output: Image
) throws(VisionError) {
    guard from.count == 3, to.count == 3 else { throw VisionError(description: "the alignment needs three points") }
    try check {
        sv_cv_align(image.openCV, from.map(SVCVPoint.init), to.map(SVCVPoint.init), border, output.openCV, $0)
    }
}
