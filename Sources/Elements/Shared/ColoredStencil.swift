// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Vision

/// Draws the layer that `mode=hud` blends over the stream: the edges of `image` (`laplacianEdges`) in the HUD colour.
/// In grey images, the edges are grey.
/// - Parameter color: the HUD colour. The alpha of this colour is ignored.
func coloredStencil(of image: Image, into output: Image, color: Color) throws(VisionError) {
    try laplacianEdges(of: image, into: output)
    tint(stencil: output, color: color)
}
