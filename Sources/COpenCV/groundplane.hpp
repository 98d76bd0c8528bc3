// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_GROUNDPLANE_HPP
#define SV_GROUNDPLANE_HPP

#include <opencv2/core.hpp>

/// The ground about a thing in a picture: a plane for each channel, and the light in hard shadows on it.
class GroundPlane {
public:
  /// Fits planes to some pixels with Tukey's weights, as some may show other things, and looks among all of them for a
  /// shadow: a factor that many have in all channels.
  /// - Parameter ground: the mask of the pixels.
  GroundPlane(const cv::Mat &picture, const cv::Mat &ground);

  /// Factor of the light in shadows; 1 if there are none.
  float shadow = 1;

  /// Returns the difference of each pixel from the ground, CV_32F, in levels, where differences in colour count more than
  /// those in light.
  /// - Parameter darkest: a pixel that is as dark as the ground times a factor from this to 1 differs in colour alone.
  cv::Mat contrast(const cv::Mat &picture, float darkest) const;

private:
  struct Row {
    float start[3] = {}, slope[3] = {};
  };

  Row rowAt(int y, cv::Size size) const;
  void fit(const cv::Mat &picture, const cv::Mat &ground);
  void findShadow(const cv::Mat &picture, const cv::Mat &ground);

  int channels;
  /// Coefficients of the planes, a column for each channel.
  cv::Mat coefficients;
};

#endif
