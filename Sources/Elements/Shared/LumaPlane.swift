// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Vision

/// The grey plane in which detectors search: luma as it is stored, without a copy if no other bytes lie in between; for
/// RGB, OpenCV's conversion.
final class LumaPlane {
    private let copy = OwnedImage(.gray8)

    /// Returns the plane; valid as long as the frame's memory, and until the next call.
    func of(_ frame: FrameImage) throws -> Image {
        if let luma = frame.luma { return luma }
        if let packed = frame.packed {
            try copy.fill(grayOf: packed)
        } else {
            copy.resize(width: frame.width, height: frame.height)
            frame.copyLuma(into: copy.image)
        }
        return copy.image
    }
}
