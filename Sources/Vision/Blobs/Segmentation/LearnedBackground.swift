// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV

/// OpenCV's background models, which learn the usual values of each pixel from a sequence of images.
final class LearnedBackground {
    private let model: BlobSettings.Model
    private let subtractor: OpenCVObject
    private let (width, height, channels): (Int, Int, Int)
    private var seen = 0
    /// Mask of the shadows in the last image; empty if the settings keep shadows.
    private(set) var shadows = Matrix<UInt8>()

    init(_ model: BlobSettings.Model, for picture: Matrix<UInt8>) throws(VisionError) {
        self.model = model
        (width, height, channels) = (picture.width, picture.height, picture.channels)
        subtractor = try OpenCVObject { sv_cv_subtractor_create(model == .knn, $0) }
    }

    /// Returns true if this background model can continue with an image: the image has the size and the number of
    /// channels of the earlier images, and `model` is the type of this model.
    func suits(_ picture: Matrix<UInt8>, _ model: BlobSettings.Model) -> Bool {
        self.model == model && (width, height, channels) == (picture.width, picture.height, picture.channels)
    }

    /// Learns from an image, and returns the mask of its foreground. As long as the model has learned too few images,
    /// the mask is empty.
    func foreground(_ picture: Matrix<UInt8>, _ search: BlobSearch) throws(VisionError) -> Matrix<UInt8> {
        // OpenCV expects the square of the threshold.
        let mask = try Matrix<UInt8>(width: picture.width, height: picture.height) {
            sv_cv_subtract(
                subtractor.handle, picture.openCV, Int32(clamping: search.history), search.threshold * search.threshold,
                $0, $1)
        }
        seen = min(seen + 1, 1000)
        guard seen > (model == .mog2 ? SegmentationTuning.mog2Start : SegmentationTuning.knnStart) else {
            shadows = Matrix()
            return Matrix(sizeOf: mask)
        }
        let all = mask > SegmentationTuning.withShadows
        guard search.removesShadows else {
            shadows = Matrix()
            return all
        }
        let foreground = mask > SegmentationTuning.withoutShadows
        shadows = all.subtracting(foreground)
        return foreground
    }

    /// The learned background. Nil before the first image, and for grey images with `knn`, which OpenCV does not
    /// support.
    var image: Matrix<UInt8>? {
        get throws(VisionError) {
            guard seen > 0, model == .mog2 || channels == 3 else { return nil }
            return try Matrix(width: width, height: height, channels: channels) {
                sv_cv_background(subtractor.handle, $0, $1)
            }
        }
    }
}
