// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Draws the edges of a picture as bright lines on black, per channel (LightWork's HUD mode): GaussianBlur 5x5, then
/// Laplacian with OpenCV's ksize 3, negative values to 0.
/// - Parameters:
///   - image: any packed format; alpha and padding bytes are treated as a channel and mean nothing in the result.
///   - output: the same size and bytes per pixel.
/// - Throws: `VisionError` if the pictures do not fit each other, or with OpenCV's text.
package func laplacianEdges(of image: Image, into output: Image) throws(VisionError) {
    guard !image.isEmpty else { return }
    // OpenCV would notice a difference only after reading and blurring everything.
    guard image.width == output.width, image.height == output.height,
        image.format.bytesPerPixel == output.format.bytesPerPixel, max(image.width, image.height) <= Int(Int32.max)
    else {
        throw VisionError(
            description: "cannot write the edges of a \(image.width)x\(image.height) image in \(image.format.name) "
                + "to a \(output.width)x\(output.height) image in \(output.format.name)")
    }
    try check { sv_cv_laplacian_edges(image.openCV, output.openCV, $0) }
}
