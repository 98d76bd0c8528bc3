// SPDX-License-Identifier: LGPL-2.1-or-later
#include "COpenCVCheck.h"

#include "../../Sources/COpenCV/correlation.hpp"

#include <algorithm>
#include <opencv2/video/tracking.hpp>

int sv_check_alignment(const uint8_t *target, const uint8_t *image, int side, const double *start, int steps,
                       SVCheckAlignment *own, SVCheckAlignment *openCV) {
  try {
    const cv::Mat model(side, side, CV_8U, const_cast<uint8_t *>(target));
    const cv::Mat picture(side, side, CV_8U, const_cast<uint8_t *>(image));
    constexpr double precision = 1e-6;
    constexpr int smoothing = 3;
    cv::Matx23d map(start);
    const std::optional<double> coefficient = CorrelationAlignment(model, picture, smoothing).improve(map, steps, precision);
    own->converges = coefficient ? 1 : 0;
    own->coefficient = coefficient.value_or(-1);
    std::copy_n(map.val, 6, own->map);

    cv::Mat1f other(2, 3);
    std::copy_n(start, 6, other.begin());
    openCV->converges = 1;
    try {
      const cv::TermCriteria until(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, steps, precision);
      openCV->coefficient =
          cv::findTransformECC(model, picture, other, cv::MOTION_AFFINE, until, cv::noArray(), smoothing);
    } catch (const cv::Exception &exception) {
      if (exception.code != cv::Error::StsNoConv)
        return -1;
      openCV->converges = 0;
      openCV->coefficient = -1;
    }
    std::copy_n(other.begin(), 6, openCV->map);
    return 0;
  } catch (...) {
    return -1;
  }
}
