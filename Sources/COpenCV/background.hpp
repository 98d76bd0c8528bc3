#ifndef SV_BACKGROUND_HPP
#define SV_BACKGROUND_HPP

#include <opencv2/core.hpp>

/// How far each pixel is from a background that continues what is at the picture's edge.
struct BorderDistance {
  /// CV_32F: about the share by which light or colour differs.
  cv::Mat distance;
  /// 255 where it may be the background in shadow: darker, and of much the same colour.
  cv::Mat shade;
  /// The edge's own standard deviation about the background.
  double noise = 0;
};

/// The logarithm of each channel of the background is a polynomial of second degree in x and y, fitted to the edge with
/// Tukey's weights, so that light may fall off and things may touch the edge. Differences in colour count four times as
/// much as those in light, for shadows have the background's colour.
/// - Parameter picture: 8-bit, 1 or 3 channels.
BorderDistance borderDistance(const cv::Mat &picture);

#endif
