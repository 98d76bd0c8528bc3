// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Vision

/// Draws the layer that mode hud screens over the stream: the edges of `image` (`laplacianEdges`) in the HUD colour;
/// grey streams are not tinted.
/// - Parameter color: its opacity is not used.
func coloredStencil(of image: Image, into output: Image, color: Color) throws(VisionError) {
    try laplacianEdges(of: image, into: output)
    tint(stencil: output, color: color)
}
