// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_GROUND_HPP
#define SV_GROUND_HPP

#include <opencv2/core.hpp>
#include <vector>

/// Distance of each pixel from the ground.
struct GroundDistance {
  /// Distances, CV_32F: about the share by which light or colour differs.
  cv::Mat distance;
  /// Shade: 255 where the pixel may be the ground in shadow: darker, and of much the same colour.
  cv::Mat shade;
};

/// What a picture shows where no things are, as logarithms of levels, for any part of the picture in any size.
/// Differences in colour count four times as much as those in light, as shadows have the ground's colour.
class Ground {
public:
  /// Fits a ground to the picture's edge: the logarithm of each channel is a polynomial of second degree in x and y,
  /// fitted with Tukey's weights, so that light may fall off and things may touch the edge.
  static Ground continuingEdge(const cv::Mat &logarithm);

  /// Fits a ground that follows the light everywhere; see uneven.cpp.
  static Ground followingLight(const cv::Mat &logarithm);

  /// Returns the distances of a part of the picture.
  /// - Parameter place: the part, as a share of the picture.
  GroundDistance distance(const cv::Mat &logarithm, const cv::Rect2d &place = {0, 0, 1, 1}) const;

  /// Returns the differences of some pixels' logarithm from the ground, in each channel.
  /// - Parameters:
  ///   - place: what the picture of the pixels shows, as a share of the whole picture.
  ///   - step: the way from one pixel to the next that is taken.
  cv::Mat residual(const cv::Mat &logarithm, const cv::Rect &pixels, const cv::Rect2d &place, int step = 1) const;

  /// Returns the standard deviation of pixels that show the ground about it.
  double noise(const cv::Mat &distance) const;

  /// Returns about that of a part that has ground along its edge.
  static double noiseAlongEdge(const cv::Mat &distance);

private:
  /// Levels of one row of a part after another, and what all rows have of a polynomial in y.
  struct Row {
    std::vector<float> levels, constant, slope, curve;
  };

  /// Computes the ground's levels in a row of a part. All calls with the same `row` are for the same part.
  void find(int y, cv::Size size, const cv::Rect2d &place, Row &row) const;

  /// Coefficients of the polynomials, a column for each channel.
  cv::Mat coefficients;
  /// Levels in a reduced picture, instead of polynomials.
  cv::Mat surface;
  /// Pixels of the whole picture that show the ground, or most of them.
  std::vector<cv::Point> edge;
};

/// Returns the logarithm of each level of a picture of 8 bits, smoothed by a Gaussian of this many pixels.
cv::Mat logarithmOf(const cv::Mat &picture, int smoothing = 3);

#endif
