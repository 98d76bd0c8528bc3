// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// An image of a part of a frame. The image may have fewer pixels than this part of the frame. The image is grey if the
/// frame is grey.
struct ColorSource {
    /// The image. The image is valid only while the memory of the frame is valid.
    let frame: FrameImage
    /// Position of the image's top left corner in the full frame, in pixels of the full frame.
    let origin: Point
    /// Number of image pixels per pixel of the full frame: `x` horizontally, `y` vertically.
    let scale: Point

    /// Creates a `ColorSource` that shows a whole frame at full size.
    init(_ frame: FrameImage) { self.init(frame, origin: Point(0, 0), scale: Point(1, 1)) }

    private init(_ frame: FrameImage, origin: Point, scale: Point) {
        (self.frame, self.origin, self.scale) = (frame, origin, scale)
    }

    /// Converts a point from pixels of the image to pixels of the full frame.
    func point(_ point: Point) -> Point { Point(origin.x + point.x / scale.x, origin.y + point.y / scale.y) }

    /// Converts a point from pixels of the full frame to pixels of the image.
    func inside(_ point: Point) -> Point { Point((point.x - origin.x) * scale.x, (point.y - origin.y) * scale.y) }

    /// The bounds of the part of the frame that the image shows, in pixels of the full frame.
    var bounds: Box {
        Box(x: origin.x, y: origin.y, width: Double(frame.width) / scale.x, height: Double(frame.height) / scale.y)
    }

    /// Returns the part of the image that contains `area`. The part consists of whole pixels and is clipped to the
    /// image.
    /// - Parameter area: a box in pixels of the full frame.
    func cropped(to area: Box) -> ColorSource {
        let (low, high) = (inside(area.corner), inside(area.point(1, 1)))
        guard [low.x, low.y, high.x, high.y].allSatisfy({ $0.magnitude < 1e9 }) else { return self }
        let (left, top) = (Int(low.x.rounded(.down)), Int(low.y.rounded(.down)))
        let part = frame.bounds.intersection(
            Rectangle(
                x: left, y: top, width: Int(high.x.rounded(.up)) - left, height: Int(high.y.rounded(.up)) - top))
        return ColorSource(frame.cropped(to: part), origin: point(part.corner), scale: scale)
    }

    /// Reduces the image to a pixel density, and stores the result in `plane`. Does not enlarge the image if its
    /// density is lower. The result is valid until the size of `plane` changes.
    /// - Parameter density: number of result pixels per pixel of the full frame, along one side.
    func reduced(to density: Double, into plane: ColorPlane) throws(VisionError) -> ColorSource {
        let (width, height) = (Double(frame.width), Double(frame.height))
        try plane.fill(frame, reducedBy: min(1, density / max(scale.x, scale.y)))
        let image = plane.image
        let across = width > 0 ? Double(image.width) / width : 1
        let down = height > 0 ? Double(image.height) / height : 1
        return ColorSource(FrameImage(image), origin: origin, scale: Point(scale.x * across, scale.y * down))
    }

    /// A copy of a `ColorSource` that another thread can use.
    struct Still: Sendable {
        private let bytes: [UInt8]
        private let width, height: Int
        private let format: PixelFormat
        private let origin, scale: Point

        /// Copies the image of a `ColorSource`. The image must be packed (all channels in one plane). Otherwise the
        /// copy is empty.
        init(_ source: ColorSource) {
            let image = source.frame.packed
            (bytes, format) = (image?.bytes ?? [], image?.format ?? .gray8)
            (width, height) = (image?.width ?? 0, image?.height ?? 0)
            (origin, scale) = (source.origin, source.scale)
        }

        /// Calls `body` with a `ColorSource` that uses the copied image. This source is valid until `body` returns.
        func withSource<Result>(_ body: (ColorSource) throws(VisionError) -> Result) throws(VisionError) -> Result {
            try bytes.withImage(width: width, height: height, format: format) { image throws(VisionError) in
                try body(ColorSource(FrameImage(image), origin: origin, scale: scale))
            }
        }
    }
}
