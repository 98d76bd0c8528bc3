import Imaging
import Vision

/// Draws the layer that mode hud screens over the stream: the edges of `image` (`Vision.stencil`) in the HUD colour;
/// grey streams are not tinted.
/// - Parameter color: ARGB; its alpha is not used.
func coloredStencil(of image: Image, into output: Image, color: UInt32) throws(VisionError) {
    try laplacianEdges(of: image, into: output)
    tint(stencil: output, color: color)
}
