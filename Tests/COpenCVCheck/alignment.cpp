// SPDX-License-Identifier: LGPL-2.1-or-later
#include "COpenCVCheck.h"

#include <algorithm>
#include <opencv2/video/tracking.hpp>

int sv_check_alignment(const uint8_t *target, const uint8_t *image, int side, const double *start, int steps,
                       double precision, SVCheckAlignment *alignment) {
  try {
    const cv::Mat model(side, side, CV_8U, const_cast<uint8_t *>(target));
    const cv::Mat picture(side, side, CV_8U, const_cast<uint8_t *>(image));
    cv::Mat1f map(2, 3);
    std::copy_n(start, 6, map.begin());
    alignment->converges = 1;
    try {
      const cv::TermCriteria until(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, steps, precision);
      alignment->coefficient = cv::findTransformECC(model, picture, map, cv::MOTION_AFFINE, until, cv::noArray(), 3);
    } catch (const cv::Exception &exception) {
      if (exception.code != cv::Error::StsNoConv)
        return -1;
      alignment->converges = 0;
      alignment->coefficient = -1;
    }
    std::copy_n(map.begin(), 6, alignment->map);
    return 0;
  } catch (...) {
    return -1;
  }
}
