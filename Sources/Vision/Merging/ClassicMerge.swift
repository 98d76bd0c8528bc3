import COpenCV
import Pixels

/// The original merge (ManyMasks): the face with fewer pixels, or the first of equals, is carried by the affine transform
/// of the three points onto the other one, to its size, and multiplied with it: b · f / 255, alpha likewise. Where the
/// smaller picture does not reach, the product is 0 (OpenCV's border by default). Of grey and colour, and with alpha and
/// without, the hybrid has the richer. It has the bigger one's points.
struct ClassicMerge {
    /// BGRA if one of them has alpha, else BGRx.
    let pixels: OwnedImage
    let face: FacePoints
    let isGray: Bool
    /// How much the smaller picture covers, 0…255.
    let coverage: OwnedImage
    /// Whether the first one was the bigger.
    let isFirst: Bool

    /// - Returns: nil where the points of one are not sound.
    init?(_ first: FaceCut, _ second: FaceCut) throws(VisionError) {
        guard first.face.isSound, second.face.isSound else { return nil }
        isFirst = first.size > second.size
        let (bigger, smaller) = isFirst ? (first, second) : (second, first)
        let (width, height) = (bigger.image.width, bigger.image.height)
        pixels = OwnedImage(bigger.hasAlpha || smaller.hasAlpha ? .bgra : .bgrx, width: width, height: height)
        coverage = OwnedImage(.gray8, width: width, height: height)
        let image = pixels.image
        try check {
            sv_cv_align(
                smaller.image.openCV, smaller.face.numbers(), bigger.face.numbers(), Int32(sv_cv_border_zero),
                image.openCV, $0)
        }
        // The fourth byte tells what there is, until it becomes alpha.
        extractAlpha(from: image.viewed(as: .bgra), into: coverage.image)
        if !smaller.hasAlpha { image.viewed(as: .bgra).makeOpaque() }
        try check { sv_cv_multiply(image.openCV, bigger.image.openCV, $0) }
        var face = bigger.face
        face.species = FacePoints.species(first.face.species, second.face.species)
        self.face = face
        isGray = first.isGray && second.isGray
    }
}
