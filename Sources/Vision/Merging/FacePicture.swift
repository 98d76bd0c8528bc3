// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Drawing
import Imaging

/// A face with a picture of its own, which never changes.
package final class FacePicture: @unchecked Sendable {
    // Unchecked because of the pixels: they are written before anyone else sees the picture, and only read afterwards.
    /// Pixels of four bytes, the fourth 255 where there is no alpha: BGRA if there is alpha, else BGRx.
    package let image: Image
    /// The face, in pixels of the picture.
    package let face: FacePoints
    /// True if the picture was made of grey pictures; its three colours are then the same.
    package let isGray: Bool
    /// Owner of the pixels, which keeps them alive.
    private let owner: AnyObject

    package var hasAlpha: Bool { image.format.alpha != nil }
    var size: Int { image.width * image.height }

    init(_ image: Image, of owner: AnyObject, face: FacePoints, isGray: Bool) {
        (self.image, self.owner, self.face, self.isGray) = (image, owner, face, isGray)
    }

    /// Takes over pixels that nobody changes any more.
    convenience init(_ pixels: OwnedImage, face: FacePoints, isGray: Bool) {
        self.init(pixels.image, of: pixels, face: face, isGray: isGray)
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

    /// View of the part inside the face's box; of all of the picture if no part of it is in the box.
    var boxed: FacePicture {
        let part = image.bounds.intersection(Rectangle(face.box))
        guard !part.isEmpty else { return self }
        return FacePicture(image.cropped(to: part), of: self, face: face.moved(from: part.corner), isGray: isGray)
    }

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

        let pyramid = ImagePyramid(image)
        let level = pyramid.nearest(to: scale)
        let pixels = pyramid[level]
        let shrunk = ImagePyramid.scale(level)
        let to = [Point(0, 0), Point(Double(width), 0), Point(0, Double(height))]
        let from = to.map { (origin + $0 / scale) * shrunk }
        try align(pixels, from, to: to, border: sv_cv_border_repeated, into: output.image)
        withExtendedLifetime(pyramid) {}
        return FacePicture(output, face: face.moved(from: origin, scale: scale), isGray: isGray)
    }
}
