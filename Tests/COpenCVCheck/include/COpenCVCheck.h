// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_COPENCV_CHECK_H
#define SV_COPENCV_CHECK_H

// Calls of OpenCV without this project's code. Tests compare the project's results with these functions.

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

/// Reduces a grey image with INTER_AREA and equalises its histogram. Then searches the rectangle `part` of the result
/// (the whole result if `part.width` is 0) with the cascade at `path`. The smallest size is `minSize` pixels or, if
/// `minFraction` is not 0, this fraction of the shorter side, rounded down.
/// - Returns: the number of rectangles, of which at most `capacity` are in `found`; -1 if OpenCV failed.
int sv_check_detect(const uint8_t *gray, int width, int height, size_t stride, double scale, const char *path,
                    SVCheckRectangle part, double scaleFactor, int minNeighbors, int minSize, double minFraction,
                    SVCheckRectangle *found, int capacity);

/// A face: an image of 1 (grey), 3 (B G R) or 4 (B G R A) channels without padding, and the positions of left eye,
/// right eye and nose as x and y, in pixels. The centre of the first pixel is at 0.
typedef struct {
  const uint8_t *pixels;
  int width;
  int height;
  int channels;
  float points[6];
} SVCheckFace;

/// Merges two faces as ManyMasks does. Warps the smaller image (the first image if both have the same size) onto the
/// larger image with the affine transform of the points, converts the image with fewer channels, and multiplies both
/// images with the scale 1/255.
/// - Returns: the number of channels of the result in `output`, which has the size of the larger image; -1 if OpenCV
///   failed or the result has more bytes than `capacity`.
int sv_check_merge(SVCheckFace first, SVCheckFace second, uint8_t *output, size_t capacity);

/// Converts red, green and blue (0…255) to CIE L* (0…100), a* and b* (about -127…127). Returns 0, or -1 if OpenCV
/// failed.
int sv_check_lab(double red, double green, double blue, double *lab);

/// Finds the edges of a grey image with cv::Canny, after cv::GaussianBlur with `sigma` if `sigma` is above 0.
/// - Parameter output: `width` × `height` bytes: 255 on an edge, 0 elsewhere.
/// - Returns: 0, or -1 if OpenCV failed.
int sv_check_canny(const uint8_t *gray, int width, int height, size_t stride, double sigma, double low, double high,
                   int aperture, int euclidean, uint8_t *output);

/// Returns the number of threads that OpenCV uses.
int sv_check_threads(void);

#include "SVCheckBlobs.h"

/// Makes a grey image lighter or darker, and adds Gaussian blur and normally distributed noise. Returns 0, or -1 if
/// OpenCV failed.
int sv_check_weather(uint8_t *pixels, int width, int height, size_t stride, double light, double blur, double noise,
                     uint64_t seed);

/// Finds the nearest descriptor for each query with cv::BFMatcher. The distance is the number of different bits. `all`
/// contains at least two descriptors of `bytes` bytes. Returns 0, or -1 if OpenCV failed.
/// - Parameters:
///   - indices, distances: for each query, the index of the nearest descriptor, and its distance.
///   - next: for each query, the distance of the second nearest descriptor.
int sv_check_nearest(const uint8_t *queries, int queryCount, const uint8_t *all, int count, int bytes, int *indices,
                     float *distances, float *next);

/// The result of aligning an image with a template.
typedef struct {
  int converges;
  /// Enhanced correlation coefficient, −1…1; −1 if the algorithm does not converge.
  double coefficient;
  /// Affine transform from the template's pixels to the image's pixels.
  double map[6];
} SVCheckAlignment;

/// Aligns two grey images of `side` × `side` pixels with cv::findTransformECC, after a Gaussian filter of 3x3 pixels.
/// `start` is the initial transform. Returns 0, or -1 if OpenCV failed.
int sv_check_alignment(const uint8_t *target, const uint8_t *image, int side, const double *start, int steps,
                       double precision, SVCheckAlignment *alignment);

#ifdef __cplusplus
}
#endif

#endif
