// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Vision

/// Provides the grey plane that detectors search. For YUV and grey frames, the plane is the stored luma, without a copy
/// if the format stores luma separately. For RGB frames, OpenCV converts the pixels to grey.
final class LumaPlane {
    private let copy = OwnedImage(.gray8)

    /// Returns the plane. The plane is valid until the next call, and only as long as the memory of the frame is valid.
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
