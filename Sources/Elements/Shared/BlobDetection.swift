// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

extension Detection {
    init(_ blob: Blob, id: Int32) {
        self.init(
            type: .blob, id: id, box: Rectangle(blob.box),
            outline: Outline(corners: blob.outline, area: blob.area, color: blob.color))
    }

    /// Creates the detection of an object that forms one blob with other objects. `box` is an estimate of its position.
    init(estimate box: Box, id: Int32) {
        self.init(type: .blob, id: id, box: Rectangle(box))
        isExact = false
    }

    /// Creates the detection of a blob that shows several objects, with the type `possible-blob`.
    init(possible blob: Blob) {
        self.init(blob, id: 0)
        (type, label) = (type.possible, type.possible.rawValue)
    }

    /// True if the box is an estimate, because the object forms one blob with other objects. Such a detection has no
    /// outline, because only the outline of the whole blob is known.
    var isEstimate: Bool { type == .blob && isExact == false && outline == nil }
}

extension Blob {
    /// Creates the blob of a detection. Without an outline, the detection becomes a blob with only a box. Outlines from
    /// detectors of other vendors can extend beyond the box, so the outline is clipped to the box.
    init(_ detection: Detection) {
        let box = detection.box
        let (left, top) = (Double(box.x), Double(box.y))
        let (right, bottom) = (left + Double(box.width), top + Double(box.height))
        let corners = detection.outline?.corners.map {
            Point(min(max($0.x, left), right), min(max($0.y, top), bottom))
        }
        self.init(
            box: Box(x: left, y: top, width: Double(box.width), height: Double(box.height)),
            outline: corners ?? [],
            area: detection.outline?.area ?? Double(box.width) * Double(box.height),
            color: detection.outline?.color ?? .black)
    }
}
