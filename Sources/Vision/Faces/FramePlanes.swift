// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Images of the searched region of a frame.
struct FramePlanes {
    /// The searched region in grey, at full size.
    let full: Image
    /// The searched region in grey, reduced but not equalised.
    let reduced: Image
    /// The searched region in grey, reduced and, if requested, equalised.
    let search: SearchPlane
    /// The searched region in colour, or in grey if the frame has no colours.
    let colors: ColorSource

    /// Bounds of the searched region, in pixels of the full frame.
    var bounds: Box {
        Box(x: search.origin.x, y: search.origin.y, width: Double(full.width), height: Double(full.height))
    }
}

/// A reduced grey image, and its position in the full frame.
struct SearchPlane {
    let image: Image
    /// Top left corner of the image, in pixels of the full frame.
    let origin: Point
    /// Number of image pixels per pixel of the full frame, along one side; at most 1.
    let scale: Double

    /// Converts a rectangle from pixels of the image to pixels of the full frame.
    func box(_ rectangle: Rectangle) -> Box {
        let corner = point(rectangle.corner)
        return Box(
            x: corner.x, y: corner.y, width: Double(rectangle.width) / scale, height: Double(rectangle.height) / scale)
    }

    /// Converts a point from pixels of the image to pixels of the full frame.
    func point(_ point: Point) -> Point { origin + point / scale }

    /// Returns the part of the image that contains `area` and a margin around `area`. The margin is half of the area's
    /// longer side, but at least `margin` pixels of the image.
    /// - Parameter area: a box in pixels of the full frame.
    func cropped(to area: Box, margin: Int) -> SearchPlane {
        let around = max(Double(margin), max(area.width, area.height) * scale / 2)
        let left = ((area.x - origin.x) * scale - around).rounded(.down)
        let top = ((area.y - origin.y) * scale - around).rounded(.down)
        let right = ((area.x + area.width - origin.x) * scale + around).rounded(.up)
        let bottom = ((area.y + area.height - origin.y) * scale + around).rounded(.up)
        guard [left, top, right, bottom].allSatisfy({ $0.magnitude < 1e9 }) else { return self }
        let part = image.bounds.intersection(
            Rectangle(x: Int(left), y: Int(top), width: Int(right - left), height: Int(bottom - top)))
        return SearchPlane(image: image.cropped(to: part), origin: point(part.corner), scale: scale)
    }
}

/// Cuts face patches out of frames. Each patch is rotated upright and scaled to a given size.
final class PatchCutter {
    private let part = OwnedImage(.gray8)

    /// Copies the rotated square around a face from the frame into `patch`. In `patch`, the face is upright, and the
    /// square has `side` x `side` pixels. Pixels outside the frame repeat the frame's border. If the placement is
    /// invalid, the patch becomes empty.
    /// - Parameter span: the side of the square, as a multiple of the face's size.
    func cut(
        _ placement: FacePlacement, span: Double, side: Int, from planes: FramePlanes, into patch: OwnedImage
    ) throws(VisionError) {
        var (center, length) = (placement.center - planes.search.origin, placement.size * span)
        var plane = planes.full
        // Use the reduced image if its resolution is sufficient.
        let scale = planes.search.scale
        if scale < 1, length * scale >= Double(side) {
            (plane, center, length) = (planes.reduced, center * scale, length * scale)
        }
        guard length.isFinite, length >= 1, length < 100_000, center.x.magnitude < 1e6, center.y.magnitude < 1e6 else {
            return patch.resize(width: 0, height: 0)
        }
        // Linear interpolation uses only four source pixels per patch pixel. So if the patch has much fewer pixels than
        // the square in the source, first reduce the source by averaging.
        let factor = Int(length / Double(side))
        guard factor >= 2 else {
            return try patch.cut(from: plane, center: center, size: length, degrees: placement.angle, side: side)
        }
        let window = plane.bounds.intersection(Rectangle(around: center, reach: length * 0.75))
        try part.reduce(plane.cropped(to: window), by: 1 / Double(factor))
        guard !part.image.isEmpty else { return patch.resize(width: 0, height: 0) }
        try patch.cut(
            from: part.image, center: (center - window.corner) / Double(factor), size: length / Double(factor),
            degrees: placement.angle, side: side)
    }
}
