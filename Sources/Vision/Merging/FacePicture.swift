// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Drawing
import Imaging

/// A face with a separate image, which never changes.
package final class FacePicture: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because it refers to the pixels by pointers. The pixels are written before
    // other threads get the object, and are only read afterwards.
    /// The image, with four bytes per pixel: BGRA if the image has alpha, else BGRx with 255 in the fourth byte.
    package let image: Image
    /// The face, in pixels of the image.
    package let face: FacePoints
    /// True if the image was made of grey images. Its three colour channels are then equal.
    package let isGray: Bool
    /// The pixels of the head; nil if they are not known.
    let silhouette: HeadSilhouette?
    /// True if the image is known to be a drawing; see `ImageNoise.isDrawing`.
    let isDrawing: Bool
    /// The owner of the pixels, retained so that the pixels stay valid.
    private let owner: AnyObject

    package var hasAlpha: Bool { image.format.alpha != nil }
    var size: Int { image.width * image.height }

    init(
        _ image: Image, of owner: AnyObject, face: FacePoints, isGray: Bool, silhouette: HeadSilhouette? = nil,
        isDrawing: Bool = false
    ) {
        (self.image, self.owner, self.face, self.isGray) = (image, owner, face, isGray)
        (self.silhouette, self.isDrawing) = (silhouette, isDrawing)
    }

    /// Creates a face from pixels that no code changes any more.
    convenience init(_ pixels: OwnedImage, face: FacePoints, isGray: Bool) {
        self.init(pixels.image, of: pixels, face: face, isGray: isGray)
    }

    /// Copies a face from a frame, with enough surroundings for a merge with any other face. The copy ends at the
    /// frame's edges. Nil if the landmarks are not usable (`FacePoints.isSound` is false), or if the face is outside
    /// the frame.
    package convenience init?(copying frame: FrameImage, face: FacePoints) {
        guard face.isSound else { return nil }
        let patch = FramePatch()
        patch.read(frame, Rectangle(face.box).union(FaceOval.reach(of: face)).union(HeadShape.bounds(of: face)))
        guard !patch.area.isEmpty else { return nil }
        let pixels = OwnedImage(patch.image.format, width: patch.area.width, height: patch.area.height)
        pixels.image.copy(from: patch.image)
        self.init(pixels, face: face.moved(from: patch.area.corner), isGray: frame.format.isGray)
    }

    /// Returns the face with the silhouette of its head, and detects drawings. This takes about 0.1 seconds.
    package func outlined() throws(VisionError) -> FacePicture {
        guard silhouette == nil else { return self }
        return FacePicture(
            image, of: self, face: face, isGray: isGray, silhouette: try HeadSilhouette.of(face, in: image),
            isDrawing: try face.isDrawing(in: image) ?? false)
    }

    /// True if most of a human's chin is not skin. False without a silhouette.
    var hidesChin: Bool {
        guard let silhouette else { return false }
        return 2 * chin.count(where: silhouette.contains) < chin.count
    }

    /// True if the middle of a human's forehead is skin, without hair or a hat. False without a silhouette.
    var hasBareForehead: Bool {
        guard let silhouette else { return false }
        return positions([-0.6, 0, 0.6], [-0.55]).allSatisfy(silhouette.contains)
    }

    /// True if most of a human's chin is not skin, and is darker than the cheeks. False without a silhouette.
    var hasBeard: Bool {
        let cheeks = positions([-0.9, 0.9], [0.4, 0.55, 0.7])
        guard hidesChin, let luma = luma(at: chin), let brightness = self.luma(at: cheeks) else { return false }
        return luma < 0.8 * brightness
    }

    private var chin: [Point] { positions([-0.5, 0, 0.5], [1.3, 1.45, 1.6]) }

    /// Returns the points of a grid in `FacePoints.headAxes`, in pixels.
    private func positions(_ columns: [Double], _ rows: [Double]) -> [Point] {
        let axes = face.headAxes
        return columns.flatMap { x in rows.map { axes.point(x, $0) } }
    }

    /// Returns the mean luma of the pixels at these positions; nil if no position is in the image.
    private func luma(at positions: [Point]) -> Double? {
        let format = image.format
        guard format.bytesPerPixel >= 3 else { return nil }
        let values = positions.compactMap { position -> Double? in
            guard position.x >= 0, position.y >= 0, position.x < Double(image.width), position.y < Double(image.height)
            else { return nil }
            let pixel = image.row(Int(position.y)) + format.bytesPerPixel * Int(position.x)
            return Color(Double(pixel[format.red]), Double(pixel[format.green]), Double(pixel[format.blue])).luma
        }
        return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }

    /// The part of the image that is necessary for merging faces of one species, without a copy.
    var narrowed: FacePicture {
        let part = image.bounds.intersection(Rectangle(face.box).union(FaceOval.reach(of: face)))
        guard !part.isEmpty, part != image.bounds else { return self }
        return FacePicture(
            image.cropped(to: part), of: self, face: face.moved(from: part.corner), isGray: isGray,
            silhouette: silhouette?.moved(to: part), isDrawing: isDrawing)
    }

    /// The part of the image inside the face's box, without a copy. The whole image if the box is outside the image.
    var boxed: FacePicture {
        let part = image.bounds.intersection(Rectangle(face.box))
        guard !part.isEmpty else { return self }
        return FacePicture(image.cropped(to: part), of: self, face: face.moved(from: part.corner), isGray: isGray)
    }

    /// Returns the face's box, extended by a quarter of its shorter side, and scaled to fill `width` x `height` pixels.
    /// If the aspect ratios differ, two opposite sides are cropped equally.
    /// - Returns: nil if the size is empty or too large for an image.
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
