// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef SV_WARPING_HPP
#define SV_WARPING_HPP

#include <opencv2/imgproc.hpp>

/// Warps `input` to `output` by an affine map. Replaces cv::warpAffine, which rejects inputs with a side of 32767
/// pixels or more.
void warp(const cv::Mat &input, cv::Mat &output, const cv::Matx23d &map, cv::Size size, int flags,
          int border = cv::BORDER_CONSTANT);

#endif
