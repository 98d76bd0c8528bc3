// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_FEATURES_H
#define SV_FEATURES_H

// Keypoints and regions of grey images. COpenCV.h includes this file, and its conventions apply.

typedef enum { sv_cv_features_none, sv_cv_features_orb, sv_cv_features_sift, sv_cv_features_akaze } SVCVFeatures;

/// A keypoint. The centre of the first pixel is at (0, 0).
typedef struct {
  float x, y;
  /// `size`: diameter of the neighbourhood, in pixels. `angle`: orientation, in degrees.
  float size, angle;
} SVCVKeypoint;

/// Descriptors of keypoints, stored one after another.
typedef struct {
  /// Bits of ORB and AKAZE descriptors; null for SIFT.
  const uint8_t *bits;
  /// Values of SIFT descriptors; null for ORB and AKAZE.
  const float *numbers;
  /// Length of each descriptor, in bytes or values.
  int length;
} SVCVDescriptors;

/// The keypoints of an image, with their descriptors.
typedef SVCVObject SVCVKeypoints;
/// Detects the keypoints of a grey image with at least 8 × 8 pixels.
/// - Parameters:
///   - siftCount: the maximum number of SIFT keypoints.
///   - siftContrast: the contrast threshold of SIFT.
SVCVKeypoints *sv_cv_keypoints_create(SVCVMatrix gray, SVCVFeatures features, int siftCount, double siftContrast,
                                      char *error);
/// Returns the keypoints and their descriptors. Both arrays belong to `keypoints`.
int sv_cv_keypoints_read(SVCVKeypoints *keypoints, SVCVDescriptors *descriptors, const SVCVKeypoint **points, int *count,
                         char *error);

/// The maximally stable extremal regions of an image (cv::MSER).
typedef SVCVObject SVCVRegions;
/// Finds the regions of a grey image with at least 3 × 3 pixels.
/// - Parameters:
///   - delta: the number of levels between the two thresholds at which the areas of a region are compared.
///   - leastArea, mostArea: the limits of a region's area, in pixels.
///   - maxVariation: the maximum relative change of the area between these thresholds.
SVCVRegions *sv_cv_regions_create(SVCVMatrix gray, int delta, int leastArea, int mostArea, double maxVariation,
                                  char *error);
/// Returns the pixels of all regions, one region after another, and the number of pixels and the bounding box of each
/// region. The arrays belong to `regions`.
int sv_cv_regions_read(SVCVRegions *regions, const SVCVPixel **pixels, const int **counts, const SVCVBox **boxes,
                       int *count, char *error);

/// A rectangle at any angle.
typedef struct {
  /// Three corners, in clockwise order. The side from the first to the second corner has the length `height`; the side
  /// from the second to the third corner has the length `width`.
  SVCVPoint corners[3];
  double width, height;
} SVCVRotatedRectangle;

/// Finds the smallest rectangle at any angle that contains some points (cv::minAreaRect).
int sv_cv_smallest_rectangle(const SVCVPixel *points, int count, SVCVRotatedRectangle *rectangle, char *error);

#endif
