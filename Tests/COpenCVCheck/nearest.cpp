// SPDX-License-Identifier: LGPL-2.1-or-later
#include "COpenCVCheck.h"

#include <opencv2/features2d.hpp>

int sv_check_nearest(const uint8_t *queries, int queryCount, const uint8_t *all, int count, int bytes, int *indices,
                     float *distances, float *next) {
  try {
    const cv::Mat from(queryCount, bytes, CV_8U, const_cast<uint8_t *>(queries));
    const cv::Mat to(count, bytes, CV_8U, const_cast<uint8_t *>(all));
    std::vector<std::vector<cv::DMatch>> matches;
    cv::BFMatcher(cv::NORM_HAMMING).knnMatch(from, to, matches, 2);
    for (size_t i = 0; i < matches.size(); i++) {
      indices[i] = matches[i].at(0).trainIdx;
      distances[i] = matches[i].at(0).distance;
      next[i] = matches[i].at(1).distance;
    }
    return 0;
  } catch (...) {
    return -1;
  }
}
