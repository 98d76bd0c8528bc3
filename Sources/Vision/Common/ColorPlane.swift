// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Drawing
import Imaging

/// A picture in BGR, or grey from grey frames, that owns its memory. The memory is reused unless the size grows.
final class ColorPlane {
    private let memory = OwnedImage(.bgr)
    private let patch = FramePatch()
    /// The picture; valid until the next change of size, while the plane lives.
    var image: Image { memory.image }

    /// Fills the plane with the frame reduced by OpenCV's area interpolation with the factor `scale` in both
    /// directions; empty if less than half a pixel remains.
    /// - Parameter scale: at most 1.
    func fill(_ frame: FrameImage, reducedBy scale: Double) throws(VisionError) {
        memory.resize(
            width: reducedLength(frame.width, scale), height: reducedLength(frame.height, scale),
            format: frame.format.isGray ? .gray8 : .bgr)
        guard !image.isEmpty else { return }
        if frame.packed == nil { patch.read(frame, frame.bounds) }
        let pixels = frame.packed ?? patch.image
        let format = pixels.format
        guard format.isGray else {
            return try check {
                sv_cv_colors(
                    pixels.openCV, Int32(format.red), Int32(format.green), Int32(format.blue), scale, image.openCV, $0)
            }
        }
        guard scale != 1 else { return frame.copyLuma(into: image) }
        try check { sv_cv_reduce(pixels.openCV, scale, image.openCV, $0) }
    }
}
