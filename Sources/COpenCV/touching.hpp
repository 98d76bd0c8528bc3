// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_TOUCHING_HPP
#define SV_TOUCHING_HPP

#include <opencv2/core.hpp>
#include <vector>

/// Returns the masks of things that touch each other, taken apart at their necks; see touching.cpp.
/// - Parameter mask: the things, with a margin of at least a pixel.
std::vector<cv::Mat> separated(const cv::Mat &mask);

#endif
