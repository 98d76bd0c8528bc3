// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_FEATURES_H
#define SV_FEATURES_H

// Keypoints and regions of grey images. COpenCV.h includes this file. The conventions of COpenCV.h apply.

typedef enum { sv_cv_features_none, sv_cv_features_orb, sv_cv_features_sift, sv_cv_features_akaze } SVCVFeatures;

/// A keypoint. The centre of the top left pixel is at (0, 0).
typedef struct {
  float x, y;
  /// Neighbourhood of the keypoint. `size`: diameter in pixels. `angle`: orientation in degrees.
  float size, angle;
} SVCVKeypoint;

/// The descriptors of all keypoints, one after another.
typedef struct {
  /// Bits of ORB or AKAZE descriptors. Null for SIFT.
  const uint8_t *bits;
  /// Float values of SIFT descriptors. Null for ORB and AKAZE.
  const float *numbers;
  /// Length of each descriptor: a number of bytes for ORB and AKAZE, a number of values for SIFT.
  int length;
} SVCVDescriptors;

/// The keypoints of an image and their descriptors.
typedef SVCVObject SVCVKeypoints;
/// Detects the keypoints of a grey image with at least 8 × 8 pixels.
/// - Parameters:
///   - count: the maximum number of ORB or SIFT keypoints.
///   - contrast: the contrast threshold of SIFT, or the minimum contrast of ORB's corners in levels.
///   - border: the width of the border without ORB keypoints, in pixels.
SVCVKeypoints *sv_cv_keypoints_create(SVCVMatrix gray, SVCVFeatures features, int count, double contrast, int border,
                                      char *error);
/// Returns the keypoints and their descriptors. Both arrays belong to `keypoints`.
int sv_cv_keypoints_read(SVCVKeypoints *keypoints, SVCVDescriptors *descriptors, const SVCVKeypoint **points, int *count,
                         char *error);

/// The maximally stable extremal regions of an image (cv::MSER).
typedef SVCVObject SVCVRegions;
/// Finds the regions of a grey image with at least 3 × 3 pixels.
/// - Parameters:
///   - delta: the area of a region is measured at two thresholds, which differ by this number of levels.
///   - leastArea, mostArea: the minimum and maximum area of a region, in pixels.
///   - maxVariation: the maximum relative difference between the areas at these two thresholds.
SVCVRegions *sv_cv_regions_create(SVCVMatrix gray, int delta, int leastArea, int mostArea, double maxVariation,
                                  char *error);
/// Returns the pixels of all regions, one region after another. Also returns the number of pixels and the bounding box
/// of each region. The arrays belong to `regions`.
int sv_cv_regions_read(SVCVRegions *regions, const SVCVPixel **pixels, const int **counts, const SVCVBox **boxes,
                       int *count, char *error);

/// A rotated rectangle.
typedef struct {
  /// Three corners of the rectangle, in clockwise order. The side from the first to the second corner has the length
  /// `height`. The side from the second to the third corner has the length `width`.
  SVCVPoint corners[3];
  double width, height;
} SVCVRotatedRectangle;

/// Finds the smallest rotated rectangle that contains `points` (cv::minAreaRect).
int sv_cv_smallest_rectangle(const SVCVPixel *points, int count, SVCVRotatedRectangle *rectangle, char *error);

#endif
