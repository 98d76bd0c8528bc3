// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_CORRELATION_HPP
#define SV_CORRELATION_HPP

#include <cmath>
#include <opencv2/core.hpp>
#include <optional>

/// The smallest and the largest factor by which a linear map changes lengths: its singular values.
struct Stretch {
  double least, most;

  explicit Stretch(const cv::Matx22d &map) {
    // Of the two circles that turn in opposite senses, of which the map is the sum.
    const double one = std::hypot(map(0, 0) + map(1, 1), map(1, 0) - map(0, 1)) / 2;
    const double other = std::hypot(map(0, 0) - map(1, 1), map(1, 0) + map(0, 1)) / 2;
    least = std::abs(one - other);
    most = one + other;
  }
};

/// Aligns an image with a template by an affine transform that maximises the enhanced correlation coefficient.
///
/// This is the forward additive algorithm of G. D. Evangelidis and E. Z. Psarakis, "Parametric Image Alignment Using
/// Enhanced Correlation Coefficient Maximization", 2008. cv::findTransformECC implements it, too, but throws an exception
/// if it does not converge. That is a usual result for images that have nothing in common, and an exception crashes
/// programs that have two unwinders loaded.
class CorrelationAlignment {
public:
  /// - Parameters:
  ///   - target, image: the template and the image, of one channel.
  ///   - smoothing: side of the Gaussian kernel that both are smoothed with, in pixels; odd; 1 for none.
  CorrelationAlignment(const cv::Mat &target, const cv::Mat &image, int smoothing);

  /// Improves a transform in at most `iterations` steps, until the coefficient changes by less than `precision`.
  /// - Parameter warp: maps pixels of the target to pixels of the image. It stays as it is if the algorithm does not
  ///   converge.
  /// - Returns: the coefficient before the last step, −1…1. Nothing if the algorithm does not converge: the images do not
  ///   overlap, one of them is plain where they do, or no step increases the correlation.
  std::optional<double> improve(cv::Matx23d &warp, int iterations, double precision) const;

private:
  struct Sums;

  /// The smoothed template, and the smoothed image with its gradient: value, x, y, 0. The mean of each image is 0.
  cv::Mat1f target;
  cv::Mat4f field;

  Sums sums(const cv::Matx23d &warp) const;
};

#endif
