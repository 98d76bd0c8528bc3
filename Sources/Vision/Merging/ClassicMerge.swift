// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// The merge of the app ManyMasks. The smaller of two faces, or the first if their sizes are equal, is mapped onto the
/// larger face by the affine transformation of three landmarks. The hybrid is the product of both images, b · f / 255,
/// including alpha. The product is 0 outside the smaller image (OpenCV's default border). The hybrid has the size and
/// landmarks of the larger face. It has colour if at least one image has colour, and alpha if at least one image has
/// alpha.
struct ClassicMerge {
    /// The hybrid: BGRA if one of the faces has alpha, else BGRx.
    let pixels: OwnedImage
    let face: FacePoints
    let isGray: Bool
    /// For each pixel of the hybrid, the fraction that the smaller image covers, 0…255.
    let coverage: OwnedImage
    /// True if the first face is the larger face.
    let isFirst: Bool

    /// Creates the hybrid of two faces; nil if the landmarks of at least one face are not usable (`FacePoints.isSound`
    /// is false).
    init?(_ first: FacePicture, _ second: FacePicture) throws(VisionError) {
        guard first.face.isSound, second.face.isSound else { return nil }
        isFirst = first.size > second.size
        let (bigger, smaller) = isFirst ? (first, second) : (second, first)
        let (width, height) = (bigger.image.width, bigger.image.height)
        pixels = OwnedImage(bigger.hasAlpha || smaller.hasAlpha ? .bgra : .bgrx, width: width, height: height)
        coverage = OwnedImage(.gray8, width: width, height: height)
        let image = pixels.image
        try align(smaller.image, smaller.face.points, to: bigger.face.points, into: image)
        // The fourth byte of the mapped image is the coverage. If the smaller image has no alpha, the byte is set to
        // 255 afterwards.
        extractAlpha(from: image.viewed(as: .bgra), into: coverage.image)
        if !smaller.hasAlpha { image.viewed(as: .bgra).makeOpaque() }
        try check { sv_cv_multiply(image.openCV, bigger.image.openCV, $0) }
        var face = bigger.face
        face.species = FacePoints.species(first.face.species, second.face.species)
        self.face = face
        isGray = first.isGray && second.isGray
    }
}
