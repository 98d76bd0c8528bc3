// SPDX-License-Identifier: LGPL-2.1-or-later
#include "COpenCVCheck.h"

#include "../../Sources/COpenCV/descriptors.hpp"

#include <algorithm>

int sv_check_nearest(int queries, int all, int bytes, uint64_t seed, int *differing) {
  try {
    cv::RNG random(seed);
    cv::Mat from(queries, bytes, CV_8U), to(all, bytes, CV_8U);
    random.fill(from, cv::RNG::UNIFORM, 0, 256);
    random.fill(to, cv::RNG::UNIFORM, 0, 256);
    // Some the same as others: the first one counts.
    to.row(0).copyTo(to.row(all - 1));
    to.row(0).copyTo(from.row(0));
    std::vector<std::vector<cv::DMatch>> right;
    cv::BFMatcher(cv::NORM_HAMMING).knnMatch(from, to, right, 2);
    const std::vector<Nearest> own = nearest(from, to);
    *differing = own.size() == right.size() ? 0 : queries;
    for (size_t i = 0; i < std::min(own.size(), right.size()); i++)
      if (own[i].index != right[i][0].trainIdx || own[i].distance != right[i][0].distance ||
          own[i].next != right[i][1].distance)
        ++*differing;
    return 0;
  } catch (...) {
    return -1;
  }
}
