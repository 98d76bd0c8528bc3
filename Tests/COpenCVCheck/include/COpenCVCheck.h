// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_COPENCV_CHECK_H
#define SV_COPENCV_CHECK_H

// Direct calls of OpenCV. Tests compare the results of this project with the results of these functions.

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
/// with the cascade at `path`. If `part.width` is 0, searches the whole result. The smallest size is `minSize` pixels.
/// If `minFraction` is not 0, the smallest size is this fraction of the shorter side, rounded down.
/// - Returns: the number of detected rectangles; -1 if OpenCV failed. `found` contains the first `capacity` rectangles.
int sv_check_detect(const uint8_t *gray, int width, int height, size_t stride, double scale, const char *path,
                    SVCheckRectangle part, double scaleFactor, int minNeighbors, int minSize, double minFraction,
                    SVCheckRectangle *found, int capacity);

/// A face. The image has 1 (grey), 3 (BGR) or 4 (BGRA) channels and no padding. The positions of left eye, right eye
/// and nose are x, y pairs in pixels. The centre of the first pixel is 0.
typedef struct {
  const uint8_t *pixels;
  int width;
  int height;
  int channels;
  float points[6];
} SVCheckFace;

/// Merges two faces with the algorithm of ManyMasks. Warps the smaller image onto the larger image with the affine
/// transform of the points. If both images have the same size, warps the first image. Converts the image with fewer
/// channels, and multiplies the images with the scale 1/255.
/// - Returns: the number of channels of `output`, which has the size of the larger image; -1 if OpenCV failed or the
///   result has more than `capacity` bytes.
int sv_check_merge(SVCheckFace first, SVCheckFace second, uint8_t *output, size_t capacity);

/// Converts red, green and blue (0…255) to CIE L* (0…100), a* and b* (about -127…127). Returns 0, or -1 if OpenCV
/// failed.
int sv_check_lab(double red, double green, double blue, double *lab);

/// Detects the edges of a grey image with cv::Canny. If `sigma` is greater than 0, applies cv::GaussianBlur first.
/// - Parameter output: `width` × `height` bytes; 255 for an edge, else 0.
/// - Returns: 0, or -1 if OpenCV failed.
int sv_check_canny(const uint8_t *gray, int width, int height, size_t stride, double sigma, double low, double high,
                   int aperture, int euclidean, uint8_t *output);

/// Returns the number of threads that OpenCV uses.
int sv_check_threads(void);

#include "SVCheckBlobs.h"

/// Changes the brightness of a grey image, and adds Gaussian blur and normally distributed noise. Returns 0, or -1 if
/// OpenCV failed.
int sv_check_weather(uint8_t *pixels, int width, int height, size_t stride, double light, double blur, double noise,
                     uint64_t seed);

/// For each query, finds the nearest descriptor with cv::BFMatcher. The distance is the number of different bits. `all`
/// contains at least two descriptors of `bytes` bytes. Returns 0, or -1 if OpenCV failed.
/// - indices, distances: for each query, the index of the nearest descriptor and its distance.
/// - next: for each query, the distance of the second nearest descriptor.
int sv_check_nearest(const uint8_t *queries, int queryCount, const uint8_t *all, int count, int bytes, int *indices,
                     float *distances, float *next);

/// The result of aligning an image with a template.
typedef struct {
  int converges;
  /// Enhanced correlation coefficient, −1…1. If the algorithm does not converge, −1.
  double coefficient;
  /// Affine transform from pixels of the template to pixels of the image.
  double map[6];
} SVCheckAlignment;

/// Aligns two grey images of `side` × `side` pixels with cv::findTransformECC. A 3×3 Gaussian filter is applied first.
/// `start` is the initial transform. Returns 0, or -1 if OpenCV failed.
int sv_check_alignment(const uint8_t *target, const uint8_t *image, int side, const double *start, int steps,
                       double precision, SVCheckAlignment *alignment);

#ifdef __cplusplus
}
#endif

#endif
