// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_COPENCV_CHECK_H
#define SV_COPENCV_CHECK_H

// OpenCV called directly, as a program without this project would, for tests to compare with.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int x;
  int y;
  int width;
  int height;
} SVCheckRectangle;

/// Reduces a grey picture by INTER_AREA and equalises its histogram, then searches the part `x y width height` of the
/// result (all of it if `width` is 0) with the cascade at `path`, smallest size `minSize` pixels, or `minFraction` of the
/// shorter side, rounded down, if that is not 0.
/// - Returns: the number of rectangles, at most `capacity` of which were written; -1 if OpenCV failed.
int sv_check_detect(const uint8_t *gray, int width, int height, size_t stride, double scale, const char *path,
                    SVCheckRectangle part, double scaleFactor, int minNeighbors, int minSize, double minFraction,
                    SVCheckRectangle *found, int capacity);

/// A face: a picture of 1 (grey), 3 (B G R) or 4 (B G R A) channels without padding, and three points of it (left eye,
/// right eye, nose) as x and y in coordinates where the first pixel's centre is at 0.
typedef struct {
  const uint8_t *pixels;
  int width;
  int height;
  int channels;
  float points[6];
} SVCheckFace;

/// Merges as ManyMasks does: the smaller picture (the first of equals) is warped onto the bigger one by the affine
/// transform of the points; the one with fewer channels is converted; both are multiplied with the scale 1/255.
/// - Returns: the number of channels of the result in `output`, which has the bigger one's size; -1 if OpenCV failed or
///   the result has more bytes than `capacity`.
int sv_check_merge(SVCheckFace first, SVCheckFace second, uint8_t *output, size_t capacity);

/// Converts a colour, each 0…255, to CIE L*a*b*: 0…100 and about -127…127 each. Returns 0, or -1 if OpenCV failed.
int sv_check_lab(double red, double green, double blue, double *lab);

/// Finds the edges of a grey picture by cv::Canny, after cv::GaussianBlur by `sigma` if that is above 0: 255 on an
/// edge, else 0.
/// - Parameter output: `width` × `height` bytes.
/// - Returns: 0, or -1 if OpenCV failed.
int sv_check_canny(const uint8_t *gray, int width, int height, size_t stride, double sigma, double low, double high,
                   int aperture, int euclidean, uint8_t *output);

/// Returns OpenCV's thread count.
int sv_check_threads(void);

#include "SVCheckBlobs.h"

/// Makes a grey picture lighter or darker, blurred (Gaussian) and noisy (normal distribution). Returns 0, or -1 if OpenCV
/// failed.
int sv_check_weather(uint8_t *pixels, int width, int height, size_t stride, double light, double blur, double noise,
                     uint64_t seed);

/// Finds the nearest of all descriptors for each query by cv::BFMatcher: by the number of bits that differ. There are at least two
/// descriptors, of `bytes` bytes each. Returns 0, or -1 if OpenCV failed.
/// - Parameters:
///   - indices, distances: for each query the number of the nearest descriptor, and its distance.
///   - next: for each query the distance of the second one.
int sv_check_nearest(const uint8_t *queries, int queryCount, const uint8_t *all, int count, int bytes, int *indices,
                     float *distances, float *next);

/// Result of aligning an image with a template.
typedef struct {
  int converges;
  /// Enhanced correlation coefficient, −1…1; −1 if the algorithm does not converge.
  double coefficient;
  /// Affine transform of the template's pixels to the image's.
  double map[6];
} SVCheckAlignment;

/// Aligns two grey images of `side` × `side` pixels by cv::findTransformECC, smoothed by a Gaussian of 3x3 pixels. It begins with
/// the transform `start`. Returns 0, or -1 if OpenCV failed.
int sv_check_alignment(const uint8_t *target, const uint8_t *image, int side, const double *start, int steps,
                       double precision, SVCheckAlignment *alignment);

#ifdef __cplusplus
}
#endif

#endif
