#ifndef SV_MERGING_H
#define SV_MERGING_H

// The parts of OpenCV that merging faces needs. Included by COpenCV.h, whose conventions apply. Points are x0 y0 x1 y1
// x2 y2 in coordinates where a pixel covers 0…1; OpenCV's own, in which its centre is at 0, are half a pixel less.

/// Values outside a picture.
enum { sv_cv_border_zero = 0, sv_cv_border_repeated = 1 };

/// Maps `input` onto `output` by the affine transform that takes the three points `from` to `to`:
/// cv::getAffineTransform, then cv::warpAffine, linear, in the calling thread; `border` is one of `sv_cv_border_…`, of
/// which zero is OpenCV's default. Both have the same channels and do not overlap.
int sv_cv_align(SVCVImage input, const double *from, const double *to, int border, SVCVImage output, char *error);

/// Calls cv::multiply with the scale 1/255: every channel of `image` becomes its product with `other`'s, halves to
/// even. Both have the same size and channels.
int sv_cv_multiply(SVCVImage image, SVCVImage other, char *error);

/// Converts sRGB to CIE L*a*b* in OpenCV's bytes (255 L* / 100, a* + 128, b* + 128). `input` has the channels B G R and
/// any fourth, `output` three and the same size.
int sv_cv_lab(SVCVImage input, SVCVImage output, char *error);

/// Converts back, after each byte of `input` (three channels) is replaced by `table`: 256 triples, the first of L*.
/// `output` has four channels, the last of which is unchanged, and the same size.
int sv_cv_bgr_of_lab(SVCVImage input, const uint8_t *table, SVCVImage output, char *error);

#endif
