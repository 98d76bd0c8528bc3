// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_BACKGROUND_HPP
#define SV_BACKGROUND_HPP

#include <opencv2/core.hpp>

/// Distance of each pixel from a background that continues the picture's edge.
struct BorderDistance {
  /// Distances, CV_32F: about the share by which light or colour differs.
  cv::Mat distance;
  /// Shade: 255 where the pixel may be the background in shadow: darker, and of much the same colour.
  cv::Mat shade;
  /// Standard deviation of the edge itself about the background.
  double noise = 0;
};

/// Fits the background: the logarithm of each channel is a polynomial of second degree in x and y, fitted to the edge
/// with Tukey's weights, so that light may fall off and things may touch the edge. Differences in colour count four
/// times as much as those in light, as shadows have the background's colour.
/// - Parameter picture: 8-bit, 1 or 3 channels.
BorderDistance borderDistance(const cv::Mat &picture);

#endif
