// SPDX-License-Identifier: LGPL-2.1-or-later
#include "COpenCVCheck.h"

#include <opencv2/imgproc.hpp>

int sv_check_weather(uint8_t *pixels, int width, int height, size_t stride, double light, double blur, double noise,
                     uint64_t seed) {
  try {
    cv::Mat picture(height, width, CV_8U, pixels, stride), levels, grain(height, width, CV_32F);
    picture.convertTo(levels, CV_32F, light);
    cv::min(levels, 255, levels);
    if (blur > 0)
      cv::GaussianBlur(levels, levels, cv::Size(), blur);
    cv::RNG(seed).fill(grain, cv::RNG::NORMAL, 0, noise);
    levels += grain;
    levels.convertTo(picture, CV_8U);
    return 0;
  } catch (...) {
    return -1;
  }
}
