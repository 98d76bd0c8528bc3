import COpenCV
import Pixels

/// A face with a picture of its own, which never changes.
package final class FacePicture: @unchecked Sendable {
    // Unchecked because of the pixels: they are written before anyone else sees the picture, and only read afterwards.
    private let pixels: OwnedImage
    /// The face, in pixels of the picture.
    package let face: FacePoints
    /// True if the picture was made of grey pictures; its three colours are then the same.
    package let isGray: Bool

    /// Picture as an image: BGRA if there is alpha, else BGRx.
    package var image: Image { pixels.image }
    package var hasAlpha: Bool { image.format.alpha != nil }

    /// Takes over pixels of four bytes, the fourth 255 where there is no alpha.
    init(_ pixels: OwnedImage, face: FacePoints, isGray: Bool) {
        self.pixels = pixels
        self.face = face
        self.isGray = isGray
    }

    /// Copies a face and enough around it that it can be merged with any other. Parts beyond the frame are missing. Nil
    /// if the points do not make a face or no part of it is in the frame.
    package convenience init?(copying frame: FrameImage, face: FacePoints) {
        guard face.isSound else { return nil }
        let patch = FramePatch()
        patch.read(frame, Rectangle(face.box).union(FaceOval.reach(of: face)))
        guard !patch.area.isEmpty else { return nil }
        let pixels = OwnedImage(patch.image.format, width: patch.area.width, height: patch.area.height)
        pixels.image.copy(from: patch.image)
        self.init(pixels, face: face.moved(from: patch.area.corner), isGray: frame.format.isGray)
    }

    /// Part inside the face's box; all of the picture if no part of it is in the box.
    var boxed: FaceCut { FaceCut(image, of: self, face, isGray: isGray) }

    /// Returns the face's box and a quarter around it, scaled to fill a size; the excess is cropped equally on both
    /// sides.
    /// - Returns: nil if the size is empty or too large for a picture.
    package func fitted(width: Int, height: Int) throws(VisionError) -> FacePicture? {
        let output = OwnedImage(image.format, width: width, height: height)
        guard !output.image.isEmpty else { return nil }
        var part = Rectangle(face.box)
        part = image.bounds.intersection(part.grown(by: max(0, min(part.width, part.height) / 4)))
        if part.isEmpty { part = image.bounds }
        let scale = max(Double(width) / Double(part.width), Double(height) / Double(part.height))
        let origin = Point(
            Double(part.x) + (Double(part.width) - Double(width) / scale) / 2,
            Double(part.y) + (Double(part.height) - Double(height) / scale) / 2)

        let levels = Levels(image)
        let level = levels.nearest(to: scale)
        let pixels = levels[level]
        let shrunk = Levels.scale(level)
        let (w, h) = (Double(width), Double(height))
        let to = [0, 0, w, 0, 0, h]
        let from = stride(from: 0, to: 6, by: 2).flatMap { i in
            [(origin.x + to[i] / scale) * shrunk, (origin.y + to[i + 1] / scale) * shrunk]
        }
        try check { sv_cv_align(pixels.openCV, from, to, Int32(sv_cv_border_repeated), output.image.openCV, $0) }
        withExtendedLifetime(levels) {}
        return FacePicture(output, face: face.moved(from: origin, scale: scale), isGray: isGray)
    }
}

/// The part of a picture inside a face's box; a view.
struct FaceCut {
    /// Picture of four bytes a pixel.
    let image: Image
    /// The face, in pixels of the part.
    let face: FacePoints
    let isGray: Bool
    /// Owner of the pixels, which keeps them alive.
    private let owner: AnyObject

    var hasAlpha: Bool { image.format.alpha != nil }
    var size: Int { image.width * image.height }

    /// Creates a view of the part inside the box; of all of the picture if no part of it is in the box.
    init(_ image: Image, of owner: AnyObject, _ face: FacePoints, isGray: Bool) {
        self.owner = owner
        let part = image.bounds.intersection(Rectangle(face.box))
        self.image = part.isEmpty ? image : image.cropped(to: part)
        self.face = part.isEmpty ? face : face.moved(from: part.corner)
        self.isGray = isGray
    }
}

/// A picture in its own size, half of it, and so on, each computed when it is first used.
final class Levels {
    private let original: Image
    private var halves: [OwnedImage] = []

    /// - Parameter image: the picture, of four bytes a pixel; the caller keeps it alive.
    init(_ image: Image) { original = image }

    /// Returns the size of a level relative to the original.
    static func scale(_ level: Int) -> Double { 1 / Double(1 << min(62, max(0, level))) }

    /// Returns the smallest level of at least `scale` times the original's size.
    func atLeast(_ scale: Double) -> Int {
        var level = 0
        while Self.scale(level + 1) >= scale, min(original.width, original.height) >> (level + 1) >= 4 { level += 1 }
        return level
    }

    /// Returns the level whose size is nearest to `scale` times the original's.
    func nearest(to scale: Double) -> Int { atLeast(scale / 2.0.squareRoot()) }

    subscript(level: Int) -> Image {
        while halves.count < level {
            let half = OwnedImage(original.format)
            half.halve(halves.last?.image ?? original)
            halves.append(half)
        }
        return level > 0 ? halves[level - 1].image : original
    }
}
