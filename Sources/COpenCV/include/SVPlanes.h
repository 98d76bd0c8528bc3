// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_PLANES_H
#define SV_PLANES_H

// Functions of whole pictures, most of them to other pictures. Included by COpenCV.h, whose conventions apply. `output` is no part of `input`,
// and has its channels and size, unless stated otherwise.

/// Converts packed RGB to grey by OpenCV's weights (0.299 R + 0.587 G + 0.114 B, in 15 bits). The numbers are the
/// indices of red and blue in a pixel; green lies between them. `input` has 3 or 4 channels, `output` one.
int sv_cv_gray(SVCVImage input, int red, int blue, SVCVImage output, char *error);
/// Extracts blue, green and red of a packed picture of 3 or 4 channels, reduced by INTER_AREA with the factor `scale`
/// in both directions. The numbers are the indices of the colours in a pixel. `output` has 3 channels and the rounded
/// size (halves to even).
int sv_cv_colors(SVCVImage input, int red, int green, int blue, double scale, SVCVImage output, char *error);
/// Calls cv::resize by INTER_AREA with these factors in the calling thread, for up to 4 channels; `output` must have the
/// rounded size (halves to even).
int sv_cv_reduce(SVCVImage input, double across, double down, SVCVImage output, char *error);
/// Calls cv::resize by INTER_AREA to the size of `output`.
int sv_cv_resize(SVCVImage input, SVCVImage output, char *error);
/// Calls cv::GaussianBlur with a kernel as large as `sigma` (above 0) requires; borders are reflected.
int sv_cv_blur(SVCVImage input, double sigma, SVCVImage output, char *error);
/// Calls cv::equalizeHist on grey; `output` may be `input`.
int sv_cv_equalize(SVCVImage input, SVCVImage output, char *error);
/// Equalises grey adaptively with limited contrast, with OpenCV's defaults (limit 40, 8x8 tiles); `output` may be
/// `input`.
int sv_cv_clahe(SVCVImage input, SVCVImage output, char *error);
/// Computes the edges of `input` as bright lines, per channel: GaussianBlur 5x5 (sigma 0: rows 1 4 6 4 1 over 16), then
/// Laplacian with ksize 3 (2 0 2, 0 -8 0, 2 0 2), negative values to 0; borders are reflected (OpenCV's default).
int sv_cv_laplacian_edges(SVCVImage input, SVCVImage output, char *error);

/// Estimates the standard deviation of the noise in a picture's second channel, or only one, in levels; detail adds to
/// it (Immerkær, "Fast noise variance estimation", 1996). 0 for less than 3x3 pixels.
int sv_cv_noise(SVCVImage input, double *deviation, char *error);

/// Computes the gains of red, green and blue by which cv::xphoto::LearningBasedWB with its own model and default
/// settings balances `input` (3 channels, red first; not empty); the largest is 1. A picture in which it finds no clue
/// has gains of 1. Fails if this machine has no module xphoto that matches OpenCV's core.
int sv_cv_learned_balance(SVCVImage input, double *gains, char *error);

/// Fills `output` with the square of `size` pixels around `center` of `input`, rotated by `degrees` (clockwise on the
/// screen) and scaled to fit, interpolated linearly; beyond the picture its border is repeated.
int sv_cv_patch(SVCVImage input, SVCVPoint center, double size, double degrees, SVCVImage output, char *error);
/// Finds the best match of `pattern` in `input`, both grey (TM_CCOEFF_NORMED, −1…1), with a parabola's sub-pixel
/// precision.
int sv_cv_match(SVCVImage input, SVCVImage pattern, SVCVPoint *corner, double *score, char *error);

/// Values outside a picture; zero is OpenCV's default.
typedef enum { sv_cv_border_zero, sv_cv_border_repeated } SVCVBorder;

/// Maps `input` onto `output`, of any size, by the affine transform that takes the three points `from` to `to`:
/// cv::getAffineTransform, then cv::warpAffine, linear, in the calling thread.
int sv_cv_align(SVCVImage input, const SVCVPoint *from, const SVCVPoint *to, SVCVBorder border, SVCVImage output,
                char *error);
/// Calls cv::multiply with the scale 1/255: every channel of `image` becomes its product with `other`'s, halves to
/// even.
int sv_cv_multiply(SVCVImage image, SVCVImage other, char *error);
/// Converts sRGB to CIE L*a*b* in OpenCV's bytes (255 L* / 100, a* + 128, b* + 128). `input` has the channels B G R and
/// any fourth, `output` three.
int sv_cv_lab(SVCVImage input, SVCVImage output, char *error);
/// Converts back, after each byte of `input` (three channels) is replaced by `table`: 256 triples, the first of L*.
/// `output` has four channels, the last of which is unchanged.
int sv_cv_bgr_of_lab(SVCVImage input, const uint8_t *table, SVCVImage output, char *error);

#endif
