// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Draws the edges of an image as bright lines on black (the HUD mode of the app LightWork). Each channel is filtered
/// by a 5x5 Gaussian blur, and then by a Laplacian with OpenCV's ksize 3. Negative values become 0.
/// - Parameters:
///   - image: an image in any packed format. Alpha and padding bytes are filtered like colours, so their values in the
///     result have no meaning.
///   - output: an image that has the size of `image`, and as many bytes per pixel.
/// - Throws: `VisionError` if the sizes or formats of the images do not match, or if OpenCV reports an error.
package func laplacianEdges(of image: Image, into output: Image) throws(VisionError) {
    guard !image.isEmpty else { return }
    // Check the sizes here, because OpenCV would detect a mismatch only after it has filtered the whole image.
    guard image.width == output.width, image.height == output.height,
        image.format.bytesPerPixel == output.format.bytesPerPixel, max(image.width, image.height) <= Int(Int32.max)
    else {
        throw VisionError(
            description: "cannot write the edges of a \(image.width)x\(image.height) image in \(image.format.name) "
                + "to a \(output.width)x\(output.height) image in \(output.format.name)")
    }
    try check { sv_cv_laplacian_edges(image.openCV, output.openCV, $0) }
}
