// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A frame as detection sees it.
struct FramePlanes {
    /// Part of the frame that is searched, at full size.
    let full: Image
    /// That part, reduced; not equalised.
    let reduced: Image
    /// That part as it is searched: reduced and, if requested, equalised.
    let search: SearchPlane
    /// That part in the frame's colours, or grey if those are not known.
    let colors: ColorSource

    /// Bounds of that part of the frame.
    var bounds: Box {
        Box(x: search.origin.x, y: search.origin.y, width: Double(full.width), height: Double(full.height))
    }
}

/// A plane that is ready to be searched, and its place in the full frame.
struct SearchPlane {
    let image: Image
    /// Top left corner in the full frame.
    let origin: Point
    /// Factor by which it was reduced.
    let scale: Double

    /// Converts a rectangle of the plane to the full frame.
    func box(_ rectangle: Rectangle) -> Box {
        let corner = point(rectangle.corner)
        return Box(
            x: corner.x, y: corner.y, width: Double(rectangle.width) / scale, height: Double(rectangle.height) / scale)
    }

    /// Converts a point of the plane to the full frame.
    func point(_ point: Point) -> Point { origin + point / scale }

    /// Returns the part that shows `area` of the full frame and half its size around it, at least `margin` pixels.
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

/// Cuts faces out of frames: upright, and scaled to a given size in pixels.
final class PatchCutter {
    private let part = OwnedImage(.gray8)

    /// Fills `patch` with the square of `span` times the size of `placement` around its centre, upright, scaled to
    /// `side` pixels. Beyond the frame its border is repeated.
    func cut(
        _ placement: FacePlacement, span: Double, side: Int, from planes: FramePlanes, into patch: OwnedImage
    ) throws(VisionError) {
        var (center, length) = (placement.center - planes.search.origin, placement.size * span)
        var plane = planes.full
        // The smaller plane is enough if it has the pixels.
        let scale = planes.search.scale
        if scale < 1, length * scale >= Double(side) {
            (plane, center, length) = (planes.reduced, center * scale, length * scale)
        }
        guard length.isFinite, length >= 1, length < 100_000, center.x.magnitude < 1e6, center.y.magnitude < 1e6 else {
            return patch.resize(width: 0, height: 0)
        }
        // Linear interpolation uses four pixels; if more make up one, they are averaged first.
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
