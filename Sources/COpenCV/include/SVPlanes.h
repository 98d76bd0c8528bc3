// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_PLANES_H
#define SV_PLANES_H

// Operations on images. COpenCV.h includes this file. The conventions of COpenCV.h apply. Unless stated otherwise,
// `output` must have the size and the number of channels of `input`, and must not share memory with `input`.

/// Converts packed RGB to grey with OpenCV's weights (0.299 R + 0.587 G + 0.114 B, in 15-bit fixed point).
/// - Parameters:
///   - input: an image with 3 or 4 channels.
///   - red, blue: the indices of red and blue in a pixel. The index of green is between these two indices.
///   - output: an image with 1 channel.
int sv_cv_gray(SVCVImage input, int red, int blue, SVCVImage output, char *error);
/// Extracts blue, green and red from a packed image, and reduces the image with INTER_AREA.
/// - Parameters:
///   - input: an image with 3 or 4 channels.
///   - red, green, blue: the indices of the colours in a pixel.
///   - scale: the factor for width and height.
///   - output: an image with 3 channels and the scaled size, rounded (halves to even).
int sv_cv_colors(SVCVImage input, int red, int green, int blue, double scale, SVCVImage output, char *error);
/// Calls cv::resize with INTER_AREA and the factors `across` and `down` in the calling thread. The image has up to 4
/// channels. `output` has the scaled size, rounded (halves to even).
int sv_cv_reduce(SVCVImage input, double across, double down, SVCVImage output, char *error);
/// Calls cv::resize with INTER_AREA. `output` may have any size.
int sv_cv_resize(SVCVImage input, SVCVImage output, char *error);
/// Calls cv::GaussianBlur. OpenCV computes the size of the kernel from `sigma`, which must be greater than 0. Beyond
/// the borders, the image is mirrored.
int sv_cv_blur(SVCVImage input, double sigma, SVCVImage output, char *error);
/// Calls cv::equalizeHist for a grey image. `output` may be `input`.
int sv_cv_equalize(SVCVImage input, SVCVImage output, char *error);
/// Applies contrast limited adaptive histogram equalization (cv::CLAHE) to a grey image. Uses OpenCV's defaults (limit
/// 40, 8 × 8 tiles). `output` may be `input`.
int sv_cv_clahe(SVCVImage input, SVCVImage output, char *error);
/// Computes an image in which the edges of each channel are bright. Applies GaussianBlur 5x5 with sigma 0 (1 4 6 4 1,
/// divided by 16, in both directions), then Laplacian with ksize 3 (kernel 2 0 2, 0 -8 0, 2 0 2). Negative values
/// become 0. Beyond the borders, the image is mirrored, which is OpenCV's default.
int sv_cv_laplacian_edges(SVCVImage input, SVCVImage output, char *error);

/// Estimates the standard deviation of the noise in levels (Immerkær, "Fast noise variance estimation", 1996). Uses the
/// second channel of a colour image, or the only channel of a grey image. Fine detail increases the result. If a side
/// of the image is below 3 pixels, the result is 0.
int sv_cv_noise(SVCVImage input, double *deviation, char *error);

/// Computes the white balance gains of cv::xphoto::LearningBasedWB, with its default model and settings.
/// - Parameters:
///   - input: an image with the channels red, green and blue. The image must not be empty.
///   - gains: receives the gains of red, green and blue. The largest gain is 1. If the algorithm cannot estimate the
///     light, all gains are 1.
/// - Returns: 1 (an error) if the module xphoto is not installed. It must have the same version as OpenCV's core.
int sv_cv_learned_balance(SVCVImage input, double *gains, char *error);

/// Cuts a rotated square out of `input`, and scales it to `output` with linear interpolation. Outside of the image, the
/// pixels at the image's edge are repeated.
/// - Parameters:
///   - center: the centre of the square.
///   - size: the side of the square, in pixels of `input`.
///   - degrees: the rotation of the square, clockwise on the screen.
int sv_cv_patch(SVCVImage input, SVCVPoint center, double size, double degrees, SVCVImage output, char *error);
/// Finds the best match of `pattern` in `input` with TM_CCOEFF_NORMED (score −1…1). Both images are grey. A parabola
/// through the neighbouring scores gives the position with subpixel precision.
int sv_cv_match(SVCVImage input, SVCVImage pattern, SVCVPoint *corner, double *score, char *error);

/// Values of the pixels outside of an image: 0 (OpenCV's default), or the pixels at the image's edge are repeated.
typedef enum { sv_cv_border_zero, sv_cv_border_repeated } SVCVBorder;

/// Warps `input` to `output` by the affine transform that maps the three points `from` to the three points `to`.
/// `output` may have any size. Calls cv::getAffineTransform and cv::warpAffine, with linear interpolation, in the
/// calling thread.
int sv_cv_align(SVCVImage input, const SVCVPoint *from, const SVCVPoint *to, SVCVBorder border, SVCVImage output,
                char *error);
/// Multiplies each channel of `image` by the corresponding channel of `other`, and divides the product by 255
/// (cv::multiply). Halves are rounded to even.
int sv_cv_multiply(SVCVImage image, SVCVImage other, char *error);
/// Converts sRGB to CIE L*a*b* in OpenCV's 8-bit format (255 L* / 100, a* + 128, b* + 128). `input` has the channels
/// blue, green, red, and a fourth channel that is ignored. `output` has 3 channels.
int sv_cv_lab(SVCVImage input, SVCVImage output, char *error);
/// A change of L* that depends on the position: offset + across * x + down * y, limited to ±`limit`.
typedef struct {
  float offset, across, down, limit;
} SVCVLight;

/// Applies a lookup table to an L*a*b* image, and converts the result to sRGB.
/// - Parameters:
///   - input: an L*a*b* image with 3 channels in OpenCV's 8-bit format.
///   - table: 256 entries. Each entry has 3 bytes, for L*, a* and b*.
///   - shares: 256 entries. For each L* of the input, the fraction of the change of a* and b* that is applied, 0…1.
///   - light: added to L* after the table.
///   - output: an image with 4 channels: blue, green, red, and a fourth channel that does not change.
int sv_cv_bgr_of_lab(SVCVImage input, const uint8_t *table, const float *shares, SVCVLight light, SVCVImage output,
                     char *error);

#endif
