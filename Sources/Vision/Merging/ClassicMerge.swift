// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// The original merge (ManyMasks): the face with fewer pixels, or the first of equals, is mapped onto the other one, at
/// its size, by the affine transform of the three points, and multiplied with it: b · f / 255, alpha likewise. Where
/// the smaller picture does not reach, the product is 0 (OpenCV's default border). If one has colour or alpha and the
/// other does not, the hybrid has it. It has the bigger one's points.
struct ClassicMerge {
    /// Pixels of the hybrid: BGRA if one of the faces has alpha, else BGRx.
    let pixels: OwnedImage
    let face: FacePoints
    let isGray: Bool
    /// Coverage of the smaller picture, 0…255.
    let coverage: OwnedImage
    /// True if the first face was the bigger.
    let isFirst: Bool

    /// - Returns: nil if the points of one are not sound.
    init?(_ first: FacePicture, _ second: FacePicture) throws(VisionError) {
        guard first.face.isSound, second.face.isSound else { return nil }
        isFirst = first.size > second.size
        let (bigger, smaller) = isFirst ? (first, second) : (second, first)
        let (width, height) = (bigger.image.width, bigger.image.height)
        pixels = OwnedImage(bigger.hasAlpha || smaller.hasAlpha ? .bgra : .bgrx, width: width, height: height)
        coverage = OwnedImage(.gray8, width: width, height: height)
        let image = pixels.image
        try align(smaller.image, smaller.face.points, to: bigger.face.points, into: image)
        // The fourth byte stores the coverage until it becomes alpha.
        extractAlpha(from: image.viewed(as: .bgra), into: coverage.image)
        if !smaller.hasAlpha { image.viewed(as: .bgra).makeOpaque() }
        try check { sv_cv_multiply(image.openCV, bigger.image.openCV, $0) }
        var face = bigger.face
        face.species = FacePoints.species(first.face.species, second.face.species)
        self.face = face
        isGray = first.isGray && second.isGray
    }
}
