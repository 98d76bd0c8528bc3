// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_SHADOWS_HPP
#define SV_SHADOWS_HPP

#include <opencv2/core.hpp>

/// Returns what differs from the ground without the shadow that it casts on the ground; all of it if no part is
/// convincingly a shadow; see shadows.cpp.
/// - Parameters:
///   - own: the mask of what differs.
///   - residual: differences of the logarithms from the ground, of the mask's size.
///   - frame: the frame in the mask's coordinates.
///   - noise: the standard deviation of the ground.
///   - leastFit: the share of the shadow, at most 1, that the moved outline of its thing has to explain at least.
cv::Mat withoutCastShadow(const cv::Mat &own, const cv::Mat &residual, const cv::Rect &frame, double noise,
                          double leastFit = 0);

/// Returns whether all of what differs from the ground may be a shadow, whose thing lies beside it.
bool mayBeShadow(const cv::Mat &own, const cv::Mat &residual, double noise);

#endif
