// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_KEYPOINTS_HPP
#define SV_KEYPOINTS_HPP

#include "COpenCV.h"

#include <opencv2/features2d.hpp>
#include <vector>

/// Keypoints of a picture that was scaled so that its longer side has `side` pixels.
struct Keypoints {
  static constexpr double side = 200;

  std::vector<cv::KeyPoint> points;
  cv::Mat descriptors;
  /// Scale from the picture's pixels to those of the keypoints.
  double scale = 1;
  SVCVFeatures features;

  Keypoints(const cv::Mat &picture, SVCVFeatures features);
};

/// Finds the keypoints of a grey picture; none for `sv_cv_features_none`, or if it is too small for OpenCV's pyramids.
void findKeypoints(const cv::Mat &gray, SVCVFeatures features, std::vector<cv::KeyPoint> &points, cv::Mat &descriptors);

/// Returns a picture's grey: the picture itself if it has one channel.
cv::Mat grayOf(const cv::Mat &picture);

/// Finds the similarity that maps most of the keypoints `from` to their matches in `to`, and returns their number:
/// those whose best match is clearly better than the second (Lowe's ratio test), and that agree on the picture's
/// position.
int findSimilarity(const Keypoints &from, const Keypoints &to, cv::Matx33d &map);

#endif
