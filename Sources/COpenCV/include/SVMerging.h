#ifndef SV_MERGING_H
#define SV_MERGING_H

// What merging faces needs of OpenCV. Included by COpenCV.h, whose conventions hold. Points are x0 y0 x1 y1 x2 y2 in
// coordinates where a pixel covers 0…1; OpenCV's own, in which its middle is at 0, are half a pixel less.

/// What there is where a picture has nothing.
enum { sv_cv_border_zero = 0, sv_cv_border_repeated = 1 };

/// Carries `input` onto `output` by the affine transform that takes the three points `from` to `to`:
/// cv::getAffineTransform, then cv::warpAffine, linear, in the calling thread; `border` is one of `sv_cv_border_…`, of
/// which zero is OpenCV's default. Both have the same channels and do not overlap.
int sv_cv_align(SVCVImage input, const double *from, const double *to, int border, SVCVImage output, char *error);

/// cv::multiply with the scale 1/255: every channel of `image` becomes its product with `other`'s, halves to even. Both
/// have the same size and channels.
int sv_cv_multiply(SVCVImage image, SVCVImage other, char *error);

/// CIE L*a*b* of sRGB as OpenCV has it in bytes (255 L* / 100, a* + 128, b* + 128). `input` has the channels B G R and
/// any fourth, `output` three and the same size.
int sv_cv_lab(SVCVImage input, SVCVImage output, char *error);

/// The reverse, where each byte of `input` (three channels) is first replaced by `table`: 256 triples, the first of
/// L*. `output` has four channels, the last of which stays, and the same size.
int sv_cv_bgr_of_lab(SVCVImage input, const uint8_t *table, SVCVImage output, char *error);

#endif
