// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Filters
import Imaging

/// Estimates the white balance by learning (D. Cheng and others, Effective learning-based illuminant estimation using
/// simple features, CVPR 2015), with OpenCV's xphoto and the model that comes with it.
/// - Parameter image: RGB.
/// - Returns: the factors of red, green and blue, which leave the luma of white unchanged. Nil without pixels.
/// - Throws: `VisionError` if that module is absent or fails.
package func learnedBalance(of image: Image) throws(VisionError) -> ChannelGains? {
    guard image.format == .rgb, !image.isEmpty else { return nil }
    var gains = [1.0, 1.0, 1.0]
    try check { sv_cv_learned_balance(image.openCV, &gains, $0) }
    let luma = 0.299 * gains[0] + 0.587 * gains[1] + 0.114 * gains[2]
    return ChannelGains(red: gains[0] / luma, green: gains[1] / luma, blue: gains[2] / luma)
}
