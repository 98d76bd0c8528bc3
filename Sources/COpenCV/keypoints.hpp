#ifndef SV_KEYPOINTS_HPP
#define SV_KEYPOINTS_HPP

#include <opencv2/features2d.hpp>

/// Keypoints of a picture that was scaled so that its longer side has `look` pixels.
struct Keypoints {
  static constexpr double look = 200;

  std::vector<cv::KeyPoint> points;
  cv::Mat descriptors;
  /// From the picture's pixels to those where the keypoints are.
  double scale = 1;
  /// `sv_cv_features_…`
  int features;

  Keypoints(const cv::Mat &picture, int features);
};

/// The keypoints of a grey picture; none for `sv_cv_features_none`, and in pictures too small to be reduced again and again.
void findKeypoints(const cv::Mat &gray, int features, std::vector<cv::KeyPoint> &points, cv::Mat &descriptors);

/// The similarity that takes most of the keypoints `from` to those of `to` that they match, and how many: those whose best
/// match is clearly better than the second (Lowe's ratio test), and that agree on where the picture lies.
int findSimilarity(const Keypoints &from, const Keypoints &to, cv::Matx33d &map);

#endif
