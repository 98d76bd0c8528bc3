// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// Enlarges the boxes of faces that have suddenly become smaller.
///
/// The boxes of cascades jitter: from one frame to the next, the size of a box can fall by a third although the face
/// has not changed. The margins of such a box would not cover the whole head. So the size that determines the hidden
/// area falls only slowly. Exact boxes do not jitter, and keep their sizes.
struct FaceSizes {
    /// The size falls by at most this fraction per frame. At 30 frames per second, a size can halve within 0.8 seconds.
    private static let maxShrink = 0.03

    private struct Face {
        let id: Int32
        let box: Rectangle
        /// The longer side of the enlarged box.
        let size: Double
    }

    /// The faces of the previous frame.
    private var faces: [Face] = []

    /// Forgets all sizes.
    mutating func reset() { faces = [] }

    /// Returns the detections of the next frame, with enlarged boxes.
    mutating func steady(_ detections: [Detection]) -> [Detection] {
        let ids = Set(detections.map(\.id))
        var new: [Face] = []
        let result = detections.map { detection in
            guard detection.isFace else { return detection }
            let (box, size) = (detection.box, Double(max(detection.box.width, detection.box.height)))
            let before = detection.isExact == true ? nil : previousSize(of: detection, beside: ids)
            let steadySize = max(size, (1 - Self.maxShrink) * (before ?? 0))
            new.append(Face(id: detection.id, box: box, size: steadySize))
            var detection = detection
            let margin = Int(((steadySize - size) / 2).rounded(.up))
            detection.box = Rectangle(
                x: box.x - margin, y: box.y - margin, width: box.width + 2 * margin, height: box.height + 2 * margin)
            return detection
        }
        faces = new
        return result
    }

    /// Returns the size of a face in the previous frame. If no face had the same ID, returns the size of the face with
    /// the largest overlap, for example because the ID of a possible face is always 0. Returns nil if the face is new.
    /// - Parameter ids: the IDs in the current frame. Other faces with these IDs do not count.
    private func previousSize(of face: Detection, beside ids: Set<Int32>) -> Double? {
        if face.id != 0, let same = faces.first(where: { $0.id == face.id }) { return same.size }
        return faces.filter { previous in
            let common = previous.box.intersection(face.box).area
            return (previous.id == 0 || !ids.contains(previous.id))
                && 2 * common >= min(previous.box.area, face.box.area)
        }.max { $0.box.intersection(face.box).area < $1.box.intersection(face.box).area }?.size
    }
}
