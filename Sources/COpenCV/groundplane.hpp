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

  /// Returns the factor of the light in a shadow that hardly reaches beyond its thing; 1 if there is none.
  /// - Parameters:
  ///   - edge: the mask of the pixels along the thing's outline and beyond it.
  ///   - inside: the mask of pixels farther inside. What most of these have is the thing's own light.
  float narrowShadow(const cv::Mat &picture, const cv::Mat &edge, const cv::Mat &inside) const;

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

  /// Numbers of pixels whose light is a factor of the ground's, in all channels alike, with one more at either end, and
  /// the number of all pixels.
  struct Factors {
    static constexpr int count = 42;
    static constexpr float width = 0.02f;
    /// The first one that may be a shadow's.
    static constexpr int darkest = 11;
    int bins[count + 2] = {};
    int seen = 0;

    int near(int i) const { return bins[i - 1] + bins[i] + bins[i + 1]; }
    static float factor(int i) { return width * (static_cast<float>(i) - 0.5f); }
  };

  Factors factors(const cv::Mat &picture, const cv::Mat &mask) const;

  /// Returns the bin of a pixel in column `x`; 0 if its channels differ, or there is no bin.
  int bin(const uint8_t *pixel, const Row &row, int x) const;
  /// Returns whether at least a quarter of the pixels near a bin are side by side in both directions: those of a thing's edge
  /// are not.
  bool isWide(const cv::Mat &picture, const cv::Mat &mask, int bin) const;

  int channels;
  /// Coefficients of the planes, a column for each channel.
  cv::Mat coefficients;
};

#endif
