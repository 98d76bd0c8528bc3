// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import COpenCV

/// A face for merging. Faces of one species are merged by the eyes and the nose; faces of two species by all points.
@dynamicMemberLookup
package struct FacePoints: Sendable, Equatable {
    /// Track ID; 0 if the face is not tracked.
    package var track: Int
    /// Species of the face; nil for a hybrid of two species.
    package var species: Species?
    /// Bounding box of the face, in pixels of its image. Landmarks may lie outside the box.
    package var box: Box
    package var landmarks: FaceLandmarks
    /// The chin; nil to estimate the chin.
    package var chin: Point?

    package init(track: Int = 0, species: Species?, box: Box, landmarks: FaceLandmarks, chin: Point? = nil) {
        (self.track, self.species, self.box, self.landmarks, self.chin) = (track, species, box, landmarks, chin)
    }

    package init(_ face: Face) {
        self.init(track: face.id, species: face.species, box: face.box, landmarks: face.landmarks)
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<FaceLandmarks, Value>) -> Value {
        get { landmarks[keyPath: path] }
        set { landmarks[keyPath: path] = newValue }
    }

    /// True if an affine transformation to other landmarks can be computed: all coordinates are at most 10⁶ in
    /// magnitude, the eyes are at least one pixel apart, and the nose is neither on the line between the eyes nor far
    /// from this line.
    package var isSound: Bool {
        guard points.allSatisfy({ $0.x.magnitude <= 1e6 && $0.y.magnitude <= 1e6 }) else { return false }
        let (across, down) = (axes.across.length, axes.down.length)
        return across >= 0.5 && down > 0.1 * across && down < 10 * across && axesArea > 0.1 * across * down
    }

    /// Returns the species of the hybrid of two faces: the common species, or nil if the species differ.
    package static func species(_ first: Species?, _ second: Species?) -> Species? { first == second ? first : nil }
}

extension FacePoints {
    var points: [Point] { [landmarks.leftEye, landmarks.rightEye, landmarks.nose] }

    /// Affine coordinates of the face: the origin is midway between the eyes, the right eye is at (1, 0), and the nose
    /// at (0, 1). The transformation that maps the landmarks of one face to the landmarks of another face preserves
    /// these coordinates.
    var axes: FaceAxes {
        let (left, right) = (landmarks.leftEye, landmarks.rightEye)
        let origin = (left + right) / 2
        return FaceAxes(origin: origin, across: (right - left) / 2, down: landmarks.nose - origin)
    }

    /// Area of the unit square of `axes`, in square pixels.
    var axesArea: Double { axes.across.cross(axes.down).magnitude }

    /// Returns the face in the coordinates of another image.
    /// - Parameters:
    ///   - origin: the position of the other image's top left corner in this image.
    ///   - scale: the number of pixels of the other image for each pixel of this image, along a side.
    package func moved(from origin: Point, scale: Double = 1) -> FacePoints {
        let corner = (box.corner - origin) * scale
        return FacePoints(
            track: track, species: species,
            box: Box(x: corner.x, y: corner.y, width: box.width * scale, height: box.height * scale),
            landmarks: landmarks.moved { ($0 - origin) * scale }, chin: chin.map { ($0 - origin) * scale })
    }

    /// Returns the largest distance between corresponding landmarks of two faces, in pixels.
    func distance(to other: FacePoints) -> Double {
        zip(points, other.points).map { ($0 - $1).length }.max() ?? 0
    }
}

/// Affine coordinates of a face; see `FacePoints.axes`.
struct FaceAxes {
    let origin: Point
    let across: Point
    let down: Point

    /// Returns the point in pixels with the face coordinates (`u`, `v`).
    func point(_ u: Double, _ v: Double) -> Point {
        Point(origin.x + u * across.x + v * down.x, origin.y + u * across.y + v * down.y)
    }

    /// Returns the face coordinates of a point in pixels.
    func coordinates(of point: Point) -> Point {
        let (shift, area) = (point - origin, across.cross(down))
        return Point(shift.cross(down) / area, across.cross(shift) / area)
    }
}

/// Maps `image` onto `output` by the affine transformation from three points to three other points, with linear
/// interpolation.
func align(
    _ image: Image, _ from: [Point], to: [Point], border: SVCVBorder = sv_cv_border_zero, into output: Image
) throws(VisionError) {
    guard from.count == 3, to.count == 3 else { throw VisionError(description: "the alignment needs three points") }
    try check {
        sv_cv_align(image.openCV, from.map(SVCVPoint.init), to.map(SVCVPoint.init), border, output.openCV, $0)
    }
}
