import COpenCV
import Pixels

/// A grey picture that owns its memory. The memory is reused unless the size grows.
package final class GrayPlane {
    private let memory = OwnedImage(.gray8)
    /// The picture; valid until the next change of size, while the plane lives.
    package var image: Image { memory.image }

    package init() {}

    /// Changes the size; the content is lost. An impossible size makes it empty.
    package func resize(width: Int, height: Int) {
        memory.resize(width: width, height: height)
    }

    // MARK: - Filling

    /// Fills the plane with the grey of a packed picture by OpenCV's weights (0.299 R + 0.587 G + 0.114 B); grey is
    /// copied.
    package func fill(grayOf image: Image) throws(VisionError) {
        resize(width: image.width, height: image.height)
        guard !image.isEmpty else { return }
        guard !image.format.isGray else { return copy(image) }
        try check {
            sv_cv_gray(image.openCV, Int32(image.format.red), Int32(image.format.blue), self.image.openCV, $0)
        }
    }

    /// Copies `plane`, which is grey, row by row.
    package func copy(_ plane: Image) {
        resize(width: plane.width, height: plane.height)
        for y in 0..<image.height {
            image.row(y).update(from: plane.row(y), count: image.width)
        }
    }

    /// Fills the plane with `plane` reduced by OpenCV's area interpolation with the factor `scale` in both directions;
    /// empty if less than half a pixel remains.
    package func reduce(_ plane: Image, by scale: Double) throws(VisionError) {
        resize(width: reducedLength(plane.width, scale), height: reducedLength(plane.height, scale))
        guard !image.isEmpty else { return }
        try check { sv_cv_reduce(plane.openCV, scale, image.openCV, $0) }
    }

    /// Fills the plane with `plane` blurred by a Gaussian.
    /// - Parameter sigma: the standard deviation in pixels, above 0.
    package func blur(_ plane: Image, sigma: Double) throws(VisionError) {
        resize(width: plane.width, height: plane.height)
        guard !image.isEmpty else { return }
        try check { sv_cv_blur(plane.openCV, sigma, image.openCV, $0) }
    }

    /// Fills the plane with `plane` with its histogram equalised.
    package func equalize(_ plane: Image) throws(VisionError) {
        resize(width: plane.width, height: plane.height)
        guard !image.isEmpty else { return }
        try check { sv_cv_equalize(plane.openCV, image.openCV, $0) }
    }

    /// Fills the plane with `plane` after equalising its contrast by tiles (CLAHE with OpenCV's defaults: limit 40, 8x8
    /// tiles).
    package func equalizeTiles(_ plane: Image) throws(VisionError) {
        resize(width: plane.width, height: plane.height)
        guard !image.isEmpty else { return }
        try check { sv_cv_clahe(plane.openCV, image.openCV, $0) }
    }

    /// Fills the plane with the square of `size` pixels around `center` in `plane`, rotated by `degrees` (clockwise on
    /// the screen) and scaled to `side` pixels.
    package func cut(
        from plane: Image, center: Point, size: Double, degrees: Double = 0, side: Int
    ) throws(VisionError) {
        resize(width: side, height: side)
        guard !image.isEmpty, !plane.isEmpty else { return }
        try check { sv_cv_patch(plane.openCV, center.x, center.y, size, degrees, image.openCV, $0) }
    }
}

/// Returns a length times `scale`, rounded as OpenCV does: halves to the even number.
func reducedLength(_ length: Int, _ scale: Double) -> Int {
    let reduced = (Double(length) * scale).rounded(.toNearestOrEven)
    return reduced >= 1 && reduced <= Double(Int32.max) ? Int(reduced) : 0
}

/// Finds the best match of `pattern` in `plane`: the top left corner and the correlation −1…1; nil if it is larger than
/// `plane`.
func match(_ pattern: Image, in plane: Image) throws(VisionError) -> (corner: Point, score: Double)? {
    guard !pattern.isEmpty, pattern.width <= plane.width, pattern.height <= plane.height else { return nil }
    var corner = Point(0, 0)
    var score = 0.0
    try check { sv_cv_match(plane.openCV, pattern.openCV, &corner.x, &corner.y, &score, $0) }
    return (corner, score.isFinite ? score : 0)
}
