// SPDX-License-Identifier: LGPL-2.1-or-later
#include "COpenCVCheck.h"

#include <opencv2/imgproc.hpp>

int sv_check_canny(const uint8_t *gray, int width, int height, size_t stride, double sigma, double low, double high,
                   int aperture, int euclidean, uint8_t *output) {
  try {
    cv::Mat picture(height, width, CV_8UC1, const_cast<uint8_t *>(gray), stride), blurred, edges;
    if (sigma > 0)
      cv::GaussianBlur(picture, blurred, cv::Size(), sigma);
    else
      blurred = picture;
    cv::Canny(blurred, edges, low, high, aperture, euclidean != 0);
    std::copy(edges.datastart, edges.dataend, output);
    return 0;
  } catch (...) {
    return -1;
  }
}
