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

#endif
