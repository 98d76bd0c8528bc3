// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging

/// The picture that covers what is hidden: scaled to fill each area, its shape kept as it is shown. Belongs to the streaming thread.
final class CoverPicture {
    private let picture: Picture
    /// Scaled versions by their shape, and when each was last used.
    private var stamps: [FrameShape: (stamp: Stamp, lastUse: Int)] = [:]
    private var uses = 0

    /// Larger pictures are reduced when they are read, so that scaling one to the size of an area takes little.
    private static let longestSide = 1024
    /// Sizes are multiples of this many pixels, since those of areas change with each frame.
    private static let step = 8
    /// The number of versions that are kept, of at most this many pixels together.
    private static let (most, mostPixels) = (32, 1 << 22)

    init(_ picture: Picture) { self.picture = picture }

    /// Reads a picture file; for `WatchedFile`.
    static func load(_ path: String, unless isObsolete: () -> Bool) throws -> Picture {
        let picture = try Picture.load(path, unless: isObsolete)
        let (size, longest) = (picture.size, max(picture.size.width, picture.size.height))
        guard longest > longestSide else { return picture }
        let small = PixelSize(
            width: max(1, size.width * longestSide / longest), height: max(1, size.height * longestSide / longest))
        return try picture.converted(size.bounds, to: small, like: picture.format)
    }

    /// Draws it over a rectangle, which may lie partly outside of the frame. If memory is short, nothing is drawn.
    func draw(over area: Rectangle, on frame: FrameImage) {
        let seen = frame.bounds.intersection(area)
        // Beyond some frames' size there is nothing to be seen of a picture.
        let limit = 4 * max(frame.width, frame.height)
        guard !seen.isEmpty, area.width <= limit, area.height <= limit else { return }
        func rounded(_ side: Int) -> Int { (side + Self.step - 1) / Self.step * Self.step }
        let size = PixelSize(width: rounded(area.width), height: rounded(area.height))
        guard let stamp = stamp(of: FrameShape(size, frame.pixelAspect)) else { return }
        stamp.draw(on: frame.cropped(to: seen), x: area.x - seen.x, y: area.y - seen.y)
    }

    private func stamp(of shape: FrameShape) -> Stamp? {
        uses += 1
        if let known = stamps[shape]?.stamp {
            stamps[shape]?.lastUse = uses
            return known
        }
        let (size, source) = (shape.size, Fit.cover.place(picture.shape, in: shape).source)
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
        while stamps.count > Self.most || stamps.count > 1 && pixels() > Self.mostPixels,
            let oldest = stamps.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            stamps[oldest.key] = nil
        }
    }
}
