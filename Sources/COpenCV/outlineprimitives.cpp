// SPDX-License-Identifier: LGPL-2.1-or-later
#include "primitives.hpp"

#include <opencv2/imgproc.hpp>

int sv_cv_box(SVCVMatrix input, int side, SVCVMatrix output, char *error) {
  return writing(output, error, [&](cv::Mat &out) { cv::blur(view(input), out, cv::Size(side, side)); });
}

int sv_cv_gradient(SVCVMatrix input, double scale, SVCVMatrix output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    cv::Mat across, down;
    cv::Sobel(view(input), across, CV_32F, 1, 0, 3, scale);
    cv::Sobel(view(input), down, CV_32F, 0, 1, 3, scale);
    cv::magnitude(across, down, out);
  });
}

int sv_cv_polar(SVCVMatrix input, SVCVPoint center, double radius, SVCVMatrix output, char *error) {
  return writing(output, error, [&](cv::Mat &out) {
    const cv::Point2f middle(static_cast<float>(center.x - 0.5), static_cast<float>(center.y - 0.5));
    cv::warpPolar(view(input), out, out.size(), middle, radius, cv::WARP_POLAR_LINEAR);
  });
}
