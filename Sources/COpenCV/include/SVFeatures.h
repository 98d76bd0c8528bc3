// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_FEATURES_H
#define SV_FEATURES_H

// Keypoints of grey images. Included by COpenCV.h, whose conventions apply.

typedef enum { sv_cv_features_none, sv_cv_features_orb, sv_cv_features_sift, sv_cv_features_akaze } SVCVFeatures;

/// A keypoint; the centre of the first pixel is at 0, 0.
typedef struct {
  float x, y;
  /// Diameter of its surroundings in pixels, and its direction in degrees.
  float size, angle;
} SVCVKeypoint;

/// Descriptors of keypoints, one after another.
typedef struct {
  /// Bits of ORB and AKAZE; else null.
  const uint8_t *bits;
  /// Numbers of SIFT; else null.
  const float *numbers;
  /// Number of bytes or numbers of each.
  int length;
} SVCVDescriptors;

/// Keypoints of an image and their descriptors.
typedef SVCVObject SVCVKeypoints;
/// Finds the keypoints of a grey image of at least 8x8 pixels.
/// - Parameters:
///   - siftCount: the maximum number of SIFT's keypoints.
///   - siftContrast: the contrast threshold of SIFT.
SVCVKeypoints *sv_cv_keypoints_create(SVCVMatrix gray, SVCVFeatures features, int siftCount, double siftContrast,
                                      char *error);
/// Lends the keypoints and their descriptors.
int sv_cv_keypoints_read(SVCVKeypoints *keypoints, SVCVDescriptors *descriptors, const SVCVKeypoint **points, int *count,
                         char *error);

/// Maximally stable extremal regions of an image (cv::MSER).
typedef SVCVObject SVCVRegions;
/// Finds the regions of a grey image of at least 3x3 pixels.
/// - Parameters:
///   - delta: the number of levels over which a region is compared with itself.
///   - leastArea, mostArea: limits of a region's area in pixels.
///   - maxVariation: the maximum change of its area between those levels.
SVCVRegions *sv_cv_regions_create(SVCVMatrix gray, int delta, int leastArea, int mostArea, double maxVariation,
                                  char *error);
/// Lends the pixels of all regions, one region after another, the number of pixels of each, and their boxes.
int sv_cv_regions_read(SVCVRegions *regions, const SVCVPixel **pixels, const int **counts, const SVCVBox **boxes,
                       int *count, char *error);

/// A rectangle in any direction.
typedef struct {
  /// Three of its corners, clockwise: each of the two sides between them is `height` and `width` long.
  SVCVPoint corners[3];
  double width, height;
} SVCVRotatedRectangle;

/// Finds the smallest rectangle around some points (cv::minAreaRect).
int sv_cv_smallest_rectangle(const SVCVPixel *points, int count, SVCVRotatedRectangle *rectangle, char *error);

#endif
