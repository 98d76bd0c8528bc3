import COpenCV
import Pixels

/// The edges of a picture as bright lines on black, per channel (the "stencil" of LightWork's HUD mode): GaussianBlur
/// 5x5, then Laplacian with OpenCV's ksize 3, negative values to 0.
/// - Parameters:
///   - image: any packed format; alpha and padding bytes are treated as a channel and mean nothing in the result.
///   - output: the same size and bytes per pixel.
/// - Throws: `VisionError` with OpenCV's text.
package func stencil(of image: Image, into output: Image) throws(VisionError) {
    guard !image.isEmpty else { return }
    try check { sv_cv_stencil(image.openCV, output.openCV, $0) }
}
