// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// Enlarges the boxes of faces that have suddenly become smaller.
///
/// The boxes of detectors jitter: from one frame to the next, the size of a box can fall by a third although the face
/// has not changed. The margins of such a box would not cover the whole head. So the edges of the box that determines
/// the hidden area move towards the face only slowly.
struct SteadyBoxes {
    /// The distance of a box edge from the eyes (or the middle of the box) falls by at most this fraction per frame. At
    /// 30 frames per second, a box can shrink to half its size within 0.8 seconds.
    private static let maxShrink = 0.03

    private struct Face {
        let id: Int32
        let box: Rectangle
        /// The point between the eyes. Nil if the detector did not measure the eyes in this frame.
        let eyes: Point?
        let enlarged: BoxEdges

        var middle: Point { BoxEdges(box).middle }
    }

    /// The faces of the previous frame.
    private var faces: [Face] = []

    /// Forgets all faces.
    mutating func reset() { faces = [] }

    /// Returns the detections of the next frame, with enlarged boxes.
    mutating func steady(_ detections: [Detection]) -> [Detection] {
        let ids = Set(detections.map(\.id))
        var new: [Face] = []
        let result = detections.map { detection in
            guard detection.isFace else { return detection }
            let (box, eyes) = (detection.box, detection.measuredEyes)
            var enlarged = BoxEdges(box)
            if let before = previous(of: detection, beside: ids) {
                // One wrong edge of the box also shifts the middle of the box. So prefer the eyes as the anchor.
                let (from, to) =
                    if let old = before.eyes, let eyes { (old, eyes) } else { (before.middle, enlarged.middle) }
                enlarged.unite(with: before.enlarged.scaled(by: 1 - Self.maxShrink, around: from, movedTo: to))
            }
            new.append(Face(id: detection.id, box: box, eyes: eyes, enlarged: enlarged))
            var detection = detection
            detection.box = box.union(enlarged.rectangle)
            return detection
        }
        faces = new
        return result
    }

    /// Returns the same face in the previous frame: the face with the same ID, or else the face with the largest
    /// overlap (the ID of a possible face is always 0). Returns nil if the face is new.
    /// - Parameter ids: the IDs in the current frame. The search for an overlap ignores faces with these IDs, because
    ///   they belong to other detections.
    private func previous(of face: Detection, beside ids: Set<Int32>) -> Face? {
        if face.id != 0, let same = faces.first(where: { $0.id == face.id }) { return same }
        return faces.filter { previous in
            let common = previous.box.intersection(face.box).area
            return (previous.id == 0 || !ids.contains(previous.id))
                && 2 * common >= min(previous.box.area, face.box.area)
        }.max { $0.box.intersection(face.box).area < $1.box.intersection(face.box).area }
    }
}

/// The edges of a box, in pixels with fractions, so that they can move by less than a pixel per frame.
private struct BoxEdges {
    var (left, right, top, bottom): (Double, Double, Double, Double)

    init(_ box: Rectangle) {
        (left, right) = (Double(box.x), Double(box.x) + Double(box.width))
        (top, bottom) = (Double(box.y), Double(box.y) + Double(box.height))
    }

    var middle: Point { Point((left + right) / 2, (top + bottom) / 2) }

    /// The smallest rectangle that contains the edges.
    var rectangle: Rectangle {
        let (x, y) = (floored(left), floored(top))
        return Rectangle(x: x, y: y, width: -floored(-right) - x, height: -floored(-bottom) - y)
    }

    /// Moves all edges so that the point `from` comes to the point `to`, and multiplies the distances of the edges from
    /// this point by `scale`.
    func scaled(by scale: Double, around from: Point, movedTo to: Point) -> Self {
        var scaled = self
        scaled.left = to.x + scale * (left - from.x)
        scaled.right = to.x + scale * (right - from.x)
        scaled.top = to.y + scale * (top - from.y)
        scaled.bottom = to.y + scale * (bottom - from.y)
        return scaled
    }

    mutating func unite(with other: Self) {
        (left, right) = (min(left, other.left), max(right, other.right))
        (top, bottom) = (min(top, other.top), max(bottom, other.bottom))
    }
}

extension Detection {
    /// The point between the eyes. Nil if the detector did not measure the eyes in this frame, or if the point is
    /// outside the box.
    fileprivate var measuredEyes: Point? {
        guard isExact == true, let landmarks, landmarks.isLeftEyeFound, landmarks.isRightEyeFound else { return nil }
        let eyes = Point(
            (landmarks.leftEye.x + landmarks.rightEye.x) / 2, (landmarks.leftEye.y + landmarks.rightEye.y) / 2)
        let edges = BoxEdges(box)
        guard edges.left...max(edges.left, edges.right) ~= eyes.x, edges.top...max(edges.top, edges.bottom) ~= eyes.y
        else { return nil }
        return eyes
    }
}
