// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging

/// The image that covers hidden areas. The image fills each area and keeps its displayed aspect ratio. Only the
/// streaming thread uses this object.
final class CoverPicture {
    private let picture: Picture
    /// A cache of scaled images, keyed by their shapes. `lastUse` is the value of `uses` at the last use of the image.
    private var stamps: [FrameShape: (stamp: Stamp, lastUse: Int)] = [:]
    private var uses = 0

    /// Maximum side length of the loaded image, in pixels. `load` shrinks larger images, so that scaling to an area is
    /// fast.
    private static let longestSide = 1024
    /// The sizes of scaled images are multiples of this number of pixels. So an area whose size changes slightly with
    /// each frame can use cached images.
    private static let step = 8
    /// `maxCount`: the maximum number of cached images. `maxPixels`: the maximum number of pixels in all cached images
    /// together.
    private static let (maxCount, maxPixels) = (32, 1 << 22)

    init(_ picture: Picture) { self.picture = picture }

    /// Reads an image file. `WatchedFile` calls this function.
    static func load(_ path: String, unless isObsolete: () -> Bool) throws -> Picture {
        let picture = try Picture.load(path, unless: isObsolete)
        let (size, longest) = (picture.size, max(picture.size.width, picture.size.height))
        guard longest > longestSide else { return picture }
        let small = PixelSize(
            width: max(1, size.width * longestSide / longest), height: max(1, size.height * longestSide / longest))
        return try picture.converted(size.bounds, to: small, like: picture.format)
    }

    /// Draws the image over a rectangle, which may extend beyond the frame. Draws nothing if an allocation fails.
    func draw(over area: Rectangle, on frame: FrameImage) {
        let visible = frame.bounds.intersection(area)
        // Skip areas that are much larger than the frame: the frame would show only a blurred detail of the image.
        let limit = 4 * max(frame.width, frame.height)
        guard !visible.isEmpty, area.width <= limit, area.height <= limit else { return }
        func rounded(_ side: Int) -> Int { (side + Self.step - 1) / Self.step * Self.step }
        let size = PixelSize(width: rounded(area.width), height: rounded(area.height))
        guard let stamp = stamp(of: FrameShape(size, frame.pixelAspect)) else { return }
        stamp.draw(on: frame.cropped(to: visible), x: area.x - visible.x, y: area.y - visible.y)
    }

    private func stamp(of shape: FrameShape) -> Stamp? {
        uses += 1
        if let cached = stamps[shape]?.stamp {
            stamps[shape]?.lastUse = uses
            return cached
        }
        let (size, source) = (shape.size, Fit.cover.rectangles(picture.shape, in: shape).source)
        guard let format = VideoFormat(.bgra, size: size),
            let scaled = try? picture.converted(source, to: size, like: format)
        else { return nil }
        let copy = OwnedImage(.bgra, width: size.width, height: size.height)
        guard !copy.image.isEmpty else { return nil }
        scaled.withImage { copy.image.copy(from: $0) }
        if scaled.hasAlpha { premultiply(copy.image) }
        let stamp = Stamp(premultiplied: copy.image)
        stamps[shape] = (stamp, uses)
        forgetOldest()
        return stamp
    }

    private func forgetOldest() {
        func pixels() -> Int { stamps.keys.reduce(0) { $0 + $1.size.width * $1.size.height } }
        while stamps.count > Self.maxCount || stamps.count > 1 && pixels() > Self.maxPixels,
            let oldest = stamps.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            stamps[oldest.key] = nil
        }
    }
}
