#ifndef SV_KEYPOINTS_HPP
#define SV_KEYPOINTS_HPP

#include <opencv2/features2d.hpp>

/// Keypoints of a picture that was scaled so that its longer side has `look` pixels.
struct Keypoints {
  static constexpr double look = 200;

  std::vector<cv::KeyPoint> points;
  cv::Mat descriptors;
  /// Scale from the picture's pixels to those of the keypoints.
  double scale = 1;
  /// `sv_cv_features_…`
  int features;

  Keypoints(const cv::Mat &picture, int features);
};

/// Finds the keypoints of a grey picture; none for `sv_cv_features_none`, or if it is too small for OpenCV's pyramids.
void findKeypoints(const cv::Mat &gray, int features, std::vector<cv::KeyPoint> &points, cv::Mat &descriptors);

/// Finds the similarity that maps most of the keypoints `from` to their matches in `to`, and returns their number:
/// those whose best match is clearly better than the second (Lowe's ratio test), and that agree on the picture's
/// position.
int findSimilarity(const Keypoints &from, const Keypoints &to, cv::Matx33d &map);

#endif
